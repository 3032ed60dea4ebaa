// SPDX-License-Identifier: Apache-2.0
//
// SlotPlaces: slots formed somewhere below a pool: at the highest pools that have children of all
// types that the slot lists. These are in disjoint subtrees, so they are independent.
#pragma once

#include <vector>

#include "match/loop_aware/list_placer.hpp"

namespace copse {

class SlotPlaces {
 public:
  explicit SlotPlaces(ListPlacer& placer) : placer_(placer) {}

  // The highest pools below u (kNoPool: the root or below) that a job can reach and that have what
  // the slot lists, best score first. O(pools visited).
  [[nodiscard]] std::vector<PoolId> below(PoolId u, std::uint32_t slot);
  // Forms the demanded number of slots somewhere below a list's pool.
  bool place(const ListAt& list, const Demand& demand, bool record);

 private:
  bool form(PoolId place, std::uint32_t slot, std::int64_t count, std::uint32_t copy, bool record);
  [[nodiscard]] std::int64_t most_at(PoolId place, std::uint32_t slot, std::int64_t most);

  ListPlacer& placer_;
};

}  // namespace copse
