// SPDX-License-Identifier: Apache-2.0
//
// A resource graph from GraphML, as write_graphml() writes it: pools with their data, properties and tags,
// and the edges of all subsystems with their relations. (A GRUG recipe is GraphML, too, and describes how to
// make a graph.)
//
// Keys are known by attr.name; data of other keys are skipped. A pool whose path in a subsystem has one
// part is the root of that subsystem. Two opposite edges between two pools are one relation.
//
// Cost: O(length of the text); memory: its tree, up to 150 bytes for each element or attribute.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse {

// Whether a text in GraphML is such a graph, and not a recipe. O(length up to its first node).
[[nodiscard]] bool is_graphml_graph(std::string_view text);

// Errors, with line and column: invalid; limit (pools, edges; more than 16 Mi elements and attributes).
[[nodiscard]] Result<ResourceGraph> read_graphml(std::string_view text, std::string_view file,
                                                 std::string_view dominant = "containment");

}  // namespace copse
