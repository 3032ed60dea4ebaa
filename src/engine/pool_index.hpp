// SPDX-License-Identifier: Apache-2.0
//
// PoolIndex: pools by uniq_id. Made on first use, it follows what is attached and removed; a graph
// that was built again wants a new one. 4 bytes per pool, or 40 where uniq_ids are far apart.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

using PoolMarks = std::unordered_set<std::uint32_t>;  // pools of one graph, by number

class PoolIndex {
 public:
  // kNoPool if no pool of the machine has it. The same graph each time. O(1), the first time
  // O(pools).
  [[nodiscard]] PoolId find(const ResourceGraph& graph, std::int64_t uniq_id);

 private:
  void add(const ResourceGraph& graph, PoolId pool);

  std::uint32_t seen_ = 0;                           // pools that are in it
  std::vector<PoolId> dense_;                        // by uniq_id
  std::unordered_map<std::int64_t, PoolId> sparse_;  // those that are too large for that
};

}  // namespace copse
