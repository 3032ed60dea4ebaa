// SPDX-License-Identifier: Apache-2.0
//
// Ranks in requests of a session.
#pragma once

#include <string_view>
#include <vector>

#include "base/idset.hpp"
#include "copse/engine.hpp"

namespace copse {

// The ranks on which a grant has exclusive resources. O(resources of the grant).
[[nodiscard]] Idset ranks_of(const ResourceGraph& graph, const Grant& grant);
// The pools of these ranks (an idset), which the grant of `id` releases. Errors: invalid: no grant
// (nullptr), no ranks, or a rank on which the grant has nothing.
[[nodiscard]] Result<std::vector<PoolId>> pools_to_release(const ResourceGraph& graph,
                                                           const Grant* grant, std::int64_t id,
                                                           std::string_view ranks);
// All nodes, and the topmost pool of each rank that is not a node's. O(pools).
[[nodiscard]] std::vector<PoolId> tops_of_all_ranks(const ResourceGraph& graph);

// The same for "all" or an idset. Errors: invalid.
[[nodiscard]] Result<std::vector<PoolId>> tops_of_text(const ResourceGraph& graph,
                                                       std::string_view ranks);

}  // namespace copse
