// SPDX-License-Identifier: Apache-2.0
#include "match/simple/top_slot_places.hpp"

#include <algorithm>

namespace copse {

// The best score that a slot formed at u can have, on an empty machine.
Score TopSlotPlaces::bound(PoolId u, const Level& slot) const {
  const bool high = walk_.policy.prefer_high;
  const Score term = walk_.asked.term_below(u, walk_.asked.enclosing_term(u));
  Score bound = 1;
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    const Level& level = walk_.level(c);
    Score best = 0;
    std::int64_t children = 0, largest = 0;
    for (PoolId v : walk_.graph.children(u)) {
      if (walk_.graph.type(v) != level.type || walk_.graph.size(v) <= 0) continue;
      const Score score = walk_.scores.own(v) + term;
      if (score <= 0) continue;
      if (children++ == 0 || walk_.scores.better(score, best)) best = score;
      largest = std::max(largest, walk_.graph.size(v));
    }
    if (children == 0) return high ? INT64_MIN : INT64_MAX;  // no slot here
    // At least so many groups make a share, and at most so many.
    const std::int64_t fewest =
        std::max<std::int64_t>(1, (level.count.min + largest - 1) / largest);
    const std::int64_t groups = high ? std::min(children, level.most) : fewest;
    Score part = 0;
    if (__builtin_mul_overflow(groups, best, &part) ||
        __builtin_add_overflow(bound, part, &bound)) {
      return high ? INT64_MAX : INT64_MIN;
    }
  }
  return bound;
}

template <class Add>
void TopSlotPlaces::each_below(PoolId top, const Level& slot, Add add) const {
  walk_.graph.preorder(top, [&](PoolId p) {
    const bool here = walk_.asked.resolves(p, slot);
    if (here) add(p);
    return !here && walk_.asked.may_hold(p, slot);
  });
}

TopSlotPlaces::Places TopSlotPlaces::make(const Level& slot) const {
  Places places;
  each_below(walk_.graph.root(), slot, [&](PoolId p) { places.push_back({0, p}); });
  if (walk_.policy.by_runs || places.size() < 2) return places;  // nothing to compare
  for (Place& place : places) place.bound = bound(place.pool, slot);
  std::stable_sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    return walk_.scores.better(a.bound, b.bound);
  });
  return places;
}

void TopSlotPlaces::insert(Places& places, PoolId pool, const Level& slot) const {
  const Place place{walk_.policy.by_runs ? 0 : bound(pool, slot), pool};
  const auto at =
      std::lower_bound(places.begin(), places.end(), place, [&](const Place& a, const Place& b) {
        return a.bound != b.bound ? walk_.scores.better(a.bound, b.bound)
                                  : walk_.graph.before(a.pool, b.pool);
      });
  if (at == places.end() || at->pool != pool) places.insert(at, place);
}

// Where a slot no longer is, one may be further down.
bool TopSlotPlaces::follow_removed(PoolId parent, const Level& slot, const Places& places) const {
  return walk_.graph.removed(parent) || walk_.asked.resolves(parent, slot) ||
         std::none_of(places.begin(), places.end(),
                      [&](const Place& place) { return place.pool == parent; });
}

bool TopSlotPlaces::follow(const GraphChange& change, const Level& slot, Places& places) const {
  if (change.kind == GraphChange::Kind::removed) {
    return follow_removed(change.parent, slot, places);
  }
  // A slot is formed at the highest pool that has all.
  PoolId highest = kNoPool;
  for (PoolId up = change.parent; up != kNoPool; up = walk_.graph.parent(up)) {
    if (walk_.asked.resolves(up, slot)) highest = up;
  }
  const bool compared = !walk_.policy.by_runs && places.size() >= 2;
  if (highest != kNoPool) {
    const auto at = std::find_if(places.begin(), places.end(),
                                 [&](const Place& place) { return place.pool == highest; });
    if (at == places.end()) return false;
    if (compared && highest == change.parent) {  // its bound is another now
      places.erase(at);
      insert(places, highest, slot);
    }
    return true;
  }
  if (places.size() < 2) return false;  // perhaps only now; bounds were not needed so far
  // It is there already if an earlier of these changes brought what it was attached to.
  each_below(change.top, slot, [&](PoolId p) { insert(places, p, slot); });
  return true;
}

const TopSlotPlaces::Places& TopSlotPlaces::of(std::uint32_t slot_number) const {
  const CompiledRequest& request = *walk_.asked.request;
  const Level& slot = request.levels[slot_number];
  auto& places = request.slot_places;
  const auto changes = walk_.graph.changes();
  bool known = places.has_value();
  for (std::size_t n = request.slot_places_seen; known && n < changes.size(); ++n) {
    known = follow(changes[n], slot, *places);
  }
  request.slot_places_seen = changes.size();
  if (!known) places = make(slot);
  return *places;
}

}  // namespace copse
