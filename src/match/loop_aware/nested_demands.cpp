// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/nested_demands.hpp"

#include <algorithm>

#include "match/loop_aware/depth_search.hpp"
#include "match/loop_aware/slot_places.hpp"

namespace copse {

std::vector<TypeId> NestedDemands::types_of(const Demand& demand) const {
  const Level& l = placer_.level(demand.level);
  if (!l.slot) return {l.type};
  std::vector<TypeId> out;
  for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
    out.push_back(placer_.level(c).type);
  }
  return out;
}

bool NestedDemands::meet(const Demand& a, const Demand& b) const {
  const PoolTypes& types = placer_.types();
  for (TypeId x : types_of(a)) {
    for (TypeId y : types_of(b)) {
      if (x == y || types.nests(x, y) || types.nests(y, x)) return true;
    }
  }
  return false;
}

// Splits the demands into parts that cannot compete for pools.
bool NestedDemands::place(std::span<const Demand> demands, bool record) {
  std::vector<Demand> all(demands.begin(), demands.end());
  while (!all.empty()) {
    std::vector<Demand> part{all.front()};
    all.erase(all.begin());
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (std::size_t k = 0; k < all.size();) {
        if (!placer_.budget().spend()) return false;  // quadratic in the request
        if (meet(part[i], all[k])) {
          part.push_back(all[k]);
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
        } else {
          ++k;
        }
      }
    }
    if (!place_meeting(part, record)) return false;
  }
  return true;
}

// Converts a slot that one pool fills into a demand for such pools, wherever it can be formed.
// False if it is not such a slot.
bool NestedDemands::slot_of_one_pool(Demand& d) {
  const Level& slot = placer_.level(d.level);
  const Level& in = placer_.level(slot.first);
  if (slot.children != 1 || in.count.min <= 0 || in.count.min > placer_.types().size(in.type)) {
    return false;
  }
  std::vector<PoolId>& places = made_.emplace_back(SlotPlaces(placer_).below(list_.at, d.level));
  std::vector<PoolId>& pools = made_.emplace_back();
  std::sort(places.begin(), places.end());
  for (PoolId place : places) {
    for (PoolId c : placer_.graph().children(place)) {
      if (placer_.graph().type(c) == in.type && placer_.budget().spend()) pools.push_back(c);
    }
  }
  placer_.sources().sort(pools, true);
  d = {slot.first, d.level, d.shares, &pools, &places};
  return true;
}

// Whether all demands, slots of one pool among them, are for pools of one type that do not nest.
bool NestedDemands::as_one_type(const std::vector<Demand>& demands, std::vector<Demand>& flat) {
  flat = demands;
  bool one_type = true;
  for (Demand& d : flat) {
    if (placer_.level(d.level).slot) one_type &= slot_of_one_pool(d);
    one_type &= placer_.level(d.level).type == placer_.level(flat[0].level).type;
  }
  const TypeId type = placer_.level(flat[0].level).type;
  return one_type && !placer_.types().nests(type, type);
}

bool NestedDemands::place_meeting(const std::vector<Demand>& demands, bool record) {
  auto is_slot = [&](const Demand& d) { return placer_.level(d.level).slot; };
  auto place_alone = [&](const Demand& d, bool note) {
    return is_slot(d) ? SlotPlaces(placer_).place(list_, d, note)
                      : placer_.place_one(list_, d, note);
  };
  if (demands.size() == 1 && is_slot(demands[0])) return place_alone(demands[0], record);
  std::vector<Demand> flat;
  if (as_one_type(demands, flat)) return placer_.place_by_type(list_, flat, record);
  if (list_.at != kNoPool && std::ranges::none_of(demands, is_slot)) {
    return placer_.place_by_type(list_, demands, record);
  }
  // A demand that cannot be placed alone cannot be placed with others.
  for (const Demand& d : demands) {
    if (!place_alone(d, false)) return false;
  }
  return DepthSearch(placer_, list_).place(demands, record);
}

}  // namespace copse
