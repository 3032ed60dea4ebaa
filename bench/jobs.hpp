// SPDX-License-Identifier: Apache-2.0
//
// Requests to measure with, as jobspec text.
#pragma once

#include <cstdint>
#include <string>

namespace copse::bench {

inline constexpr std::int64_t kHour_s = 3600;

// node[nodes] > slot[1] > core[cores]: a part of each of some nodes.
[[nodiscard]] std::string cores_in_node(std::int64_t cores, std::int64_t duration_s = kHour_s,
                                        std::int64_t nodes = 1);

// node[1] > slot[1] > core[1], memory[memory].
[[nodiscard]] std::string core_and_memory(std::int64_t memory, std::int64_t duration_s = kHour_s);

// The same for one node, in JSON.
[[nodiscard]] std::string cores_in_node_json(std::int64_t cores, std::int64_t duration_s);

// slot[slots] > node[1] > core[cores]: whole nodes.
[[nodiscard]] std::string whole_nodes(std::int64_t slots, std::int64_t cores,
                                      std::int64_t duration_s = kHour_s);

// node[1] > slot[1] > core[cores], gpu[gpus].
[[nodiscard]] std::string cores_and_gpus(std::int64_t cores, std::int64_t gpus,
                                         std::int64_t duration_s = kHour_s);

// The request of examples/jobspecs/limitations.yaml: in one rack, two nodes with 36 cores, gpus and
// memory, and a node with two pairs of cores.
[[nodiscard]] std::string two_kinds_in_one_rack(std::int64_t duration_s = kHour_s);

// Two siblings without a level above: part of a node with `cores`, part of one with `gpus`.
[[nodiscard]] std::string cores_beside_gpus(std::int64_t cores, std::int64_t gpus,
                                            std::int64_t duration_s = kHour_s);

}  // namespace copse::bench
