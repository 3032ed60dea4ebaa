// SPDX-License-Identifier: Apache-2.0
#include "queue/config/queue_order.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "request/constraint.hpp"

namespace copse::queue {

// For each node, the first queue of each priority that has it.
std::optional<std::string> order_by_names(const QueueConfig& config, const ResourceGraph& graph) {
  std::vector<const QueueSpec*> queues;
  for (const QueueSpec& spec : config.queues) {
    if (!spec.parent) queues.push_back(&spec);
  }
  if (queues.size() < 2) return std::nullopt;
  std::ranges::sort(queues, {}, &QueueSpec::name);
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    if (!graph.in_tree(node)) continue;
    std::map<std::int64_t, const QueueSpec*> first;
    for (const QueueSpec* queue : queues) {
      if (!holds(queue->constraint, {graph.name(node), graph.rank(node), graph.properties(node)}))
        continue;
      const auto [other, is_first] = first.emplace(queue->priority, queue);
      if (is_first) continue;
      const bool bonus = config.rule.queues.contains(queue->name) ||
                         config.rule.queues.contains(other->second->name);
      return fmt::format(
          "queues {} and {} share nodes: {} is served first, by its name{}; set {}",
          shown_word(other->second->name), shown_word(queue->name), shown_word(other->second->name),
          bonus ? " (a bonus acts within its queue)" : "", "queue-priority-per-queue");
    }
  }
  return std::nullopt;
}

}  // namespace copse::queue
