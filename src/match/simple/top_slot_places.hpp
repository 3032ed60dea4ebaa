// SPDX-License-Identifier: Apache-2.0
//
// TopSlotPlaces: the pools where a slot of the top level can be formed, best bound on its score
// first. They are kept in the compiled request and follow changes of the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "match/simple/simple_walk.hpp"

namespace copse {

class TopSlotPlaces {
 public:
  using Place = CompiledRequest::SlotPlace;
  using Places = std::vector<Place>;

  explicit TopSlotPlaces(const SimpleWalk& walk) : walk_(walk) {}

  // O(pools) the first time, then what changes cost.
  [[nodiscard]] const Places& of(std::uint32_t slot) const;

 private:
  [[nodiscard]] Places make(const Level& slot) const;
  // Follow a change; false: the places must be made anew.
  [[nodiscard]] bool follow(const GraphChange& change, const Level& slot, Places& places) const;
  [[nodiscard]] bool follow_removed(PoolId parent, const Level& slot, const Places& places) const;
  template <class Add>
  void each_below(PoolId top, const Level& slot, Add add) const;
  [[nodiscard]] Score bound(PoolId u, const Level& slot) const;
  // Inserts it in order, unless it is there.
  void insert(Places& places, PoolId pool, const Level& slot) const;

  const SimpleWalk& walk_;
};

}  // namespace copse
