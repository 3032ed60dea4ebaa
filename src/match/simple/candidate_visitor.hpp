// SPDX-License-Identifier: Apache-2.0
//
// CandidateVisitor: whether one pool may be taken for a vertex of its type, and what is chosen
// below it. A pool that is rejected leaves no trace.
#pragma once

#include <cstdint>
#include <vector>

#include "match/simple/simple_walk.hpp"

namespace copse {

class ChildSearch;
class SlotFormer;

class CandidateVisitor {
 public:
  CandidateVisitor(SimpleWalk& walk, ChildSearch& children, SlotFormer& slots)
      : walk_(walk), children_(children), slots_(slots) {}

  void clear() { bounds_.clear(); }
  // Visits u for a level of its type. `exclusive`: in a slot, or below something exclusive. `term`
  // is added to its score. True: `item` is u, with what was chosen below.
  bool visit(PoolId u, std::uint32_t level, bool exclusive, Score term, ChoiceItem& item);
  // Visits u, and pushes it as a group if it is accepted; returns whether it is.
  bool report(PoolId u, std::uint32_t level, bool exclusive, Score term);
  // The same, and counts it; true if all shares are complete.
  bool gather(PoolId u, std::uint32_t level, bool exclusive, Score term, ShareCount& shares) {
    return report(u, level, exclusive, term) && shares.add(walk_.arena.groups.back().size);
  }
  // Takes the best groups of [first, last), which are in order of preference, until the level's
  // count is covered; whole groups only, but of divisible pools. False if there are not enough.
  bool choose(std::uint32_t level, std::size_t first, std::size_t last);

 private:
  bool take_amounts(PoolId u, std::uint32_t level_number, const Level& level, bool exclusive);
  bool take_layers(PoolId u, const Level& level, bool exclusive);
  bool choose_below(PoolId u, const Level& level, bool exclusive, Score term, ChoiceItem& item);
  bool choose_lists(PoolId u, const Level& level, bool exclusive, Score term, ChoiceItem& item);

  SimpleWalk& walk_;
  ChildSearch& children_;
  SlotFormer& slots_;
  std::vector<std::size_t> bounds_;  // stack: where the groups of each level begin
};

}  // namespace copse
