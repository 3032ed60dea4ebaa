// SPDX-License-Identifier: Apache-2.0
#include "session/ranks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "formats/rv1/rv1_pools.hpp"

namespace copse {

Idset ranks_of(const ResourceGraph& graph, const Grant& grant) {
  std::vector<ExpandedPool> pools;
  expand(graph, grant.selection, pools);
  std::vector<std::int64_t> ranks;
  for (const ExpandedPool& e : pools) {
    // Machines of a recipe have ranks at their nodes only.
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

Result<std::vector<PoolId>> pools_to_release(const ResourceGraph& graph, const Grant* grant,
                                             std::int64_t id, std::string_view ranks) {
  const auto ids = Idset::parse(ranks);
  if (!ids) return fail(ErrorCode::invalid, "\"ranks\": " + ids.error().message());
  if (ids->empty()) return fail(ErrorCode::invalid, "\"ranks\" names no rank");
  if (grant == nullptr) {
    return fail(ErrorCode::invalid, fmt::format("\"id\" {} has no grant", id));
  }
  const Idset has = ranks_of(graph, *grant);
  for (const auto& [first, last] : ids->ranges()) {
    for (std::int64_t rank = first; rank <= last;
         ++rank) {  // stops at the first rank that the grant lacks
      if (!has.contains(rank)) {
        return fail(ErrorCode::invalid,
                    fmt::format("\"ranks\": {} has nothing on rank {}", id, rank));
      }
    }
  }
  return pools_of_ranks(graph, *ids);
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

Result<std::vector<PoolId>> tops_of_text(const ResourceGraph& graph, std::string_view ranks) {
  const auto refuse = [](std::string text) {
    return fail(ErrorCode::invalid, "\"ranks\"" + std::move(text));
  };
  if (ranks == "all") return tops_of_all_ranks(graph);
  const auto ids = Idset::parse(ranks);
  if (!ids) return refuse(": " + ids.error().message());
  if (ids->empty()) return refuse(" names no rank");
  if (const auto rank = unknown_rank(graph, *ids)) {
    return refuse(fmt::format(": the machine has no rank {}", *rank));
  }
  return tops_of_ranks(graph, *ids);
}

}  // namespace copse
