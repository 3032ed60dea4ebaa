// SPDX-License-Identifier: Apache-2.0
#include "server/rights/gate.hpp"

#include <utility>

#include <fmt/format.h>

#include "session/session.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kOwnersToSpare = 1024;

}  // namespace

std::string_view Gate::owner(std::int64_t id) const {
  if (const JobRow* job = job_of_(id)) return job->user;
  const auto at = owners_.find(id);
  return at == owners_.end() ? std::string_view() : at->second;
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

std::optional<Audit> Gate::answered(const Who& who, bool changed, std::string_view answer,
                                    const Engine& engine) {
  const auto asked = std::exchange(asked_, std::nullopt);
  if (!asked) return std::nullopt;  // no line that could be read
  const bool refused = answer.starts_with(R"({"error": "forbidden")");
  if (changed && asked->id) {
    if (action_of(asked->op) == Action::take) {
      owners_[*asked->id] = who.name;
      forget_ended(engine);
    } else if (asked->op == SessionLine::Op::free &&
               engine.grant(Session::job_of(*asked->id)) == nullptr) {
      owners_.erase(*asked->id);
    }
  }
  if (!changed && !refused) return std::nullopt;
  return Audit{who, session_ops(true)[static_cast<std::size_t>(asked->op)], asked->id,
               refused ? "forbidden" : "done"};
}

// Now and then, so that it costs O(1) a grant.
void Gate::forget_ended(const Engine& engine) {
  if (owners_.size() <= 2 * engine.grant_count() + kOwnersToSpare) return;
  std::erase_if(owners_, [&](const auto& one) {
    return engine.grant(Session::job_of(one.first)) == nullptr;
  });
}

}  // namespace copse::server
