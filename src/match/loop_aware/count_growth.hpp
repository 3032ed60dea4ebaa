// SPDX-License-Identifier: Apache-2.0
//
// CountGrowth: raises counts that are ranges. After a list was placed with minimum counts, each
// count gets what is left, in the order of the request: first the number of slots, then their
// contents, equally for all slots of a level. Greedy: placed pools stay where they are.
#pragma once

#include <unordered_map>
#include <vector>

#include "match/loop_aware/disjoint_subtrees.hpp"
#include "match/loop_aware/list_placer.hpp"

namespace copse {

class CountGrowth {
 public:
  // `first`: index of the first pool that was placed for the list.
  CountGrowth(ListPlacer& placer, const ListAt& list, std::size_t first);

  // Whether some count of the list, or in a slot of it, may grow.
  [[nodiscard]] static bool may_grow(const ListPlacer& placer, const ListAt& list);
  // Adds to the placed pools. Stops at the end of the budget.
  void grow();

 private:
  static constexpr std::uint32_t kNone = Demand::kNone;
  struct Share {
    PoolId at;
    std::uint32_t copy;
    std::int64_t units = 0;
    std::size_t next = 0;  // candidates before it are taken or do not fit
  };

  void undo(std::size_t mark);
  const std::vector<PoolId>& candidates(PoolId at, std::uint32_t n);
  bool reach(Share& share, std::uint32_t n, std::uint32_t slot, std::int64_t units);
  void grow_units(std::uint32_t n, std::uint32_t slot);
  bool form(PoolId place, std::uint32_t n, std::uint32_t copy);
  void grow_slots(std::uint32_t n);

  ListPlacer& placer_;
  const ListAt& list_;
  std::size_t first_;
  DisjointSubtrees taken_;
  std::unordered_map<std::uint64_t, std::vector<PoolId>> candidates_;
};

}  // namespace copse
