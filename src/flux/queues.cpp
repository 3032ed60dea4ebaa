// SPDX-License-Identifier: Apache-2.0
#include "flux/queues.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace copse::flux {

std::vector<queue::LineSpec> lines_of(const queue::QueueConfig& queues) {
  if (!queues.lines.empty()) return queues.lines;
  return {{.discipline = *find_discipline("easy")}};
}

Result<std::string> queue_named(queue::JobQueue& queues, const std::string& name,
                                bool no_foreign_queues) {
  const auto& known = queues.view().lines.queues();
  const bool unnamed = known.size() == 1 && known.front().name.empty();
  if (unnamed && (name.empty() || !no_foreign_queues)) return std::string();
  if (std::ranges::any_of(known, [&](const auto& queue) { return queue.name == name; })) {
    return name;
  }
  return fail(ErrorCode::not_found, fmt::format("queue ({}) doesn't exist", name));
}

Result<void> change_queues(queue::JobQueue& queues, const queue::QueueConfig& to) {
  const std::vector<queue::LineSpec> lines = lines_of(to);
  const auto& known = queues.view().lines.queues();
  const auto same = [&](const queue::LineSpec& line) {
    return std::ranges::any_of(known, [&](const auto& queue) {
      return queue.name == line.name && queue.is_virtual == line.parent.has_value();
    });
  };
  const auto stays = [&](const auto& queue) {
    return std::ranges::any_of(lines, [&](const auto& line) { return line.name == queue.name; });
  };
  const auto other = std::ranges::find_if_not(lines, same);
  const auto gone = std::ranges::find_if_not(known, stays);
  if (other != lines.end() || gone != known.end()) {
    const std::string& name = other != lines.end() ? other->name : gone->name;
    // Flux cuts errors after 160 characters, its own words included.
    return fail(ErrorCode::unsupported,
                fmt::format("{}: that needs flux module reload; nothing was changed",
                            name.empty()           ? "there are no queues any more"
                            : other != lines.end() ? fmt::format("queue \"{}\" is new", name)
                                                   : fmt::format("queue \"{}\" is gone", name)));
  }
  for (const queue::LineSpec& line : lines) {
    if (line.parent) continue;
    [[maybe_unused]] const auto set = queues.set_discipline(line.name, line.discipline, line.depth);
    assert(set);
  }
  return {};
}

}  // namespace copse::flux
