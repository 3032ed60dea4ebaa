// SPDX-License-Identifier: Apache-2.0
#include "match/simple/top_slot_places.hpp"

#include <algorithm>
#include <cassert>

namespace copse {

// The best score that a slot formed at u can have, on an empty machine.
Score TopSlotPlaces::bound(PoolId u, const Level& slot) const {
  const bool high = walk_.policy.prefer_high;
  const Score term = walk_.eligibility.term_below(u, walk_.eligibility.enclosing_term(u));
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
    // The least and the largest number of groups in a share.
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
    const bool here = walk_.eligibility.resolves(p, slot);
    if (here) add(p);
    return !here && walk_.eligibility.may_hold(p, slot);
  });
}

std::optional<TopSlotPlaces::Leaves> TopSlotPlaces::leaves_of(PoolId u, const Level& slot) const {
  if (slot.children != 1 || slot.domain != 0) return std::nullopt;
  const Level& level = walk_.level(slot.first);
  if (level.filter != 0 || walk_.graph.divisible(level.type)) return std::nullopt;
  const ChildRun* run = nullptr;
  for (const ChildRun& r : walk_.graph.shape(u).runs) {
    if (r.type != level.type) continue;
    if (run != nullptr) return std::nullopt;
    run = &r;
  }
  if (run == nullptr || !run->leaves || run->size <= 0 || level.count.moldable()) {
    return std::nullopt;
  }
  const ChildOrder order = walk_.scores.order(walk_.graph.interior(u), *run);
  if (order == ChildOrder::mixed) return std::nullopt;
  const PoolId first = walk_.graph.children(u)[run->first];
  return Leaves{.first = first,
                .end = PoolId{first.v + run->count},
                .backward = order == ChildOrder::backward,
                // Most leaves have one unit, and a division takes longer than the rest.
                .each = run->size == 1 ? level.count.min : (level.count.min - 1) / run->size + 1,
                .term = walk_.eligibility.term_below(u, walk_.eligibility.enclosing_term(u))};
}

PoolId TopSlotPlaces::take_next(Leaves& leaves) const {
  if (!(leaves.first < leaves.end)) return kNoPool;
  PoolId v = leaves.backward ? PoolId{leaves.end.v - 1} : leaves.first;
  if (walk_.eligibility.view == StateView::now) {
    const ExclusiveSpans& exclusive_spans = walk_.state.exclusive_spans();
    v = leaves.backward ? exclusive_spans.last_inactive(leaves.first, leaves.end)
                        : exclusive_spans.first_inactive(leaves.first, leaves.end);
    if (v == leaves.end) return kNoPool;
  }
  (leaves.backward ? leaves.end : leaves.first) = leaves.backward ? v : PoolId{v.v + 1};
  return v;
}

std::optional<Score> TopSlotPlaces::best_score(const Leaves& leaves, PoolId leaf) const {
  Score score = 0;
  if (__builtin_mul_overflow(walk_.scores.own(leaf) + leaves.term, leaves.each, &score) ||
      __builtin_add_overflow(score, 1, &score)) {
    return std::nullopt;
  }
  return score;
}

// Each slot takes the next leaves in order. So its first leaf bounds its score, and the first slot
// that is not better ends the count.
std::int64_t TopSlotPlaces::better_at(PoolId u, const Level& slot, const Rank& worst) const {
  auto leaves = leaves_of(u, slot);
  if (!leaves) return Count::kUnlimited;
  std::int64_t slots = 0, taken = 0;
  for (PoolId v = take_next(*leaves); v != kNoPool; v = take_next(*leaves)) {
    if (!walk_.eligibility.passable(v) || taken++ % leaves->each != 0) continue;
    const auto score = best_score(*leaves, v);
    if (!score) return Count::kUnlimited;
    if (!before({*score, u}, worst)) break;
    ++slots;
  }
  return slots;
}

// The sum of increasing numbers: it is unchanged only if all of them are. 0: too many.
std::uint64_t TopSlotPlaces::stamp_of(std::span<const Place> places) const {
  constexpr std::uint32_t kMost = 8;  // blocks of stamps
  const std::uint32_t first = walk_.graph.interior(places.front().pool);
  const std::uint32_t last = walk_.graph.interior(places.back().pool);
  if (last < first || last - first > (kMost - 1) * WatchedLists::kStamped) return 0;
  std::uint64_t stamp = 1 + walk_.graph.properties_version();  // scores may read properties
  const WatchedLists& lists = walk_.state.lists();
  const std::uint32_t end = last / WatchedLists::kStamped;
  for (std::uint32_t i = first / WatchedLists::kStamped; i <= end; ++i) {
    stamp += lists.stamp(i * WatchedLists::kStamped);
  }
  return stamp;
}

void TopSlotPlaces::learn(LearnedPlaces::Block& block, std::span<const Place> places,
                          const Level& slot) const {
  block.pool = kNoPool;
  for (const Place& place : places) {
    auto leaves = leaves_of(place.pool, slot);
    Score score = place.bound;
    if (leaves) {
      const PoolId v = take_next(*leaves);
      if (v == kNoPool) continue;
      score = best_score(*leaves, v).value_or(place.bound);
    }
    if (block.pool != kNoPool && !before({score, place.pool}, {block.score, block.pool})) continue;
    block.score = score;
    block.pool = place.pool;
    if (score == place.bound) break;  // the bound of all; later places come after it
  }
}

