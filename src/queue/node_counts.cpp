// SPDX-License-Identifier: Apache-2.0
#include "queue/node_counts.hpp"

#include <algorithm>

namespace copse::queue {

namespace {

bool is_slot_of_nodes(const Resource& slot) {
  return slot.is_slot() && slot.with.size() == 1 && slot.with.front().type == "node" &&
         !slot.count.moldable();
}

// Whether a pool and all above it can be used.
bool reachable(const Engine& engine, PoolId pool) {
  const ResourceGraph& graph = engine.graph();
  for (; pool != kNoPool; pool = graph.parent(pool)) {
    if (!usable(engine.status(pool))) return false;
  }
  return true;
}

}  // namespace

bool NodeCounts::alike(const ResourceGraph& graph) {
  const TypeId node = graph.find_type("node");
  if (node == kNoType || graph.has_further_edges() || graph.largest(node) != 1) return false;
  const std::vector<PoolId> nodes = graph.of_type(node);
  return std::ranges::all_of(nodes, [&](PoolId p) {
    if (!graph.in_tree(p)) return false;
    for (PoolId up = graph.parent(p); up != kNoPool; up = graph.parent(up)) {
      if (graph.type(up) == node || graph.size(up) != 1) return false;
    }
    return true;
  });
}

// Nothing is asked of what is in a node, so that it need not be looked at.
std::int64_t NodeCounts::asked(const Request& request) {
  if (!request.constraint.empty() || !request.hres.empty() || request.resources.size() != 1)
    return 0;
  const Resource& slot = request.resources.front();
  if (!is_slot_of_nodes(slot)) return 0;
  const Resource& node = slot.with.front();
  if (node.count.moldable() || !node.with.empty() || !node.draws.empty() ||
      node.exclusive == Exclusivity::no) {
    return 0;
  }
  std::int64_t nodes = 0;
  return __builtin_mul_overflow(slot.count.min, node.count.min, &nodes) ? 0 : nodes;
}

std::int64_t NodeCounts::usable(const Engine& engine) {
  const ResourceGraph& graph = engine.graph();
  std::int64_t out = 0;
  for (const PoolId p : graph.of_type(graph.find_type("node"))) out += reachable(engine, p) ? 1 : 0;
  return out;
}

std::int64_t NodeCounts::usable(const Engine& engine, const Selection& selection) {
  const ResourceGraph& graph = engine.graph();
  const TypeId node = graph.find_type("node");
  std::int64_t out = 0;
  for (const Taken& taken : selection.taken) {
    if (graph.type(taken.first) != node) continue;
    for (std::uint32_t i = 0; i < taken.count; ++i) {
      out += reachable(engine, PoolId{taken.first.v + i}) ? 1 : 0;
    }
  }
  return out;
}

std::optional<std::int64_t> NodeCounts::earliest(std::int64_t from_s, std::int64_t duration_s,
                                                 std::int64_t horizon_s, std::int64_t nodes) const {
  if (nodes > usable_ || from_s >= horizon_s) return std::nullopt;
  const std::int64_t end_s = from_s + std::min(duration_s, horizon_s - from_s);
  if (fits(from_s, end_s, nodes)) return from_s;
  const std::int64_t allowed = usable_ - nodes;
  return planned_.earliest_fit(from_s, duration_s, horizon_s, {&allowed, 1});
}

// From start_s on its own nodes are enough, so that only what is before counts. Most jobs move by a
// little: into the time right before, that has enough. A start before that time has to end before it.
std::optional<std::int64_t> NodeCounts::earlier(std::int64_t now_s, std::int64_t from_s,
                                                std::int64_t before_s, std::int64_t duration_s,
                                                std::int64_t start_s, std::int64_t nodes) const {
  from_s = std::max(from_s, now_s);
  if (nodes > usable_ || from_s >= before_s) return std::nullopt;
  const std::int64_t allowed = usable_ - nodes;
  const std::int64_t run_s = planned_.run_before(start_s, {&allowed, 1});
  if (run_s <= from_s) return from_s;
  if (duration_s < run_s - from_s) {
    const std::int64_t until_s = duration_s < run_s - before_s ? before_s + duration_s - 1 : run_s;
    const auto found = from_s <= now_s
                           ? earliest(now_s, duration_s, until_s, nodes)
                           : planned_.earliest_fit(from_s, duration_s, until_s, {&allowed, 1});
    if (found && *found < before_s) return found;
  }
  return run_s < before_s ? std::optional(run_s) : std::nullopt;
}

}  // namespace copse::queue
