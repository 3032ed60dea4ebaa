// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/slot_places.hpp"

#include <algorithm>

namespace copse {

std::vector<PoolId> SlotPlaces::below(PoolId u, std::uint32_t slot) {
  const ResourceGraph& graph = placer_.graph();
  const Eligibility& eligibility = placer_.eligibility();
  const Level& l = placer_.level(slot);
  std::vector<PoolId> places;
  const std::uint32_t end = u == kNoPool ? graph.tree_count() : graph.end(u).v;
  for (std::uint32_t v = u == kNoPool ? 0 : u.v + 1; v < end;) {
    const PoolId p{v};
    if (graph.leaf(p) || !eligibility.may_hold(p, l)) {
      v = graph.end(p).v;
      continue;
    }
    if (!placer_.budget().spend()) return places;
    const bool here = eligibility.resolves(p, l);
    const bool open = eligibility.open(p);
    if (here && open && eligibility.has_free(p, l.needs)) places.push_back(p);
    v = here || !open ? graph.end(p).v : v + 1;
  }
  placer_.sources().sort(places, true);
  return places;
}

// Forms `count` slots at a place that has what they list, if possible.
bool SlotPlaces::form(PoolId place, std::uint32_t slot, std::int64_t count, std::uint32_t copy,
                      bool record) {
  const Level& l = placer_.level(slot);
  std::vector<Demand> demands;
  for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
    if (placer_.level(c).count.min <= 0) return false;
    demands.push_back({c, slot, count});
  }
  std::vector<Placed>& placed = placer_.placed();
  const std::size_t first = placed.size();
  const ListAt list{place, l.first, l.children, placer_.term_below(place)};
  const bool good = placer_.place_by_type(list, demands, record) && !placer_.budget().ended;
  for (std::size_t i = first; i < placed.size(); ++i) placed[i].copy += copy;
  if (!good) placed.resize(first);
  return good;
}

// The largest number of slots that can be formed there, up to `most` (by bisection: feasibility is
// monotonic).
std::int64_t SlotPlaces::most_at(PoolId place, std::uint32_t slot, std::int64_t most) {
  if (most <= 0 || !form(place, slot, 1, 0, false)) return 0;
  std::int64_t low = 1, high = most;
  for (std::int64_t now = most; low < high && !placer_.budget().ended;
       now = low + (high - low + 1) / 2) {
    if (form(place, slot, now, 0, false)) {
      low = now;
    } else {
      high = now - 1;
    }
  }
  return low;
}

bool SlotPlaces::place(const ListAt& list, const Demand& demand, bool record) {
  const TypeId first_type = placer_.level(placer_.level(demand.level).first).type;
  std::int64_t found = 0;
  for (PoolId place : below(list.at, demand.level)) {
    std::int64_t children = 0;  // at most as many slots as children of any one type
    for (const ChildRun& run : placer_.graph().shape(place).runs) {
      if (run.type == first_type) children += run.count;
    }
    if (placer_.graph().divisible(first_type)) children = demand.shares;
    const std::int64_t here =
        most_at(place, demand.level, std::min(demand.shares - found, children));
    if (record && here > 0 &&
        !form(place, demand.level, here, static_cast<std::uint32_t>(found), true)) {
      return false;
    }
    found += here;
    if (found >= demand.shares || placer_.budget().ended) break;
  }
  return found >= demand.shares;
}

}  // namespace copse
