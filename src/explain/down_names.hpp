// SPDX-License-Identifier: Apache-2.0
//
// Names of the pools that are down, for messages.
#pragma once

#include <span>

#include "copse/explain.hpp"
#include "copse/graph.hpp"

namespace copse {

// Sets Finding::down and Finding::more_down. Pools below a node are named by the node; repeated
// names in a row count once. O(pools), and O(kDownNamesMax × log) for the names.
void set_down(const ResourceGraph& graph, std::span<const PoolId> pools, Finding& finding);

}  // namespace copse
