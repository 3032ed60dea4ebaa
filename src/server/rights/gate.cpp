// SPDX-License-Identifier: Apache-2.0
#include "server/rights/gate.hpp"

#include <utility>

#include <fmt/format.h>

namespace copse::server {

std::string_view Gate::owner(std::int64_t id) const {
  if (const JobRow* job = job_of_(id)) return job->user;
  const ClientBook::Taken* taken = clients_.find_grant(id);
  return taken == nullptr ? std::string_view() : taken->owner;
}

std::string Gate::forbids(const Who& who, const SessionLine& line) {
  asked_ = {line.op, line.id};
  Action action = action_of(line.op);
  if (!may(who.role, action)) {
    return fmt::format("the role {} may not do this ({})", word(who.role), word(action));
  }
  if (may(who.role, Action::give_any)) return {};
  if (line.op == SessionLine::Op::submit && line.priority.value_or(0) > 0) {
    return fmt::format("\"priority\" {} is above 0: only operators give one", *line.priority);
  }
  if (action != Action::give_own || !line.id) return {};
  if (who.name.empty() || owner(*line.id) != who.name) {
    return fmt::format("\"id\" {} is not yours: the role {} changes only its own", *line.id,
                       word(who.role));
  }
  const JobRow* job = line.op == SessionLine::Op::priority ? job_of_(*line.id) : nullptr;
  if (job == nullptr || line.priority.value_or(job->priority) <= job->priority) return {};
  return fmt::format("job {} has the priority {}: only operators raise it", *line.id,
                     job->priority);
}

std::optional<std::int64_t> Gate::grant_asked_for() const {
  using Op = SessionLine::Op;
  return asked_ && (asked_->op == Op::alloc || asked_->op == Op::reserve) ? asked_->id
                                                                          : std::nullopt;
}

std::optional<Audit> Gate::answered(const Who& who, bool changed, std::string_view answer) {
  const auto asked = std::exchange(asked_, std::nullopt);
  if (!asked) return std::nullopt;  // no line that could be read
  const bool refused = answer.starts_with(R"({"error": "forbidden")");
  if (!changed && !refused) return std::nullopt;
  return Audit{who, session_ops(true)[static_cast<std::size_t>(asked->op)], asked->id,
               refused ? "forbidden" : "done"};
}

}  // namespace copse::server
