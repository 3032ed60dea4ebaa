// SPDX-License-Identifier: Apache-2.0
//
// A machine as the page has it: the document "machine" of docs/develop/page.md.
//
// Nodes are the rows of plan/node_rows.hpp, in their order; *frames* are the pools above them. What is
// below a node is written once for all nodes that have the same, so that 11,136 equal nodes cost
// their names. O(pools).
#pragma once

#include <string>

#include "copse/graph.hpp"
#include "copse/status.hpp"
#include "plan/node_rows.hpp"

namespace copse {
class Engine;
}

namespace copse::page {

// Pools that are written below nodes, all kinds of nodes together. What exceeds it is written as
// one pool for each type, with the sum of its amounts.
inline constexpr std::size_t kInsidePoolsMax = 300'000;

void append_machine_document(std::string& out, const ResourceGraph& graph,
                             const plan::NodeRows& rows);

// The document "status": the state word of each node, as a letter: u up, g degraded, f failing,
// d down, n unknown. A node below a pool that is not usable is as that pool is. O(nodes · depth).
void append_status_document(std::string& out, const Engine& engine, const plan::NodeRows& rows);

// The document "layers": all at a time of the engine, and what is kept from then on: at each time at
// which a reservation starts or ends, as far as there are at most so many looks at a layer.
// O(looks · log spans).
inline constexpr std::size_t kLayerLooksMax = 200'000;
void append_layers_document(std::string& out, const Engine& engine, std::int64_t at_s);

}  // namespace copse::page
