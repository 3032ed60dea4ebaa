// SPDX-License-Identifier: Apache-2.0
//
// What a graph that changed is built again from.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "copse/graph.hpp"
#include "graph/graph_builder.hpp"

namespace copse {

// Whether attaching brings a type to a pool on the path to the root that has none of it below.
// O(pools + depth × types).
[[nodiscard]] bool widens(const ResourceGraph& graph, PoolId parent,
                          std::span<const NewPool> pools);

// Gives a builder all that is in a graph but the pools `without`, in their order of creation;
// returns their handles by pool number, kNoPool.v of pools that are left out. Errors: limit.
// O(pools + edges).
[[nodiscard]] Result<std::vector<GraphBuilder::Handle>> give_to(
    const ResourceGraph& graph, const std::unordered_set<std::uint32_t>& without,
    GraphBuilder& builder);

// Gives a builder pools that are attached to one that it has. `next_uniq_id`: of those without.
[[nodiscard]] Result<void> give_to(const ResourceGraph& graph, GraphBuilder::Handle parent,
                                   std::span<const NewPool> pools, std::int64_t& next_uniq_id,
                                   GraphBuilder& builder);

}  // namespace copse
