// SPDX-License-Identifier: Apache-2.0
#include "queue/node_counts.hpp"

#include <algorithm>

namespace copse::queue {

namespace {

bool is_slot_of_nodes(const Resource& slot) {
  return slot.is_slot() && slot.with.size() == 1 && slot.with.front().type == "node" &&
         !slot.count.moldable();
}

// Whether a pool and all pools above it are usable.
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

// The request names no resources inside a node, so they need not be examined.
std::int64_t NodeCounts::requested_nodes(const Request& request) {
  if (!request.constraint.empty() || !request.hres.empty() || request.resources.size() != 1)
    return 0;
  const Resource& slot = request.resources.front();
  if (!is_slot_of_nodes(slot)) return 0;
  const Resource& node = slot.with.front();
  if (node.count.moldable() || !node.with.empty() || !node.channel_charges.empty() ||
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
  for (const SelectedPools& taken : selection.taken) {
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

// From start_s on its own nodes suffice, so only the time before matters. Most jobs move by a
// little, into the interval right before start_s that has enough nodes. A start before that
// interval must end before it.
std::optional<std::int64_t> NodeCounts::earlier(std::int64_t now_s, std::int64_t start_s,
                                                std::int64_t duration_s, std::int64_t nodes) {
  if (nodes > usable_ || now_s >= start_s) return std::nullopt;
  const std::int64_t allowed = usable_ - nodes;
  const std::int64_t run_s = planned_.run_before(start_s, {&allowed, 1});
  if (run_s <= now_s) return now_s;
  if (duration_s < run_s - now_s) {
    bounds_.cover(now_s, run_s);
    const std::int64_t row = RunBounds::row_amount(nodes);
    auto part = bounds_.next(now_s, run_s, duration_s, nodes);
    for (; part; part = bounds_.next(part->until_s, run_s, duration_s, nodes)) {
      auto found = whole_fit(*part, now_s, duration_s, row);
      if (!found) bounds_.none(*part, duration_s, nodes);
      if (found && row < nodes)
        found = whole_fit({*found, part->until_s}, now_s, duration_s, nodes);
      if (found) return found;
    }
  }
  return run_s < start_s ? std::optional(run_s) : std::nullopt;
}

// The first fit that lies wholly in the part. A gap that only reaches the beginning of the part is
// too short.
//
std::optional<std::int64_t> NodeCounts::whole_fit(const RunBounds::Part& part, std::int64_t now_s,
                                                  std::int64_t duration_s,
                                                  std::int64_t nodes) const {
  if (part.from_s == now_s && fits(now_s, now_s + duration_s, nodes)) return now_s;
  const std::int64_t allowed = usable_ - nodes;
  return planned_.earliest_fit(part.from_s, duration_s, part.until_s, {&allowed, 1},
                               Planner::AtHorizon::whole);
}

void NodeCounts::remove(std::int64_t start_s, std::int64_t end_s, std::int64_t nodes) {
  if (nodes <= 0) return;
  planned_.remove(start_s, end_s, {&nodes, 1});
  freed(start_s, end_s, nodes);
}

void NodeCounts::move(std::int64_t start_s, std::int64_t end_s, std::int64_t to_start_s,
                      std::int64_t to_end_s, std::int64_t nodes) {
  if (nodes <= 0) return;
  planned_.move(start_s, end_s, to_start_s, to_end_s, {&nodes, 1});
  freed(start_s, std::min(end_s, to_start_s), nodes);
  freed(std::max(start_s, to_end_s), end_s, nodes);
}

void NodeCounts::freed(std::int64_t from_s, std::int64_t until_s, std::int64_t nodes) {
  if (from_s >= until_s || bounds_.empty()) return;
  const std::int64_t most = usable_ - planned_.min_used(0, from_s, until_s);
  const std::int64_t least = usable_ - planned_.max_used(0, from_s, until_s);
  bounds_.freed(from_s, until_s, least - nodes, most);
}

}  // namespace copse::queue
