// SPDX-License-Identifier: Apache-2.0
#include "session/ranks.hpp"

#include <algorithm>

namespace copse {

Idset ranks_of(const ResourceGraph& graph, const Grant& grant) {
  std::vector<Emitted> pools;
  expand(graph, grant.selection, pools);
  std::vector<std::int64_t> ranks;
  for (const Emitted& e : pools) {
    // Machines of a recipe have ranks at their nodes alone.
    PoolId ranked = e.pool;
    while (graph.rank(ranked) < 0 && graph.parent(ranked) != kNoPool) ranked = graph.parent(ranked);
    const std::int64_t rank = graph.rank(ranked);
    if (e.exclusive && rank >= 0 && (ranks.empty() || ranks.back() != rank)) {
      ranks.push_back(rank);
    }
  }
  std::ranges::sort(ranks);
  const auto doubles = std::ranges::unique(ranks);
  ranks.erase(doubles.begin(), doubles.end());
  Idset out;
  for (const std::int64_t rank : ranks) out.add(rank);
  return out;
}

std::vector<PoolId> tops_of_all_ranks(const ResourceGraph& graph) {
  const TypeId node = graph.find_type("node");
  std::vector<PoolId> out;
  graph.preorder(graph.root(), [&](PoolId p) {
    const PoolId parent = graph.parent(p);
    const std::int32_t rank = graph.rank(p);
    const bool begins = rank >= 0 && (parent == kNoPool || graph.rank(parent) != rank);
    if (begins || graph.type(p) == node) out.push_back(p);
    return true;
  });
  return out;
}

}  // namespace copse
