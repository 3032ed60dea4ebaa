// SPDX-License-Identifier: Apache-2.0
//
// PoolIndex: pools by uniq_id. It is built on first use, and includes attached pools. A rebuilt
// graph needs a new one. 4 bytes per pool, or 40 if uniq_ids are sparse.
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
  // kNoPool if no pool of the machine has it. REQUIRES the same graph in each call. O(1), the first
  // time O(pools).
  [[nodiscard]] PoolId find(const ResourceGraph& graph, std::int64_t uniq_id);

 private:
  void add(const ResourceGraph& graph, PoolId pool);

  std::uint32_t seen_ = 0;                           // number of indexed pools
  std::vector<PoolId> dense_;                        // by uniq_id
  std::unordered_map<std::int64_t, PoolId> sparse_;  // uniq_ids that are too large for dense_
};

}  // namespace copse
