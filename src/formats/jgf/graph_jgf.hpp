// SPDX-License-Identifier: Apache-2.0
//
// A whole graph as JGF, so that read_jgf() makes the same graph of it: all pools in order of
// creation, the edges of all subsystems, properties, units and status.
//
// The outer id of a pool is its order of creation; "uniq_id" is written if it is another number.
// "status" is that of the graph when it was built, and written only if it is down.
//
// What JGF cannot say is lost: relations of edges ("contains" / "in" when read again), tags, and
// which of several parents in one subsystem was joined last, where that is not the dominant one
// (the path is kept all the same).
#pragma once

#include <string>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/graph_text.hpp"

namespace copse {

// Errors: io (the sink refused a piece).
// Cost: O(pools · depth + edges) time; memory: 4 bytes a pool and 64 KiB.
[[nodiscard]] Result<void> write_jgf(const ResourceGraph& graph, const TextSink& sink);
// The same, appended to a string.
[[nodiscard]] Result<void> write_jgf(const ResourceGraph& graph, std::string& out);

}  // namespace copse
