// SPDX-License-Identifier: Apache-2.0
#include "match/simple/top_level.hpp"

#include <algorithm>
#include <queue>

#include "match/shared/locality_order.hpp"
#include "match/simple/candidate_visitor.hpp"
#include "match/simple/child_search.hpp"
#include "match/simple/pass_through.hpp"
#include "match/simple/slot_former.hpp"

namespace copse {

bool TopLevel::choose(std::size_t& first) {
  ChoiceArena& arena = walk_.arena;
  const std::uint32_t top = walk_.eligibility.request->top;
  if (walk_.policy.first_found) passing_.explore(walk_.graph.root(), 0, top, false, 0);
  ends_.clear();
  for (std::uint32_t n = 0; n < top; ++n) {
    const std::size_t begin = n == 0 ? 0 : ends_.back();
    if (walk_.policy.first_found) {
      gather_first(n, begin);
      continue;
    }
    if (walk_.level(n).slot) {
      gather_slots(n);
    } else {
      gather(n);
    }
    if (walk_.policy.by_runs) {
      sort_by_locality(arena.groups.begin() + static_cast<std::ptrdiff_t>(begin),
                       arena.groups.end(), [](const ChoiceGroup& g) { return g.score; });
    }
    ends_.push_back(arena.groups.size());
  }
  first = arena.chosen.size();
  for (std::uint32_t n = 0; n < top; ++n) {
    if (!visitor_.choose(n, n == 0 ? 0 : ends_[n - 1], ends_[n])) return false;
  }
  return true;
}

// Orders the explored groups of a level: no other level has its type.
void TopLevel::gather_first(std::uint32_t level_number, std::size_t begin) {
  std::vector<ChoiceGroup>& groups = walk_.arena.groups;
  const TypeId type = walk_.level(level_number).type;
  const auto end =
      std::stable_partition(groups.begin() + static_cast<std::ptrdiff_t>(begin), groups.end(),
                            [&](const ChoiceGroup& g) { return g.type == type; });
  ends_.push_back(static_cast<std::size_t>(end - groups.begin()));
  walk_.sort_groups(begin, ends_.back());
}

const TopLevel::Frontier& TopLevel::frontier(std::uint32_t level_number) {
  Key key;
  key.reserve(walk_.eligibility.request->top + 1);
  for (std::uint32_t n = 0; n < walk_.eligibility.request->top; ++n) {
    key.push_back(walk_.level(n).type.v);
  }
  std::sort(key.begin(), key.end());
  key.push_back(walk_.level(level_number).type.v);
  auto it = frontiers_.find(key);
  if (it == frontiers_.end()) it = frontiers_.emplace(key, make_frontier(key)).first;
  return it->second;
}

TopLevel::Frontier TopLevel::make_frontier(const Key& key) {
  const ResourceGraph& graph = walk_.graph;
  const TypeId type{static_cast<std::uint16_t>(key.back())};
  Frontier made;
  bool interior = true, one_parent = true;
  graph.preorder(graph.root(), [&](PoolId p) {
    const bool wanted = std::binary_search(key.begin(), key.end() - 1, graph.type(p).v);
    if (wanted && graph.type(p) == type) {
      interior &= !graph.leaf(p);
      one_parent &= made.pools.empty() || graph.parent(p) == graph.parent(made.pools[0]);
      made.pools.push_back(p);
    }
    return !wanted && !graph.leaf(p) && graph.shape(p).total(type) > 0;
  });
  const bool listed = interior && made.pools.size() > Exploration::kFew;
  if (listed && one_parent && !walk_.policy.by_runs && !walk_.scores.node_centric()) {
    made.one_parent = graph.parent(made.pools[0]);
    made.list = &children_.child_list(made.one_parent, type);
  } else {
    if (!walk_.policy.by_runs) walk_.sort_by_preference(made.pools);
    if (listed) made.list = &walk_.state.lists().add(made.pools);
  }
  if (made.list != nullptr) made.pools = {};
  return made;
}

// If the walk is restricted to some nodes, candidates are these, or the pools above them. False if
// the level's pools are below nodes.
bool TopLevel::gather_chosen(std::uint32_t level) {
  const ChosenNodes* const nodes = walk_.eligibility.nodes;
  if (nodes == nullptr || walk_.eligibility.request->top != 1) return false;
  const ResourceGraph& graph = walk_.graph;
  const TypeId type = walk_.level(level).type;
  std::vector<PoolId> pools;
  for (PoolId node : nodes->listed()) {
    PoolId highest = kNoPool;
    for (PoolId up = node; up != kNoPool; up = graph.parent(up)) {
      if (graph.type(up) == type) highest = up;
    }
    if (highest == kNoPool) return false;
    if (pools.empty() || pools.back() != highest) pools.push_back(highest);
  }
  std::sort(pools.begin(), pools.end(), [&](PoolId a, PoolId b) { return graph.before(a, b); });
  pools.erase(std::unique(pools.begin(), pools.end()), pools.end());
  walk_.sort_by_preference(pools);
  ShareCount shares{walk_.level(level).most, 1};
  for (PoolId p : pools) {
    if (!walk_.eligibility.path_open(p, graph.root())) continue;
    if (visitor_.gather(p, level, false, walk_.eligibility.enclosing_term(p), shares)) break;
  }
  return true;
}

void TopLevel::gather(std::uint32_t level) {
  if (gather_chosen(level)) return;
  const Frontier& places = frontier(level);
  const PoolId root = walk_.graph.root();
  ShareCount shares{walk_.policy.by_runs ? INT64_MAX : walk_.level(level).most, 1,
                    walk_.graph.divisible(walk_.level(level).type)};
  // If bounds know which children are open, the others are not visited.
  if (places.one_parent != kNoPool && walk_.eligibility.bounds != nullptr) {
    const PoolId parent = places.one_parent;
    if (!walk_.eligibility.open(parent) || !walk_.eligibility.path_open(parent, root)) return;
    children_.gather(parent, level, false, 0, 1);
    return;
  }
  if (places.list != nullptr) {
    children_.gather_list(*places.list, level, false, 0, shares, root);
    return;
  }
  for (PoolId p : places.pools) {
    if (!walk_.eligibility.path_open(p, root)) continue;
    if (visitor_.gather(p, level, false, walk_.eligibility.enclosing_term(p), shares)) break;
  }
}

// Forms the only requested slot where the best one is expected; false if it is worse than expected,
// so that all places must be compared. If layers, channels or remarks depend on the order of
// visits, all places are visited.
bool TopLevel::gather_best_slot(std::uint32_t slot_number) {
  const Level& slot = walk_.level(slot_number);
  if (slot.most != 1 || walk_.policy.slots_reversed || walk_.eligibility.availability != nullptr)
    return false;
  if (walk_.level(slot.first).exclusive == Exclusivity::no) return false;
  const auto best = places_.best_of_all(slot);
  if (!best || !walk_.eligibility.path_open(best->pool, walk_.graph.root())) return false;
  const SimpleWalk::Marks marks = walk_.marks();
  const std::vector<ChoiceGroup>& groups = walk_.arena.groups;
  const std::size_t first = groups.size();
  slots_.form_at(best->pool, slot_number, walk_.eligibility.enclosing_term(best->pool),
                 {.better = 1});
  if (groups.size() == first + 1 && groups[first].score == best->score) return true;
  walk_.rewind(marks);
  return false;
}

// Slots of different pools are compared by score. Pools are visited in the order of a bound on it;
// once the worst of the needed slots is better than the next bound, no later slot can replace it.
// At each pool only slots that can replace another are formed: most pools have none, once their
// best leaves are taken.
void TopLevel::gather_slots(std::uint32_t slot_number) {
  const Level& slot = walk_.level(slot_number);
  if (slot.most == 0) return;
  const bool by_runs = walk_.policy.by_runs;
  std::vector<ChoiceGroup>& groups = walk_.arena.groups;
  using Rank = TopSlotPlaces::Rank;
  const auto before = [&](const Rank& a, const Rank& b) { return places_.before(a, b); };
  std::priority_queue<Rank, std::vector<Rank>, decltype(before)> best(before);  // worst on top
  const bool bounded = !by_runs && slot.most <= 4096;
  const std::size_t first = groups.size();
  const StartBounds* const bounds = walk_.eligibility.bounds;
  const ChosenNodes* const nodes = walk_.eligibility.nodes;
  const TopSlotPlaces::Places few =
      nodes != nullptr ? places_.of_nodes(*nodes, slot_number) : TopSlotPlaces::Places();
  const TopSlotPlaces::Places& places = nodes != nullptr ? few : places_.of(slot_number);
  if (bounded && nodes == nullptr && gather_best_slot(slot_number)) return;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const TopSlotPlaces::Place& place = places[k];
    std::int64_t better = Count::kUnlimited;
    if (bounded && static_cast<std::int64_t>(best.size()) >= slot.most) {
      if (before(best.top(), {place.bound, place.pool})) break;
      const bool begins = nodes == nullptr && k % TopSlotPlaces::kBlock == 0;
      if (begins && !places_.may_be_better(k, slot, best.top())) {
        k += TopSlotPlaces::kBlock - 1;
        continue;
      }
      better = places_.better_at(place.pool, slot, best.top());
      if (better == 0) continue;
    }
    if (bounds != nullptr && bounds->known(place.pool, slot_number) == StartBounds::Known::closed) {
      continue;
    }
    if (!walk_.eligibility.path_open(place.pool, walk_.graph.root())) continue;
    const std::size_t found = groups.size();
    slots_.form_at(place.pool, slot_number, walk_.eligibility.enclosing_term(place.pool),
                   {.all = by_runs, .better = better});
    if (!bounded || k + 1 == places.size()) continue;  // there is nothing to compare with
    for (std::size_t g = found; g < groups.size(); ++g) {
      best.push({groups[g].score, PoolId{groups[g].place}});
      if (static_cast<std::int64_t>(best.size()) > slot.most) best.pop();
    }
  }
  if (by_runs) return;
  const auto better = [&](const ChoiceGroup& a, const ChoiceGroup& b) {
    return before({a.score, PoolId{a.place}}, {b.score, PoolId{b.place}});
  };
  const auto begin = groups.begin() + static_cast<std::ptrdiff_t>(first);
  if (!std::is_sorted(begin, groups.end(), better)) std::stable_sort(begin, groups.end(), better);
}

