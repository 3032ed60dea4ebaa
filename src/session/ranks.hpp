// SPDX-License-Identifier: Apache-2.0
//
// Ranks as a session speaks of them.
#pragma once

#include <vector>

#include "base/idset.hpp"
#include "copse/engine.hpp"

namespace copse {

// The ranks on which a grant has something of its own. O(what it has).
[[nodiscard]] Idset ranks_of(const ResourceGraph& graph, const Grant& grant);
// All nodes, and where a rank begins that is no node's. O(pools).
[[nodiscard]] std::vector<PoolId> tops_of_all_ranks(const ResourceGraph& graph);

}  // namespace copse
