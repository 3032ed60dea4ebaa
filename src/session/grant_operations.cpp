// SPDX-License-Identifier: Apache-2.0
#include "session/grant_operations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "request/jobspec/start_conditions.hpp"
#include "session/ranks.hpp"
#include "text/json_writer.hpp"

namespace copse {

namespace {

std::unexpected<Error> no_id(const SessionRequest& line) {
  if (line.layer_reservation.empty()) return missing("id");
  return fail(ErrorCode::invalid, "\"id\" of a grant is an integer");
}

std::unexpected<Error> no_grant(std::int64_t id) {
  return fail(ErrorCode::not_found, fmt::format("\"id\" {} has no grant", id));
}

}  // namespace

Result<PreparedRequest*> GrantOperations::prepared(const SessionRequest& line,
                                                   bool needs_duration) {
  if (line.jobspec.empty()) {
    if (!line.shape) return fail(ErrorCode::invalid, "there is neither \"shape\" nor \"jobspec\"");
    if (!line.duration_s && needs_duration) return missing("duration");
  } else if (line.shape || line.duration_s || !line.constraints.empty()) {
    return fail(ErrorCode::invalid,
                "\"jobspec\" replaces \"shape\", \"duration\" and \"constraints\": give one or the "
                "other");
  }
  if (jobs_ != nullptr) requests_.set_defaults(jobs_->defaults_of_grants());
  return requests_.prepare(engine_, line);
}

bool GrantOperations::is_hidden(const JobCaller& caller, JobId job) const {
  return jobs_ != nullptr && caller.viewer.misses_some() && !is_reservation(job) &&
         jobs_->visibility(caller.viewer, job) == Visibility::hidden;
}

JobNames GrantOperations::names_for(const JobCaller& caller) const {
  return [this, &caller](std::uint64_t id) {
    std::string label = jobs_ == nullptr ? std::string() : jobs_->reservation_label(id);
    if (label.empty() && is_hidden(caller, id)) return std::string("of another user");
    return label.empty() ? std::to_string(id_of_job(id)) : label;
  };
}

// Adds one sentence for each alternative whose layers are the reason.
void GrantOperations::name_layers(PreparedRequest& request, JobId job, const JobCaller& caller,
                                  Error& error) {
  constexpr std::size_t kNamedMax = 4;
  const bool ever = error.code == ErrorCode::infeasible;
  if (!ever && error.code != ErrorCode::insufficient) return;
  const std::vector<Finding> findings = engine_.short_layers(request, job, ever);
  const Verdict verdict = ever ? Verdict::infeasible : Verdict::insufficient;
  for (std::size_t i = 0; i < std::min(findings.size(), kNamedMax); ++i) {
    error.text += (i == 0 ? ": " : "; ") +
                  sentence(findings[i], verdict, engine_.options().now, names_for(caller));
  }
}

// The error of a failed match, with its code and remarks.
Error GrantOperations::why_not(PreparedRequest& request, JobId job, const JobCaller& caller,
                               const NoMatch& failed) {
  Error error = failed;
  for (const std::string& remark : failed.remarks) error.text += "; " + remark;
  // A request that takes nothing cannot lack anything: it is invalid.
  if (failed.takes_nothing) error.code = ErrorCode::invalid;
  name_layers(request, job, caller, error);
  for (const std::string& missing : engine_.missing_properties(request)) {
    error.text += "; " + missing;
  }
  return error;
}

// A service chooses an id if its client does not.
Result<JobId> GrantOperations::id_of_grant(const SessionRequest& line) const {
  if (line.id) return job_of_id(*line.id);
  if (jobs_ != nullptr && line.layer_reservation.empty()) return jobs_->new_id();
  return no_id(line);
}

Result<void> GrantOperations::grant(const SessionRequest& line, Operation operation,
                                    const JobCaller& caller, SessionAnswer& answer) {
  const auto job = id_of_grant(line);
  if (!job) return std::unexpected(job.error());
  auto request = prepared(line, true);
  if (!request) return std::unexpected(request.error());
  const auto now_s = static_cast<double>(engine_.now());
  const StartConditions& conditions = (*request)->request().start_conditions;
  if (auto ok = refuse_conditions(conditions, now_s); !ok) return ok;
  if (engine_.grant(*job) != nullptr) {
    return fail(ErrorCode::exists, fmt::format("\"id\" {} has a grant already", id_of_job(*job)));
  }
  const auto found = jobs_ != nullptr ? jobs_->grant(operation, **request, *job, caller)
                                      : engine_.match(operation, **request, *job);
  if (!found) return std::unexpected(why_not(**request, *job, caller, found.error()));
  // What a request for a TreePool names and is not counted. Other walks remark on refusals only.
  answer.id = id_of_job(*job);
  const bool hints = engine_.options().traverser == Traverser::treepool;
  grant_text_.append_granted(
      engine_, *answer.id, AllocationView::of(**found), (*request)->request().queue, answer.body,
      hints ? std::span<const std::string>((*found)->remarks) : std::span<const std::string>());
  return {};
}

Result<void> GrantOperations::satisfy(const SessionRequest& line) {
  auto request = prepared(line, false);
  if (!request) return std::unexpected(request.error());
  const auto ever = engine_.match(Operation::satisfiability, **request, 0);
  if (!ever) return std::unexpected(why_not(**request, 0, {}, ever.error()));
  return {};
}

// Answers why the request would get nothing now, or that it fits.
Result<void> GrantOperations::explain(const SessionRequest& line, const JobCaller& caller,
                                      std::string& out) {
  auto request = prepared(line, false);
  if (!request) return std::unexpected(request.error());
  auto why = engine_.explain(**request);
  if (!why) return std::unexpected(why.error());
  for (Finding& finding : why->findings) {
    std::erase_if(finding.holders,
                  [&](const Holder& holder) { return is_hidden(caller, holder.job); });
    for (Holder& holder : finding.holders)
      holder.job = holder.job == kClientZeroId ? 0 : holder.job;
  }
  append_explanation_json(out, *why, names_for(caller));
  out.pop_back();  // the newline
  return {};
}

Result<void> GrantOperations::free(const SessionRequest& line) {
  if (!line.id) return no_id(line);
  if (engine_.grant(job_of_id(*line.id)) == nullptr) return no_grant(*line.id);
  if (jobs_ != nullptr) return jobs_->free(job_of_id(*line.id));
  return engine_.cancel(job_of_id(*line.id));
}

Result<void> GrantOperations::free_ranks(const SessionRequest& line) {
  if (!line.id) return no_id(line);
  const auto gone =
      pools_to_release(engine_.graph(), engine_.grant(job_of_id(*line.id)), *line.id, *line.ranks);
  if (!gone) return std::unexpected(gone.error());
  if (jobs_ != nullptr) return jobs_->free(job_of_id(*line.id), *gone);
  const auto cut = engine_.cancel_part(job_of_id(*line.id), *gone, true);
  if (!cut) return std::unexpected(cut.error());
  return {};
}

Result<void> GrantOperations::info(const SessionRequest& line, const JobCaller& caller,
                                   std::string& out) {
  if (!line.id && !line.layer_reservation.empty()) return no_id(line);
  if (line.id &&
      (engine_.grant(job_of_id(*line.id)) == nullptr || is_hidden(caller, job_of_id(*line.id)))) {
    return no_grant(*line.id);
  }
  std::vector<JobId> jobs = line.id ? std::vector<JobId>{job_of_id(*line.id)} : engine_.jobs();
  std::erase_if(jobs, [&](JobId job) { return is_reservation(job) || is_hidden(caller, job); });
  std::ranges::sort(jobs, {}, id_of_job);
  JsonWriter json(out);
  json.object([&] {
    json.array("grants", jobs, [&](JobId job) {
      const Grant& grant = *engine_.grant(job);
      json.object([&] {
        json.member("id", id_of_job(job));
        json.member("at", grant.start);
        json.member("duration",
                    grant.end >= engine_.options().horizon ? 0 : grant.end - grant.start);
        json.member("ranks", ranks_of(engine_.graph(), grant));
        if (!grant.charges.empty()) json.member("hres", engine_.charges_text(grant.charges));
      });
    });
  });
  return {};
}

}  // namespace copse
