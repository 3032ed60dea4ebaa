// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/growth.hpp"

#include <algorithm>
#include <map>

namespace copse {

std::optional<Growth> GrowthLedger::entry_of(const ResourceGraph& graph, const State& state,
                                             const NewSubtree& subtree) {
  if (graph.leaf(graph.root())) return {};
  const Planner* planner = state.planner(graph.interior(graph.root()));
  if (planner == nullptr) return {};
  Growth made;
  for (auto t = planner->next_step(state.now() + 1); t; t = planner->next_step(*t + 1)) {
    made.changes.push_back(*t);
  }
  if (made.changes.empty()) return {};
  std::map<TypeId, std::int64_t> units;
  for (const NewPool& p : subtree.pools) units[p.type] += p.size;
  for (const auto& [type, sum] : units) made.units.push_back({type, sum});
  return made;
}

void GrowthLedger::forget_pools(const ResourceGraph& graph, const PoolMarks& gone) {
  for (Growth& g : entries_) {
    std::erase_if(g.pools, [&](PoolId p) {
      if (!gone.contains(p.v)) return false;
      for (TypeTotal& came : g.units) came.total -= came.type == graph.type(p) ? graph.size(p) : 0;
      return true;
    });
  }
  std::erase_if(entries_, [](const Growth& g) { return g.pools.empty(); });
}

void GrowthLedger::renumber(const std::vector<PoolId>& to) {
  for (Growth& g : entries_) {
    for (PoolId& p : g.pools) p = to[p.v];
  }
}

void GrowthLedger::forget_changes(const ResourceGraph& graph, const State& state) {
  if (entries_.empty()) return;
  const Planner* planner = state.planner(graph.interior(graph.root()));
  const auto over = [&](std::int64_t t) {
    return t <= state.now() || planner == nullptr || planner->next_step(t) != t;
  };
  for (Growth& g : entries_) {
    while (!g.changes.empty() && over(g.changes.back())) g.changes.pop_back();
    while (!g.changes.empty() && over(g.changes.front())) g.changes.pop_front();
  }
  std::erase_if(entries_, [](const Growth& g) { return g.changes.empty(); });
}

void GrowthLedger::note_nodes(std::int64_t before, std::int64_t after) {
  std::int64_t lost = 0;
  if (!__builtin_add_overflow(nodes_lost_, before - after, &lost)) nodes_lost_ = lost;
}

bool GrowthLedger::counts(const ResourceGraph& graph, const State& state,
                          const CompiledRequest& request, std::int64_t start,
                          std::int64_t end) const {
  const Shape& shape = graph.shape(graph.root());
  const std::uint32_t root = graph.interior(graph.root());
  for (const Growth& g : entries_) {
    const std::int64_t from = g.changes.front(), until = g.changes.back();
    if (end <= from || start >= until) continue;
    for (const TypeTotal& came : g.units) {
      const std::int64_t units = request.total_of(came.type);
      const int k = shape.total_index(came.type);
      if (units <= 0 || k < 0) continue;
      const auto at = static_cast<std::uint32_t>(k);
      const std::int64_t used =
          state.most_used(root, at + 1, std::max(start, from), std::min(end, until));
      if (units > shape.totals[at].total - came.total - used) return false;
    }
  }
  return true;
}

}  // namespace copse
