// SPDX-License-Identifier: Apache-2.0
//
// A pool as the metadata of a JGF node: what the writers of resource sets and of whole graphs
// share.
#pragma once

#include <string>

#include "copse/graph.hpp"

namespace copse {

// Appends "type": …, "paths": {…}: the members that come from the graph, in the order in which
// Fluxion writes them; "exclusive" only where it is true. `drawn`: so much of it was drawn, along
// an auxiliary subsystem; 0: it was not. O(length of the text).
void append_jgf_metadata(const ResourceGraph& graph, PoolId p, bool exclusive, std::string& out,
                         std::int64_t drawn = 0);

}  // namespace copse
