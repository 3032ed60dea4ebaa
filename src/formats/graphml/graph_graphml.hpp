// SPDX-License-Identifier: Apache-2.0
//
// A resource graph as GraphML (graphml.graphdrawing.org): every pool and edge of the chosen
// subsystems with its data. This is the graph itself; a GRUG recipe, which is GraphML as well,
// describes how to make one.
//
// Node n<number>: type, basename, name, id, size, unit, rank, uniq_id and, for each chosen
// subsystem that it is in, the path ("path" + place of the subsystem; attr.name "path:SUBSYSTEM");
// properties and tags ("property" or "tag" and a number; attr.name "property:KEY" or "tag:KEY").
// What says nothing is left out: an id or rank of -1, an empty unit, size 1 (the key's default).
// Edge, directed from parent to child: subsystem, relation, reverse. graphml_read.hpp reads it again.
#pragma once

#include <span>
#include <string>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/graph_text.hpp"

namespace copse {

// Writes pools in the order of their numbers, then edges subsystem by subsystem in edge order.
// Bytes that are not UTF-8, and characters that XML 1.0 does not allow, become U+FFFD.
// Errors: not_found (a subsystem), io (the sink refused a piece).
// Cost: O(pools · depth + edges) time; memory: one byte a pool and 64 KiB.
[[nodiscard]] Result<void> write_graphml(const ResourceGraph& graph,
                                         std::span<const SubsystemId> subsystems,
                                         const TextSink& sink);
// The same, appended to a string.
[[nodiscard]] inline Result<void> write_graphml(const ResourceGraph& graph,
                                                std::span<const SubsystemId> subsystems,
                                                std::string& out) {
  return write_graphml(graph, subsystems, sink_into(out));
}

}  // namespace copse
