// SPDX-License-Identifier: Apache-2.0
//
// Pools and edges as JGF has them: what the writers of resource sets and of whole graphs share.
#pragma once

#include <cstdint>

#include "copse/graph.hpp"
#include "text/json_writer.hpp"

namespace copse {

struct JgfAmounts {
  std::int64_t drawn = 0;  // along an auxiliary subsystem; 0: none
  std::int64_t units = 0;  // of a divisible pool; 0: all
};
// Writes the members "type" to "paths" that come from the graph, in Fluxion's order; "exclusive" and
// "divisible" only where they are true. O(length of the text).
void write_jgf_metadata(JsonWriter& json, const ResourceGraph& graph, PoolId p, bool exclusive,
                        const JgfAmounts& amounts = {});

// Writes an edge between two outer ids; the subsystem is written if it is not containment.
// `relations`: its relation and the reverse, written as "name" and "reverse" unless they are
// "contains" and "in", which a reader assumes.
struct JgfRelations {
  std::string_view relation = "contains", reverse = "in";
};
void write_jgf_edge(JsonWriter& json, std::int64_t from, std::int64_t to,
                    const std::string& subsystem, const JgfRelations& relations = {});

}  // namespace copse
