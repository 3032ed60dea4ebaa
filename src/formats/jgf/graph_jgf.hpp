// SPDX-License-Identifier: Apache-2.0
//
// A whole graph as JGF, or a part of it, so that read_jgf() makes the same graph of it (RFC 4,
// *Serializer*): pools in order of creation, the edges of all subsystems with their relations,
// properties, tags, units and status.
//
// The outer id of a pool is its order of creation; "uniq_id" is written if it is another number.
// "status" is that of the graph when it was built, and written only if it is down.
//
// What JGF cannot say is lost: which of several parents in one subsystem was joined last, where that is
// not the dominant one (the path is kept all the same).
#pragma once

#include <span>
#include <string>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/graph_text.hpp"

namespace copse {

// Errors: io (the sink refused a piece).
// Cost: O(pools · depth + edges) time; memory: 4 bytes a pool and 64 KiB.
[[nodiscard]] Result<void> write_jgf(const ResourceGraph& graph, const TextSink& sink);
// These pools, with the pools above them in each subsystem up to its root, and all edges between them.
// Cost: O(pools · depth + edges of the graph · log edges); memory: 8 bytes an edge.
[[nodiscard]] Result<void> write_jgf(const ResourceGraph& graph, std::span<const PoolId> pools,
                                     const TextSink& sink);
// The same, appended to a string.
[[nodiscard]] Result<void> write_jgf(const ResourceGraph& graph, std::string& out);

}  // namespace copse
