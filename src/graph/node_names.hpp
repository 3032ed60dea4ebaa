// SPDX-License-Identifier: Apache-2.0
//
// Messages about a name that no node has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

// The names of all nodes, in the order of the graph. O(pools).
[[nodiscard]] std::vector<std::string> node_names(const ResourceGraph& graph);

// `the machine has no node "n01"; did you mean "n001"?`; if a pool of another type has the name,
// its path is shown; Slurm's ALL means all nodes. O(pools), for a message.
[[nodiscard]] std::string no_such_node(const ResourceGraph& graph, std::string_view name);

}  // namespace copse
