// SPDX-License-Identifier: Apache-2.0
//
// NestedDemands: demands of one list whose pools may lie at several depths: those of the top level,
// and slots that are formed somewhere below. Demands that cannot meet are placed apart; a slot
// filled by one pool is a demand for such pools; what is left is tried in all ways (DepthSearch).
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
  std::deque<std::vector<PoolId>> made_;  // what demands point to
};

}  // namespace copse
