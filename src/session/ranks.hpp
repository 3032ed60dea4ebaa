// SPDX-License-Identifier: Apache-2.0
//
// Ranks as a session speaks of them.
#pragma once

#include <string_view>
#include <vector>

#include "base/idset.hpp"
#include "copse/engine.hpp"

namespace copse {

// The ranks on which a grant has something of its own. O(what it has).
[[nodiscard]] Idset ranks_of(const ResourceGraph& graph, const Grant& grant);
// The pools of these ranks (an idset), to be given back by the grant of `id`; nullptr: it has
// none. Errors: invalid: that; no ranks, or one on which it has nothing.
[[nodiscard]] Result<std::vector<PoolId>> pools_to_give_back(const ResourceGraph& graph,
                                                             const Grant* grant, std::int64_t id,
                                                             std::string_view ranks);
// All nodes, and where a rank begins that is no node's. O(pools).
[[nodiscard]] std::vector<PoolId> tops_of_all_ranks(const ResourceGraph& graph);

// The same of "all" or an idset, as a request has it. Errors: invalid.
[[nodiscard]] Result<std::vector<PoolId>> tops_of_text(const ResourceGraph& graph,
                                                       std::string_view ranks);

}  // namespace copse
