// SPDX-License-Identifier: Apache-2.0
#include "flux/queues.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace copse::flux {

std::vector<queue::QueueSpec> queue_specs(const queue::QueueConfig& queues) {
  if (!queues.queues.empty()) return queues.queues;
  return {{.discipline = *find_discipline("easy")}};
}

Result<std::string> queue_named(queue::JobQueue& queues, const std::string& name,
                                bool no_foreign_queues) {
  const auto& known = queues.view().queues.named();
  const bool unnamed = known.size() == 1 && known.front().name.empty();
  if (unnamed && (name.empty() || !no_foreign_queues)) return std::string();
  if (std::ranges::any_of(known, [&](const auto& queue) { return queue.name == name; })) {
    return name;
  }
  return fail(ErrorCode::not_found, fmt::format("queue ({}) doesn't exist", name));
}

Result<void> change_queues(queue::JobQueue& queues, const queue::QueueConfig& to) {
  const std::vector<queue::QueueSpec> specs = queue_specs(to);
  const auto& known = queues.view().queues.named();
  const auto same = [&](const queue::QueueSpec& spec) {
    return std::ranges::any_of(known, [&](const auto& queue) {
      return queue.name == spec.name && queue.is_virtual == spec.parent.has_value();
    });
  };
  const auto stays = [&](const auto& queue) {
    return std::ranges::any_of(specs, [&](const auto& spec) { return spec.name == queue.name; });
  };
  const auto other = std::ranges::find_if_not(specs, same);
  const auto removed = std::ranges::find_if_not(known, stays);
  if (other != specs.end() || removed != known.end()) {
    const std::string& name = other != specs.end() ? other->name : removed->name;
    // Flux cuts errors after 160 characters, including its own text.
    return fail(
        ErrorCode::unsupported,
        fmt::format("{}: unload the scheduler before such a change; nothing was changed",
                    name.empty()           ? "there are no queues any more"
                    : other != specs.end() ? fmt::format("queue \"{}\" is new", name)
                                           : fmt::format("queue \"{}\" was removed", name)));
  }
  for (const queue::QueueSpec& spec : specs) {
    if (spec.parent) continue;
    [[maybe_unused]] const auto set = queues.set_discipline(spec.name, spec.discipline, spec.depth);
    assert(set);
  }
  return {};
}

}  // namespace copse::flux
