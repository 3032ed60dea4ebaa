// SPDX-License-Identifier: Apache-2.0
//
// PassThrough: walks down through levels that a request does not name: to its top level under the
// policy `first`, and to slots below a matched pool.
#pragma once

#include <cstdint>

#include "match/simple/simple_walk.hpp"

namespace copse {

class CandidateVisitor;
class SlotFormer;

class PassThrough {
 public:
  PassThrough(SimpleWalk& walk, CandidateVisitor& visitor, SlotFormer& slots)
      : walk_(walk), visitor_(visitor), slots_(slots) {}

  // Under `first`: pushes the groups that v, or pools below it, have for levels [first, first +
  // count).
  void explore(PoolId v, std::uint32_t first, std::uint32_t count, bool exclusive, Score term);
  // Pushes slots formed at the highest pools below u that have what the slot lists.
  void find_slots(PoolId u, std::uint32_t slot, bool exclusive, Score term);

 private:
  void explore_children(PoolId u, std::uint32_t first, std::uint32_t count, bool exclusive,
                        Score term);

  SimpleWalk& walk_;
  CandidateVisitor& visitor_;
  SlotFormer& slots_;
};

}  // namespace copse
