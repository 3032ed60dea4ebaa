// SPDX-License-Identifier: Apache-2.0
#include "match/compile/allowed_pools.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "request/constraint.hpp"

namespace copse {

AllowedPools::AllowedPools(const Constraint& constraint, const ResourceGraph& graph) {
  if (constraint.empty()) return;
  const TypeId node = graph.find_type("node"), storage = graph.find_type("storage_node");
  auto allowed = std::make_shared<std::vector<bool>>(graph.pool_count(), true);
  std::string name;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    if (graph.type(p) != node && graph.type(p) != storage) continue;
    name.clear();
    graph.append_name(p, name);
    (*allowed)[v] = holds(constraint, {name, graph.rank(p), graph.properties(p)});
  }
  pools_ = std::move(allowed);
}

AllowedPools::AllowedPools(const AllowedPools& other, std::span<const PoolId> without,
                           const ResourceGraph& graph) {
  auto allowed = other.empty() ? std::make_shared<std::vector<bool>>(graph.pool_count(), true)
                               : std::make_shared<std::vector<bool>>(*other.pools_);
  for (const PoolId p : without) (*allowed)[p.v] = false;
  pools_ = std::move(allowed);
}

}  // namespace copse
