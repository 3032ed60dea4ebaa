// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/loop_aware_traverser.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "match/loop_aware/disjoint_subtrees.hpp"
#include "match/loop_aware/slot_places.hpp"

namespace copse {

namespace {

// CountGrowth: raises counts that are ranges. After a list was placed with minimum counts, each
// count gets what is left, in the order of the request: first the number of slots, then their
// contents, equally for all slots of a level. Greedy: placed pools stay where they are.
class CountGrowth {
 public:
  // `first`: index of the first pool that was placed for the list.
  CountGrowth(ListPlacer& placer, const ListAt& list, std::size_t first);

  // Whether some count of the list, or in a slot of it, may grow.
  [[nodiscard]] static bool may_grow(const ListPlacer& placer, const ListAt& list);
  // Adds to the placed pools. Stops at the end of the budget.
  void grow();

 private:
  static constexpr std::uint32_t kNone = Demand::kNone;
  struct Share {
    PoolId at;
    std::uint32_t copy;
    std::int64_t units = 0;
    std::size_t next = 0;  // candidates before it are taken or do not fit
  };

  void take(const Placed& placed);
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
  std::unordered_map<std::uint32_t, std::int64_t> units_;  // taken, by divisible pool
  std::unordered_map<std::uint64_t, std::vector<PoolId>> candidates_;
};

CountGrowth::CountGrowth(ListPlacer& placer, const ListAt& list, std::size_t first)
    : placer_(placer), list_(list), first_(first), taken_(placer.graph()) {
  for (std::size_t i = first; i < placer.placed().size(); ++i) take(placer.placed()[i]);
}

void CountGrowth::take(const Placed& placed) {
  if (placer_.graph().divisible(placed.pool)) {
    units_[placed.pool.v] += placed.units;
  } else {
    taken_.add(placed.pool);
  }
}

bool CountGrowth::may_grow(const ListPlacer& placer, const ListAt& list) {
  for (std::uint32_t n = list.first; n < list.first + list.count; ++n) {
    const Level& l = placer.level(n);
    if (l.count.moldable()) return true;
    for (std::uint32_t c = l.first; l.slot && c < l.first + l.children; ++c) {
      if (placer.level(c).count.moldable()) return true;
    }
  }
  return false;
}

void CountGrowth::grow() {
  for (std::uint32_t n = list_.first; n < list_.first + list_.count; ++n) {
    const Level& l = placer_.level(n);
    if (!l.slot) {
      if (l.count.moldable()) grow_units(n, kNone);
      continue;
    }
    if (l.count.moldable()) grow_slots(n);
    for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
      if (placer_.level(c).count.moldable()) grow_units(c, n);
    }
  }
}

void CountGrowth::undo(std::size_t mark) {
  for (std::size_t i = mark; i < placer_.placed().size(); ++i) {
    const Placed& placed = placer_.placed()[i];
    if (placer_.graph().divisible(placed.pool)) {
      units_[placed.pool.v] -= placed.units;
    } else {
      taken_.remove(placed.pool);
    }
  }
  placer_.placed().resize(mark);
}

const std::vector<PoolId>& CountGrowth::candidates(PoolId at, std::uint32_t n) {
  const auto [known, fresh] = candidates_.try_emplace(std::uint64_t{at.v} << 32 | n);
  std::vector<PoolId>& pools = known->second;
  if (!fresh) return pools;
  const std::size_t mark = placer_.sources().mark();
  const Demand d{n, kNone, 1};
  const CandidateSources::Source from = placer_.source(at, d);
  CandidateSources::Cursor cursor;
  for (PoolId v; (v = placer_.next(from, d, cursor)) != kNoPool;) pools.push_back(v);
  placer_.sources().rewind(mark);
  return pools;
}

// Adds pools to a share until it has `units`. Added pools stay if they are not enough.
bool CountGrowth::reach(Share& share, std::uint32_t n, std::uint32_t slot, std::int64_t units) {
  const Demand d{n, slot, 1};
  const Score term =
      share.at == kNoPool || share.at == list_.at ? list_.term : placer_.term_below(share.at);
  const ListAt list{share.at, 0, 0, term};
  const std::vector<PoolId>& pools = candidates(share.at, n);
  while (share.units < units && share.next < pools.size() && !placer_.budget().ended) {
    const PoolId v = pools[share.next];
    const bool divided = placer_.graph().divisible(v);
    if (!placer_.budget().spend() || (!divided && !taken_.apart(v)) ||
        !placer_.serves(list, d, v)) {
      ++share.next;
      continue;
    }
    std::int64_t some = placer_.graph().size(v);
    if (divided) {
      const std::int64_t left = placer_.eligibility().units_of(v) - units_[v.v];
      some = std::min(left, units - share.units);
      if (some == left) ++share.next;
      if (some <= 0) continue;
    } else {
      ++share.next;
    }
    share.units += some;
    placer_.note(list_, d, v, share.copy, some);
    take(placer_.placed().back());
  }
  return share.units >= units;
}

// All shares of a level grow to the next count of its range, as long as they can.
void CountGrowth::grow_units(std::uint32_t n, std::uint32_t slot) {
  std::map<std::uint32_t, Share> shares;
  for (std::size_t i = first_; i < placer_.placed().size(); ++i) {
    const Placed& p = placer_.placed()[i];
    if (p.level != n) continue;
    Share& share = shares.try_emplace(p.copy, Share{p.at, p.copy}).first->second;
    share.units += p.units;
  }
  const Count& count = placer_.level(n).count;
  for (;;) {
    std::int64_t least = INT64_MAX;
    for (const auto& [copy, share] : shares) least = std::min(least, share.units);
    const std::int64_t next = count.after(count.effective(least));
    if (next == 0) return;
    const std::size_t mark = placer_.placed().size();
    for (auto& [copy, share] : shares) {
      if (reach(share, n, slot, next)) continue;
      undo(mark);
      return;
    }
  }
}

// Forms one more slot at a place, if possible.
bool CountGrowth::form(PoolId place, std::uint32_t n, std::uint32_t copy) {
  const Level& l = placer_.level(n);
  const std::size_t mark = placer_.placed().size();
  for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
    Share share{place, copy};
    if (reach(share, c, n, placer_.level(c).count.min)) continue;
    undo(mark);
    return false;
  }
  return true;
}

