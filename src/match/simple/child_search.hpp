// SPDX-License-Identifier: Apache-2.0
//
// ChildSearch: candidates among the children of a matched pool, best first, until their count is
// covered.
//
// Size: a list of candidates for each pool with more than Exploration::kFew interior children of a
// type, made on first use.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "match/simple/simple_walk.hpp"

namespace copse {

class CandidateVisitor;

class ChildSearch {
 public:
  ChildSearch(SimpleWalk& walk, CandidateVisitor& visitor) : walk_(walk), visitor_(visitor) {}

  // Pushes groups for a level, found among the children of u: in order of preference, until
  // `shares` shares of the level's maximum count are complete.
  void gather(PoolId u, std::uint32_t level, bool exclusive, Score term, std::int64_t shares);
  // Visits the entries of a list in order; `below` is the pool from which the walk came.
  void gather_list(WatchedList& list, std::uint32_t level, bool exclusive, Score term,
                   ShareCount& shares, PoolId below);
  // The interior children of one type, when they are many, in order of preference.
  WatchedList& child_list(PoolId u, TypeId type);

  void clear() { pools_.clear(); }
  void forget_lists() { lists_.clear(); }  // after WatchedLists::clear
  void attached(const GraphChange& change);

 private:
  // The runs of children of one type.
  struct Runs {
    const ChildRun* only = nullptr;  // the last
    std::uint32_t count = 0, children = 0;
    bool leaves = false;
  };
  [[nodiscard]] static std::uint64_t key(PoolId u, TypeId type) {
    return (std::uint64_t{u.v} << 16) | type.v;
  }
  [[nodiscard]] Runs runs_of(PoolId u, TypeId type) const;
  [[nodiscard]] ChildOrder order_of(PoolId u, const Runs& runs) const;
  bool gather_run(PoolId parent, const ChildRun& run, bool backward, std::uint32_t level,
                  Score term);
  bool gather_open(PoolId u, const ChildRun& run, ChildOrder order, std::uint32_t level,
                   bool exclusive, Score term, ShareCount& shares);
  void gather_ordered(PoolId u, const ChildRun& run, bool backward, std::uint32_t level,
                      bool exclusive, Score term, ShareCount& shares);
  bool gather_chosen(PoolId u, std::uint32_t level, bool exclusive, Score term, ShareCount& shares);
  void gather_mixed(PoolId u, std::uint32_t level, bool exclusive, Score term, ShareCount& shares);

  SimpleWalk& walk_;
  CandidateVisitor& visitor_;
  std::vector<PoolId> pools_;                              // stack of sorted children
  std::unordered_map<std::uint64_t, WatchedList*> lists_;  // by key()
};

}  // namespace copse
