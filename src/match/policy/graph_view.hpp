// SPDX-License-Identifier: Apache-2.0
//
// The view of a graph that policies of plugins and of programs read (copse/policy.hpp).
#pragma once

#include "copse/graph.hpp"
#include "copse/policy.hpp"

namespace copse {

// Valid as long as the graph is.
[[nodiscard]] GraphView view_of(const ResourceGraph& graph);

}  // namespace copse
