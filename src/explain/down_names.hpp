// SPDX-License-Identifier: Apache-2.0
//
// Names for the pools that are down, so that people know where to look.
#pragma once

#include <span>

#include "copse/explain.hpp"
#include "copse/graph.hpp"

namespace copse {

// Sets Finding::down and Finding::more_down. Of pools below a node the node is named; the same name
// twice in a row counts once. O(pools), and O(kDownNamesMax × log) for the names.
void set_down(const ResourceGraph& graph, std::span<const PoolId> pools, Finding& finding);

}  // namespace copse
