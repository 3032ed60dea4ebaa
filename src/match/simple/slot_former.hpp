// SPDX-License-Identifier: Apache-2.0
//
// SlotFormer: forms slots. A slot is not a pool; it is formed at a pool that has children of every
// type that the slot lists. (The reference finds slots several levels above their contents, and
// then loses the pools between.)
//
// A slot that demands a locality domain (NearDomains) is formed at a node, in one domain after the
// other. Parts of the slot that are not in the domain, such as memory, are those of the node.
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
  void form_in_domains(PoolId u, std::uint32_t slot, Score term, std::int64_t wanted);
  void gather_parts(PoolId u, const Level& slot, bool near, Score term, std::int64_t wanted);
  bool add_parts(const Level& slot, bool near, std::size_t& bound);
  void add_part(TypeId type, std::size_t first, std::size_t last);
  void pack(PoolId u, const Level& slot, std::size_t bounds);
  [[nodiscard]] std::int64_t wanted_at(PoolId u, const Level& slot, Wanted wanted) const;

  SimpleWalk& walk_;
  ChildSearch& children_;
  PassThrough& passing_;
  SlotPacker packer_;
  std::vector<std::size_t> bounds_;  // stack: where the groups of each type begin; then the end
};

}  // namespace copse
