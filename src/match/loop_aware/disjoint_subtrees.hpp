// SPDX-License-Identifier: Apache-2.0
//
// DisjointSubtrees: a set of pools; none is below another. Each operation O(log pools).
#pragma once

#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>

#include "copse/graph.hpp"

namespace copse {

class DisjointSubtrees {
 public:
  explicit DisjointSubtrees(const ResourceGraph& graph) : graph_(graph) {}

  // Whether no pool of the set is v, above v or below v.
  [[nodiscard]] bool apart(PoolId v) const {
    const auto after = ends_.lower_bound(v.v);
    if (after != ends_.end() && after->first < graph_.end(v).v) return false;
    return after == ends_.begin() || std::prev(after)->second <= v.v;
  }
  // REQUIRES apart(v).
  void add(PoolId v) {
    assert(apart(v));
    ends_.emplace(v.v, graph_.end(v).v);
  }
  void remove(PoolId v) { ends_.erase(v.v); }

 private:
  const ResourceGraph& graph_;
  std::map<std::uint32_t, std::uint32_t> ends_;  // by the pool's number
};

}  // namespace copse
