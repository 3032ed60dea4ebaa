// SPDX-License-Identifier: Apache-2.0
#include "server/rights/authorizer.hpp"

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse::server {

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

std::string Authorizer::denial_reason(const Caller& caller, const SessionRequest& line) const {
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

std::optional<Audit> Authorizer::audit_entry(const Caller& caller, const SessionRequest& line,
                                             bool changed, const SessionAnswer& answer) const {
  const bool forbidden = answer.refusal && answer.refusal->code == SessionAnswer::Code::forbidden;
  if (!changed && !forbidden) return std::nullopt;
  return Audit{caller,
               operation_of(line.op).name,
               line.id ? line.id : answer.id,
               answer.name.empty() ? audit_target(line) : audit_text(answer.name),
               audit_values(line),
               forbidden ? "forbidden" : "done"};
}

}  // namespace copse::server
