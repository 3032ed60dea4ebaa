// SPDX-License-Identifier: Apache-2.0
//
// Chooses nodes for promises that are counted: to reserve them in an engine, or to count them in
// other groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "queue/counts/node_counts.hpp"

namespace copse::queue {

struct BusyNode {
  std::uint32_t node = 0;
  std::int64_t until_s = 0;
};

// For each start the nodes that it gets: of each group the lowest ones that are free from then on.
// REQUIRES that starts ascend, and that counts have room for them all next to `busy`.
// O(nodes of all starts · log nodes).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> choose_nodes(
    const NodeGroups& groups, std::span<const BusyNode> busy,
    std::span<const NodeCounts::Start> starts);

}  // namespace copse::queue