// Merges sorted pools into sorted pools; each element moves once.
template <class Before>
static void insert_all(std::vector<PoolId>& pools, std::span<const PoolId> came, Before before) {
  auto end = static_cast<std::ptrdiff_t>(pools.size());  // those before it do not move
  pools.resize(pools.size() + came.size());
  for (std::size_t left = came.size(); left > 0; --left) {
    const PoolId p = came[left - 1];
    const auto at = std::upper_bound(pools.begin(), pools.begin() + end, p, before) - pools.begin();
    std::move_backward(pools.begin() + at, pools.begin() + end,
                       pools.begin() + end + static_cast<std::ptrdiff_t>(left));
    pools[static_cast<std::size_t>(at) + left - 1] = p;
    end = at;
  }
}

// Adds the pools of a new subtree; false if the frontier must be rebuilt.
bool TopLevel::add_to_frontier(const Key& key, Frontier& places, PoolId top) {
  const ResourceGraph& graph = walk_.graph;
  const TypeId type{static_cast<std::uint16_t>(key.back())};
  auto wanted = [&](PoolId p) {
    return std::find(key.begin(), key.end() - 1, graph.type(p).v) != key.end() - 1;
  };
  for (PoolId up = graph.parent(top); up != kNoPool; up = graph.parent(up)) {
    if (wanted(up)) return true;  // pools below it do not count
  }
  auto before = [&](PoolId a, PoolId b) {
    const Score of_a = walk_.policy.by_runs ? 0 : walk_.full_score(a);
    const Score of_b = walk_.policy.by_runs ? 0 : walk_.full_score(b);
    return of_a != of_b ? walk_.scores.better(of_a, of_b) : graph.before(a, b);
  };
  bool good = true;
  std::vector<PoolId> came;
  graph.preorder(top, [&](PoolId p) {
    if (!wanted(p)) return true;
    if (graph.type(p) != type) return false;
    if (places.list == nullptr) {
      came.push_back(p);
    } else if (graph.leaf(p) ||
               (places.one_parent != kNoPool && places.one_parent != graph.parent(p))) {
      good = false;
    } else if (places.one_parent == kNoPool) {
      walk_.state.lists().insert(*places.list, p, [&](PoolId a) { return before(a, p); });
    }  // else the list of the children has it already
    return false;
  });
  std::stable_sort(came.begin(), came.end(), before);
  insert_all(places.pools, came, before);
  return good;
}

void TopLevel::attached(PoolId top) {
  for (auto it = frontiers_.begin(); it != frontiers_.end();) {
    it = add_to_frontier(it->first, it->second, top) ? std::next(it) : frontiers_.erase(it);
  }
}

}  // namespace copse
