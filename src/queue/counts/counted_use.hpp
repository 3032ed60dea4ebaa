// SPDX-License-Identifier: Apache-2.0
//
// What a job takes of groups of nodes and of layers: as its request needs it, and as it has it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "queue/counts/node_groups.hpp"

namespace copse::queue {

// What a request takes, for these groups.
struct CountedNeed {
  std::int64_t nodes = 0;
  std::uint32_t set = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> amounts{};  // by resource
};

// What a job has of each group and layer.
struct CountedUse {
  // By number: groups, then layers. Empty if `nodes` is all (NodeGroups::is_one).
  std::vector<std::pair<std::uint32_t, std::int64_t>> parts{};
  std::int64_t nodes = 0;
  std::uint32_t set = NodeGroups::kNone;  // of a promise: that of its request
  [[nodiscard]] bool runs() const { return set == NodeGroups::kNone; }
  bool operator==(const CountedUse&) const = default;
};

// The use of a promise that is to have these nodes. O(nodes + groups · layers).
[[nodiscard]] CountedUse promised_use(const NodeGroups& groups,
                                      const std::vector<std::uint32_t>& nodes,
                                      const CountedNeed& need);
// The use of a running job that has these nodes, with what it charges.
[[nodiscard]] CountedUse running_use(const NodeGroups& groups,
                                     const std::vector<std::uint32_t>& nodes,
                                     std::span<const LayerCharge> charges);

}  // namespace copse::queue
