// SPDX-License-Identifier: Apache-2.0
//
// Serializer (RFC 4): a subset of pools with their data as JSON text, to send or to keep, and the
// way back to the pools of a graph.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/status.hpp"

namespace copse {

using StatusOf = std::function<Status(PoolId)>;

// Pools with their data as JSON text, in the order given:
//   {"version":1,"pools":[{"uuid":"…","uniq_id":4,"type":"node","basename":"node","name":"node1",
//    "id":1,"size":1,"unit":"","rank":1,"status":"up","properties":{…},"tags":{…},
//    "paths":{"containment":"/cluster0/node1"}}]}
// properties and tags are left out where there are none, status without `status`. Bytes that are
// not UTF-8 come out as U+FFFD. REQUIRES that no pool is given twice, for it to be read again.
// Errors: limit (text beyond kSerializedMax).
// Cost: O(length of the text).
inline constexpr std::size_t kSerializedMax = std::size_t{64} << 20;
[[nodiscard]] Result<std::string> serialize(const ResourceGraph& graph,
                                            std::span<const PoolId> pools,
                                            const StatusOf& status = {});

struct SerializedPool {
  PoolId pool;
  ResourceGraph::Attributes properties, tags;
  std::optional<Status> status;
};

// Finds the pools of a text again, in its order. Each must give its type, and its uniq_id or a path
// to be found by; all that is given of uuid, uniq_id, type and paths must be that pool's. The other
// base data may differ (a node may have got more memory). The graph is not changed.
// `file` is for messages. Errors: invalid (not this JSON; data that disagree; a pool listed twice),
// not_found (no such pool), limit (text beyond kSerializedMax, more than 2^20 properties and tags).
// Sentences name the entry, "pools[3]"; text that is no JSON has its line and column as the place.
// Cost: O(length of the text + pools of the graph); memory: what is returned, 5 bytes a pool of the
// graph, and one entry of the text.
[[nodiscard]] Result<std::vector<SerializedPool>> deserialize(const ResourceGraph& graph,
                                                              std::string_view text,
                                                              std::string_view file = {});

}  // namespace copse
