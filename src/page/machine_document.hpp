// SPDX-License-Identifier: Apache-2.0
//
// The machine of the page: the document "machine" of docs/develop/page.md.
//
// Nodes are the rows of graph/node_rows.hpp, in their order; *frames* are the pools above them. The
// contents of nodes are written once for all equal nodes, so 11,136 equal nodes cost their names.
// O(pools).
#pragma once

#include <functional>
#include <string>

#include "copse/graph.hpp"
#include "graph/node_rows.hpp"

namespace copse {
class Engine;
}

namespace copse::page {

// Pools that are written below nodes, for all kinds of nodes together. Beyond this limit, one pool
// per type is written, with the sum of its amounts.
inline constexpr std::size_t kInsidePoolsMax = 300'000;

void append_machine_document(std::string& out, const ResourceGraph& graph, const NodeRows& rows);

// The document "status": the status of each node, as a letter: u up, g degraded, f failing, d down,
// n unknown. A node below an unusable pool has the status of that pool. Nodes that are drained, and
// not down, are as failing ones: jobs continue there. O(nodes · depth).
void append_status_document(std::string& out, const Engine& engine, const NodeRows& rows,
                            const std::function<bool(PoolId)>& drained = {});

// The document "layers": all layers at a time of the engine, and their reserved amounts from then
// on, at each start or end of a reservation. At most kLayerLooksMax amounts are queried. O(queries
// · log spans).
inline constexpr std::size_t kLayerLooksMax = 200'000;
void append_layers_document(std::string& out, const Engine& engine, std::int64_t at_s);

}  // namespace copse::page
