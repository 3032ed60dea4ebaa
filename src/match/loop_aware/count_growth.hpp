// SPDX-License-Identifier: Apache-2.0
//
// CountGrowth: counts that may grow. After a list was placed with the least of everything, each
// count gets what is left, in the order of the request: first the number of slots, then what is in
// them, all slots of a level alike. Greedy: what was placed stays where it is.
#pragma once

#include <unordered_map>
#include <vector>

#include "match/loop_aware/disjoint_subtrees.hpp"
#include "match/loop_aware/list_placer.hpp"

namespace copse {

class CountGrowth {
 public:
  // `first`: of what was placed for the list.
  CountGrowth(ListPlacer& placer, const ListAt& list, std::size_t first);

  // Whether some count of the list, or in a slot of it, may grow.
  [[nodiscard]] static bool may_grow(const ListPlacer& placer, const ListAt& list);
  // Adds to what was placed. Ends without harm where the budget ends.
  void grow();

 private:
  static constexpr std::uint32_t kNone = Demand::kNone;
  struct Share {
    PoolId at;
    std::uint32_t copy;
    std::int64_t units = 0;
    std::size_t next = 0;  // candidates before it are taken or do not serve
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