void CountGrowth::grow_slots(std::uint32_t n) {
  const Level& l = placer_.level(n);
  std::vector<PoolId> places{list_.at};
  if (list_.at == kNoPool || !placer_.eligibility().resolves(list_.at, l)) {
    places = SlotPlaces(placer_).below(list_.at, n);
  }
  std::size_t at = 0;
  for (std::int64_t now = l.count.min, next; (next = l.count.after(now)) != 0; now = next) {
    const std::size_t mark = placer_.placed().size();
    for (std::int64_t copy = now; copy < next; ++copy) {
      while (at < places.size() && !placer_.budget().ended &&
             !form(places[at], n, static_cast<std::uint32_t>(copy))) {
        ++at;
      }
      if (at < places.size() && !placer_.budget().ended) continue;
      undo(mark);
      return;
    }
  }
}

}  // namespace

// The simple walk takes whole pools in order, counts at their maximum, and at the top level only
// the highest pools of all requested types. If sizes are equal, counts are fixed and no siblings
// compete, it misses nothing.
bool LoopAwareTraverser::may_help(const CompiledRequest& request) const {
  if (!request.impossible.empty()) return false;
  if (!request.clash.empty() || request.top > 1) return true;
  const PoolTypes& types = placer_.types();
  for (const Level& l : request.levels) {
    const bool sizes = !l.slot && types.differ(l.type) && !placer_.graph().divisible(l.type);
    if (l.count.moldable() || sizes) return true;
  }
  const Level& top = request.levels[0];
  return !top.slot && types.nests(top.type, top.type);
}

// Raises the counts of a list, whose pools were placed from `first` on. Its visits have a separate
// bound.
void LoopAwareTraverser::grow(const ListAt& list, std::size_t first, std::uint64_t visits_max) {
  VisitBudget& budget = placer_.budget();
  if (budget.ended || !CountGrowth::may_grow(placer_, list)) return;
  const std::uint64_t most = std::exchange(budget.most, visits_max);
  CountGrowth(placer_, list, first).grow();
  budget.most = most;
  budget.ended = false;
}

// Places every list below the placed pools, from the top on; placed() is the work list.
void LoopAwareTraverser::place_below(std::uint64_t growth_max) {
  for (std::size_t i = 0; i < placer_.placed().size() && !placer_.budget().ended; ++i) {
    const Placed p = placer_.placed()[i];
    const Level& l = placer_.level(p.level);
    if (l.children == 0) continue;
    const ListAt list{p.pool, l.first, l.children,
                      placer_.eligibility().term_below(p.pool, p.term)};
    const std::size_t first = placer_.placed().size();
    if (!placer_.place(list, true)) return;  // it fits, so only the budget can end it
    grow(list, first, growth_max);
    count_slots(first);
  }
}

// The pools placed from `first` on are those of one list: a slot is a level of it and a copy.
void LoopAwareTraverser::count_slots(std::size_t first) {
  slot_copies_.clear();
  for (std::size_t i = first; i < placer_.placed().size(); ++i) {
    const Placed& p = placer_.placed()[i];
    if (p.slot != Demand::kNone) slot_copies_.emplace_back(p.slot, p.copy);
  }
  std::ranges::sort(slot_copies_);
  const auto twice = std::ranges::unique(slot_copies_);
  slots_ += std::ranges::distance(slot_copies_.begin(), twice.begin());
}

void LoopAwareTraverser::write(Selection& out) {
  picked_.clear();
  charged_.clear();
  for (const Placed& p : placer_.placed()) {
    const Level& l = placer_.level(p.level);
    if (placer_.graph().divisible(p.pool)) {
      picked_.add_units(p.pool, l.label, placer_.exclusive(p.level), p.units);
    } else {
      picked_.add(placer_.graph(), p.pool, l.label, placer_.exclusive(p.level));
    }
    if (!l.charges.empty()) charged_.push_back({p.pool, p.level, l.charges});
  }
  picked_.finish(placer_.eligibility(), out);
}

LoopAwareTraverser::Answer LoopAwareTraverser::select(const CompiledRequest& request,
                                                      StateView view, std::int64_t start,
                                                      std::int64_t end, std::uint64_t visits_max,
                                                      Selection& out) {
  out.clear();
  visits_max = std::min<std::uint64_t>(visits_max, UINT64_MAX / 4);
  placer_.begin(request, view, start, end, visits_max);
  VisitBudget& budget = placer_.budget();
  if (!placer_.eligibility().open(placer_.graph().root())) return {};
  const ListAt top{kNoPool, 0, request.top, 0};
  if (!placer_.place(top, true))
    return {budget.ended ? Outcome::limit_reached : Outcome::no, budget.visits};
  // Recording takes no more visits than finding; the rest is for raising counts.
  budget.most = 3 * visits_max;
  grow(top, 0, 2 * visits_max);
  slots_ = 0;
  count_slots(0);
  place_below(2 * visits_max);
  if (budget.ended) return {Outcome::limit_reached, budget.visits};
  write(out);
  return {Outcome::yes, budget.visits, slots_};
}

}  // namespace copse
