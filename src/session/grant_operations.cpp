// SPDX-License-Identifier: Apache-2.0
#include "session/grant_operations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "explain/explanation.hpp"
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
  return requests_.prepare(engine_, line);
}

// Adds one sentence for each alternative whose layers are the reason.
void GrantOperations::name_layers(PreparedRequest& request, JobId job, Error& error) {
  constexpr std::size_t kNamedMax = 4;
  const bool ever = error.code == ErrorCode::infeasible;
  if (!ever && error.code != ErrorCode::insufficient) return;
  const std::vector<Finding> findings = engine_.short_layers(request, job, ever);
  const Verdict verdict = ever ? Verdict::infeasible : Verdict::insufficient;
  for (std::size_t i = 0; i < std::min(findings.size(), kNamedMax); ++i) {
    error.text += (i == 0 ? ": " : "; ") + sentence(findings[i], verdict, engine_.options().now);
  }
}

// The error of a failed match, with its code and remarks.
Error GrantOperations::why_not(PreparedRequest& request, JobId job, const NoMatch& failed) {
  Error error = failed;
  for (const std::string& remark : failed.remarks) error.text += "; " + remark;
  // A request that takes nothing cannot lack anything: it is invalid.
  if (failed.takes_nothing) error.code = ErrorCode::invalid;
  name_layers(request, job, error);
  for (const std::string& missing : engine_.missing_properties(request)) {
    error.text += "; " + missing;
  }
  return error;
}

Result<void> GrantOperations::grant(const SessionRequest& line, Operation operation,
                                    std::string& out) {
  if (!line.id) return no_id(line);
  auto request = prepared(line, true);
  if (!request) return std::unexpected(request.error());
  if (engine_.grant(job_of_id(*line.id)) != nullptr) {
    return fail(ErrorCode::exists, fmt::format("\"id\" {} has a grant already", *line.id));
  }
  const JobId job = job_of_id(*line.id);
  const auto found = jobs_ != nullptr ? jobs_->grant(operation, **request, job)
                                      : engine_.match(operation, **request, job);
  if (!found) return std::unexpected(why_not(**request, job_of_id(*line.id), found.error()));
  grant_text_.append_granted(engine_, *line.id, GrantView::of(**found), (*request)->queue(), out);
  return {};
}

Result<void> GrantOperations::satisfy(const SessionRequest& line) {
  auto request = prepared(line, false);
  if (!request) return std::unexpected(request.error());
  const auto ever = engine_.match(Operation::satisfiability, **request, 0);
  if (!ever) return std::unexpected(why_not(**request, 0, ever.error()));
  return {};
}

// Answers why the request would get nothing now, or that it fits.
Result<void> GrantOperations::explain(const SessionRequest& line, std::string& out) {
  auto request = prepared(line, false);
  if (!request) return std::unexpected(request.error());
  auto why = engine_.explain(**request);
  if (!why) return std::unexpected(why.error());
  for (Finding& finding : why->findings) {
    for (Holder& holder : finding.holders)
      holder.job = holder.job == kClientZeroId ? 0 : holder.job;
  }
  const JobNames names = [this](std::uint64_t id) {
    std::string label = jobs_ == nullptr ? std::string() : jobs_->reservation_label(id);
    return label.empty() ? std::to_string(id) : label;
  };
  append_explanation_json(out, *why, names);
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

Result<void> GrantOperations::info(const SessionRequest& line, std::string& out) {
  if (!line.id && !line.layer_reservation.empty()) return no_id(line);
  if (line.id && engine_.grant(job_of_id(*line.id)) == nullptr) return no_grant(*line.id);
  std::vector<JobId> jobs = line.id ? std::vector<JobId>{job_of_id(*line.id)} : engine_.jobs();
  std::erase_if(jobs, is_reservation);
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
