// SPDX-License-Identifier: Apache-2.0
//
// A resource graph as a picture: text for Graphviz's dot.
//
// Pools are boxes, "node3", with "×4 GB" below the name where the size is not 1; an arrow is an
// edge from a parent to its child. Each subsystem has a colour, that of its arrows and of the pools
// that it is the first to contain; the title says which, and how its edges read ("contains / in").
//
// For programs, all data is included as well. A pool: pool_type, pool_basename, pool_id,
// pool_size, pool_unit, pool_rank, pool_uniq_id and path_SUBSYSTEM for each chosen subsystem that
// it is in (names of their own: Graphviz gives `id`, `size` and `rank` a meaning). An edge:
// subsystem, relation, reverse; they are in the `edge [...]` line above it, written once for all
// following edges with the same ones.
#pragma once

#include <span>
#include <string>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/graph_text.hpp"

namespace copse {

// Writes the pools and edges of the chosen subsystems: pools in the order of their numbers, edges
// subsystem by subsystem in edge order. Bytes that are not UTF-8, and control characters, become
// U+FFFD. Errors: not_found (a subsystem), io (the sink refused a piece).
// Cost: O(pools · depth + edges) time; memory: one byte a pool and 64 KiB.
[[nodiscard]] Result<void> write_dot(const ResourceGraph& graph,
                                     std::span<const SubsystemId> subsystems, const TextSink& sink);
// The same, appended to a string.
[[nodiscard]] inline Result<void> write_dot(const ResourceGraph& graph,
                                            std::span<const SubsystemId> subsystems,
                                            std::string& out) {
  return write_dot(graph, subsystems, sink_into(out));
}

}  // namespace copse
