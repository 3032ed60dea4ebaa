// SPDX-License-Identifier: Apache-2.0
//
// NestedDemands: places demands of one list whose pools may be at several depths: those of the top
// level, and slots formed somewhere below. Demands that cannot compete are placed separately; a
// slot filled by one pool becomes a demand for such pools; for the rest all combinations are tried
// (DepthSearch).
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "match/loop_aware/list_placer.hpp"

namespace copse {

class NestedDemands {
 public:
  NestedDemands(ListPlacer& placer, const ListAt& list) : placer_(placer), list_(list) {}

  bool place(std::span<const Demand> demands, bool record);

 private:
  [[nodiscard]] bool meet(const Demand& a, const Demand& b) const;
  [[nodiscard]] std::vector<TypeId> types_of(const Demand& demand) const;
  bool place_meeting(const std::vector<Demand>& demands, bool record);
  bool as_one_type(const std::vector<Demand>& demands, std::vector<Demand>& flat);
  bool slot_of_one_pool(Demand& demand);

  ListPlacer& placer_;
  const ListAt& list_;
  std::deque<std::vector<PoolId>> made_;  // storage that demands point to
};

}  // namespace copse
