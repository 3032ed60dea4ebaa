// SPDX-License-Identifier: Apache-2.0
//
// SlotFormer: forms slots. A slot is not a pool; it is formed at a pool that has children of every
// type that the slot lists. (The reference finds slots several levels above their contents, and
// then loses the pools between.)
#pragma once

#include <cstdint>
#include <vector>

#include "match/shared/slot_packer.hpp"
#include "match/simple/simple_walk.hpp"

namespace copse {

class ChildSearch;
class PassThrough;

class SlotFormer {
 public:
  SlotFormer(SimpleWalk& walk, ChildSearch& children, PassThrough& passing)
      : walk_(walk), children_(children), passing_(passing), packer_(walk.arena) {}

  void clear() { bounds_.clear(); }
  // Pushes the slots of a matched pool u as groups, in order of preference: formed at u, or else at
  // the highest pools below it that have what the slot lists.
  void gather(PoolId u, std::uint32_t slot, bool exclusive, Score term);
  struct Wanted {
    bool all = false;                         // slots of several pools are compared
    std::int64_t better = Count::kUnlimited;  // more than the first `better` slots are not needed
  };
  // Pushes slots formed at u, if a job may pass there.
  void form_at(PoolId u, std::uint32_t slot, Score term, Wanted wanted);

 private:
  void form(PoolId u, std::uint32_t slot, Score term, std::int64_t wanted);
  void pack(PoolId u, const Level& slot, std::size_t bounds);
  [[nodiscard]] std::int64_t wanted_at(PoolId u, const Level& slot, Wanted wanted) const;

  SimpleWalk& walk_;
  ChildSearch& children_;
  PassThrough& passing_;
  SlotPacker packer_;
  std::vector<std::size_t> bounds_;  // stack: where the groups of each type begin; then the end
};

}  // namespace copse
