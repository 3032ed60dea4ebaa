// SPDX-License-Identifier: Apache-2.0
#include "server/rights/gate.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kNamedBytesMax = 256;

// What follows `before` at the beginning of an answer, until a character of `ends`; "": nothing.
std::string_view told_first(std::string_view answer, std::string_view before,
                            std::string_view ends) {
  if (!answer.starts_with(before)) return {};
  answer.remove_prefix(before.size());
  return answer.substr(0, answer.find_first_of(ends));
}

}  // namespace

// What a change is of, besides jobs and grants.
std::string Gate::named(const SessionLine& line) const {
  using Op = SessionLine::Op;
  std::string out;
  if (line.op == Op::down || line.op == Op::up) {
    out = line.ranks ? nodes_of_(*line.ranks) : std::string();
    if (out.empty() && line.ranks) out = fmt::format("ranks {}", *line.ranks);
  } else if (line.op == Op::drain || line.op == Op::undrain) {
    out = line.nodes ? std::string(*line.nodes) : nodes_of_(line.ranks.value_or(""));
  } else if (line.op == Op::end_reservation) {
    out = line.in_reservation.value_or(line.name.value_or(""));
  } else if (line.resource) {
    out = line.nodes ? fmt::format("{} {}", *line.resource, *line.nodes) : *line.resource;
  } else if (line.op == Op::free_layer) {
    out = line.reservation;
  }
  if (out.size() > kNamedBytesMax) out = out.substr(0, kNamedBytesMax) + "…";
  return out;
}

std::string_view Gate::owner(std::int64_t id) const {
  if (const JobRow* job = job_of_(id)) return job->user;
  const ClientBook::Taken* taken = clients_.find_grant(id);
  return taken == nullptr ? std::string_view() : taken->owner;
}

std::string Gate::forbids(const Who& who, const SessionLine& line) {
  asked_ = {line.op, line.id, named(line)};
  Action action = action_of(line.op);
  if (!may(who.role, action)) {
    return forbidden_text(who.role, action);
  }
  if (may(who.role, Action::give_any)) return {};
  if (line.op == SessionLine::Op::submit && line.priority.value_or(0) > 0) {
    return fmt::format("\"priority\" {} is above 0: only operators give one", *line.priority);
  }
  if (line.op == SessionLine::Op::submit && line.user) {
    const std::string user = user_of_ ? user_of_(*line.user) : std::string(*line.user);
    if (user != who.name) {
      return fmt::format("\"user\" {} is not you: the role {} submits only its own jobs",
                         shown_word(*line.user), word(who.role));
    }
  }
  if (action != Action::give_own || !line.id) return {};
  if (job_of_(*line.id) == nullptr && !granted_(*line.id)) return {};  // the session says so
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
  auto asked = std::exchange(asked_, std::nullopt);
  if (!asked) return std::nullopt;  // no line that could be read
  const bool refused = answer.starts_with(R"({"error": "forbidden")");
  if (!changed && !refused) return std::nullopt;
  if (!asked->id) {
    const std::string_view id = told_first(answer, R"({"id": )", ",}");
    std::int64_t number = 0;
    const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
    if (!id.empty() && read.ec == std::errc()) asked->id = number;
  }
  if (asked->op == SessionLine::Op::add_reservation) {
    asked->on = told_first(answer, R"({"name": ")", "\"");
  }
  return Audit{who, session_ops(true)[static_cast<std::size_t>(asked->op)], asked->id,
               std::move(asked->on), refused ? "forbidden" : "done"};
}

}  // namespace copse::server
