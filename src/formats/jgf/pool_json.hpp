// SPDX-License-Identifier: Apache-2.0
//
// What a pool has, as one JSON object (RFC 4, *Resource Pool Data Model*):
//   {"path", "type", "basename", "name", "id"?, "uuid", "size", "unit"?, "rank"?, "status", "properties",
//    "tags", "subsystems": {name: path}}
#pragma once

#include <string>

#include "copse/graph.hpp"
#include "copse/status.hpp"

namespace copse {

// O(depth + properties + tags).
void append_pool_json(std::string& out, const ResourceGraph& graph, PoolId pool, Status status);

}  // namespace copse
