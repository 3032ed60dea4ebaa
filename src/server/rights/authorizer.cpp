// SPDX-License-Identifier: Apache-2.0
#include "server/rights/authorizer.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse::server {

namespace {

// The text after `before` at the beginning of an answer, up to a character of `ends`; "": none.
std::string_view text_after(std::string_view answer, std::string_view before,
                            std::string_view ends) {
  if (!answer.starts_with(before)) return {};
  answer.remove_prefix(before.size());
  return answer.substr(0, answer.find_first_of(ends));
}

// The id of a new job or grant.
std::optional<std::int64_t> id_of_answer(std::string_view answer) {
  const std::string_view id = text_after(answer, R"({"id": )", ",}");
  std::int64_t number = 0;
  const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
  return id.empty() || read.ec != std::errc() ? std::nullopt : std::optional(number);
}

}  // namespace

// What the request is about, other than a job or grant.
std::string Authorizer::audit_target(const SessionRequest& line) const {
  using Op = SessionRequest::Op;
  std::string out;
  if (line.op == Op::down || line.op == Op::up) {
    out = line.ranks ? nodes_of_(*line.ranks) : std::string();
    if (out.empty() && line.ranks) out = fmt::format("ranks {}", *line.ranks);
  } else if (line.op == Op::drain || line.op == Op::undrain) {
    out = line.nodes ? std::string(*line.nodes) : nodes_of_(line.ranks.value_or(""));
  } else if (line.op == Op::end_reservation) {
    out = line.reservation_name.value_or(line.name.value_or(""));
  } else if (line.resource) {
    out = line.nodes ? fmt::format("{} {}", *line.resource, *line.nodes) : *line.resource;
  } else if (line.op == Op::free_layer) {
    out = line.layer_reservation;
  }
  return audit_text(std::move(out));
}

std::string_view Authorizer::owner(std::int64_t id) const {
  if (const JobRow* job = job_of_(id)) return job->user;
  const ClientTable::GrantRecord* taken = clients_.find_grant(id);
  return taken == nullptr ? std::string_view() : taken->owner;
}

std::string Authorizer::denial_reason(const Caller& caller, const SessionRequest& line) {
  audited_ = {line.op, line.id, audit_target(line), audit_values(line)};
  const Permission permission = operation_of(line.op).permission;
  if (!permits_(caller.role, permission)) {
    return forbidden_text(caller.role, permission);
  }
  if (may(caller.role, Permission::release_any)) return {};
  if (line.op == SessionRequest::Op::submit && line.priority.value_or(0) > 0) {
    return fmt::format("\"priority\" {} is above 0, which requires the role operator",
                       *line.priority);
  }
  if (line.op == SessionRequest::Op::submit && line.user) {
    const std::string user = user_of_ ? user_of_(*line.user) : std::string(*line.user);
    if (user != caller.name) {
      return fmt::format("\"user\" {} is another user: the role {} submits only its own jobs",
                         shown_word(*line.user), word(caller.role));
    }
  }
  if (permission != Permission::release_own || !line.id) return {};
  if (job_of_(*line.id) == nullptr && !has_grant_(*line.id)) return {};  // the session reports that
  if (is_hidden_(caller, *line.id)) {
    // LiveJobs reports that there is no such job.
    return is_job_operation(line.op) ? "" : fmt::format("\"id\" {} has no grant", *line.id);
  }
  if (caller.name.empty() || owner(*line.id) != caller.name) {
    return fmt::format("\"id\" {} belongs to another client: the role {} changes only its own",
                       *line.id, word(caller.role));
  }
  const JobRow* job = job_of_(*line.id);
  if (job != nullptr && job->operator_hold && line.op == SessionRequest::Op::release) {
    return fmt::format("an operator holds job {}: releasing it requires the role operator",
                       *line.id);
  }
  if (job == nullptr || line.op != SessionRequest::Op::priority ||
      line.priority.value_or(job->priority) <= job->priority)
    return {};
  return fmt::format("job {} has the priority {}: raising it requires the role operator", *line.id,
                     job->priority);
}

std::optional<std::int64_t> Authorizer::granted(std::string_view answer) const {
  using Op = SessionRequest::Op;
  if (!audited_ || (audited_->op != Op::alloc && audited_->op != Op::reserve)) return std::nullopt;
  return id_of_answer(answer);
}

std::optional<Audit> Authorizer::audit_entry(const Caller& caller, bool changed,
                                             std::string_view answer) {
  auto audited = std::exchange(audited_, std::nullopt);
  if (!audited) return std::nullopt;  // the line could not be parsed
  const bool refused = answer.starts_with(R"({"error": "forbidden")");
  if (!changed && !refused) return std::nullopt;
  if (!audited->id) audited->id = id_of_answer(answer);
  if (audited->op == SessionRequest::Op::add_reservation) {
    audited->target = text_after(answer, R"({"name": ")", "\"");
  }
  return Audit{caller,
               operation_of(audited->op).name,
               audited->id,
               std::move(audited->target),
               std::move(audited->values),
               refused ? "forbidden" : "done"};
}

}  // namespace copse::server
