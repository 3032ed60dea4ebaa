// SPDX-License-Identifier: Apache-2.0
//
// MultiParentPaths: pools that have several parents in the dominant subsystem. Such a pool is in
// the tree below one of them, and the state knows only the tree. So that no unit is granted twice,
// a walk must check the other paths, too:
//   * an exclusive pool covers everything below it on any path: a pool with several parents is
//       open only if no pool above it, on any path, is allocated exclusively;
//     * a pool may be taken exclusively only if everything below it, on any path, is idle.
//
// Invariants: a pool is entered once between two calls of begin, unless it was left. Nothing is
// kept for graphs without such pools. Size: 8 bytes per edge, 4 per pool.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "copse/graph.hpp"
#include "state/state.hpp"

namespace copse {

class MultiParentPaths {
 public:
  explicit MultiParentPaths(const ResourceGraph& graph);

  [[nodiscard]] bool any() const { return !parents_.empty(); }
  void begin() { ++select_; }
  // Whether a walk may enter p: it has one parent only, or was not entered before.
  [[nodiscard]] bool fresh(PoolId p) const { return entered_.empty() || entered_[p.v] != select_; }
  void enter(PoolId p) {
    if (!entered_.empty() && several(p)) entered_[p.v] = select_;
  }
  void leave(PoolId p) {
    if (!entered_.empty()) entered_[p.v] = 0;
  }
  // Whether p has several parents and, on some path above it, a pool is allocated exclusively at
  // some time of [start, end). A pool with one parent is never covered: a walk that reaches it has
  // checked the parent. O(pools above).
  [[nodiscard]] bool covered(const State& state, PoolId p, std::int64_t start, std::int64_t end);
  // Whether no job uses pools below p by paths other than the tree, nor has pools below p through a
  // pool above them on another path. O(edges below × pools above).
  [[nodiscard]] bool idle(const State& state, PoolId p, std::int64_t start, std::int64_t end);

 private:
  [[nodiscard]] bool several(PoolId p) const;
  void push_once(PoolId p);

  const ResourceGraph& graph_;
  std::vector<std::pair<PoolId, PoolId>> parents_;  // (child, parent) of edges outside the tree
  std::vector<std::uint32_t> entered_, seen_;       // by pool: the select, the search
  std::uint32_t select_ = 0, search_ = 0;
  std::vector<PoolId> pending_, reached_;
};

}  // namespace copse
