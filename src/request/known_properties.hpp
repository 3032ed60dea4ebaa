// SPDX-License-Identifier: Apache-2.0
//
// The properties and hosts that a constraint wants, and those that the nodes of a machine have.
#pragma once

#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse {

// A sentence for each property that the constraint wants and no node has, the nearest one named:
// `no node has the property "fastt"; did you mean "fast"?`. What it wants absent ("^gpu", "not") is
// left out. The same for each hostlist of which there is no node. O(pools), if there is a constraint.
[[nodiscard]] std::vector<std::string> unknown_properties(const ResourceGraph& graph,
                                                          const Constraint& constraint);

}  // namespace copse