// Changes are tracked for the present only. Places of equal bounds are in preorder, so those of a
// block are neighbours, and their interior numbers ascend unless the machine has grown.
const LearnedPlaces::Block* TopSlotPlaces::known(std::size_t k, const Level& slot) const {
  LearnedPlaces& learned = *walk_.eligibility.places;
  const Places& places = *learned.places;
  auto& blocks = learned.blocks;
  if (walk_.eligibility.view != StateView::now || places.size() < 2 * kBlock) return nullptr;
  if (!walk_.graph.changes().empty()) return nullptr;
  blocks.resize((places.size() + kBlock - 1) / kBlock);
  const auto here = std::span(places).subspan(k, std::min(kBlock, places.size() - k));
  if (here.front().bound != here.back().bound) return nullptr;
  const std::uint64_t stamp = stamp_of(here);
  if (stamp == 0) return nullptr;
  LearnedPlaces::Block& block = blocks[k / kBlock];
  if (block.stamp != stamp) learn(block, here, slot);
  block.stamp = stamp;
  return &block;
}

bool TopSlotPlaces::may_be_better(std::size_t k, const Level& slot, const Rank& worst) const {
  const LearnedPlaces::Block* block = known(k, slot);
  if (block == nullptr) return true;
  return block->pool != kNoPool && before({block->score, block->pool}, worst);
}

std::optional<TopSlotPlaces::Rank> TopSlotPlaces::best_of_all(const Level& slot) const {
  const Places& places = *walk_.eligibility.places->places;
  std::optional<Rank> best;
  for (std::size_t k = 0; k < places.size(); k += kBlock) {
    if (best && before(*best, {places[k].bound, places[k].pool})) break;
    const LearnedPlaces::Block* block = known(k, slot);
    if (block == nullptr) return std::nullopt;
    if (block->pool == kNoPool) continue;
    const Rank here{block->score, block->pool};
    if (!best || before(here, *best)) best = here;
  }
  return best;
}

TopSlotPlaces::Places TopSlotPlaces::of_nodes(const ChosenNodes& nodes,
                                              std::uint32_t slot_number) const {
  const Level& slot = walk_.level(slot_number);
  Places places;
  PoolId above = kNoPool;
  for (PoolId node : nodes.listed()) {
    if (above != kNoPool && walk_.graph.below(node, above)) continue;
    // A slot is formed at the highest pool that has all.
    above = kNoPool;
    for (PoolId up = walk_.graph.parent(node); up != kNoPool; up = walk_.graph.parent(up)) {
      if (walk_.eligibility.resolves(up, slot)) above = up;
    }
    if (above != kNoPool) {
      places.push_back({bound(above, slot), above});
    } else {
      each_below(node, slot, [&](PoolId p) { places.push_back({bound(p, slot), p}); });
    }
  }
  const auto twice = [](const Place& a, const Place& b) { return a.pool == b.pool; };
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    return before({a.bound, a.pool}, {b.bound, b.pool});
  });
  places.erase(std::unique(places.begin(), places.end(), twice), places.end());
  return places;
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

// If a slot can no longer be formed at a pool, it may be possible further down.
bool TopSlotPlaces::follow_removed(PoolId parent, const Level& slot, const Places& places) const {
  return walk_.graph.removed(parent) || walk_.eligibility.resolves(parent, slot) ||
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
    if (walk_.eligibility.resolves(up, slot)) highest = up;
  }
  const bool compared = !walk_.policy.by_runs && places.size() >= 2;
  if (highest != kNoPool) {
    const auto at = std::find_if(places.begin(), places.end(),
                                 [&](const Place& place) { return place.pool == highest; });
    if (at == places.end()) return false;
    if (compared && highest == change.parent) {  // its bound has changed
      places.erase(at);
      insert(places, highest, slot);
    }
    return true;
  }
  if (places.size() < 2) return false;  // bounds were not needed so far
  // It is contained already if an earlier change attached its parent.
  each_below(change.top, slot, [&](PoolId p) { insert(places, p, slot); });
  return true;
}

const TopSlotPlaces::Places& TopSlotPlaces::of(std::uint32_t slot_number) const {
  const Level& slot = walk_.level(slot_number);
  assert(walk_.eligibility.places != nullptr);
  LearnedPlaces& learned = *walk_.eligibility.places;
  auto& places = learned.places;
  const auto changes = walk_.graph.changes();
  bool known = places.has_value();
  for (std::size_t n = learned.changes_seen; known && n < changes.size(); ++n) {
    known = follow(changes[n], slot, *places);
  }
  if (!known || learned.changes_seen != changes.size()) learned.blocks.clear();
  learned.changes_seen = changes.size();
  if (!known) places = make(slot);
  return *places;
}

}  // namespace copse
