// SPDX-License-Identifier: Apache-2.0
//
// Placing one list: its vertices as demands, those that cannot meet apart from each other, siblings
// of one type together.
#include <algorithm>

#include "match/loop_aware/loop_aware.hpp"

namespace copse {

void LoopAware::note(const List& list, const Demand& demand, PoolId pool, std::uint32_t copy) {
  const PoolId at = list.at == kNoPool && demand.slot == kNone ? kNoPool : graph_.parent(pool);
  placed_.push_back({pool, demand.level, demand.slot, at, copy, term_at(list, pool)});
}

// Pushes what the list demands. `deep`: pools of several depths may be meant. False if some count
// can never be covered.
bool LoopAware::demand(const List& list, bool& deep) {
  deep = list.at == kNoPool;
  for (std::uint32_t n = list.first; n < list.first + list.count; ++n) {
    const Level& l = level(n);
    if (l.count.min <= 0) return false;
    if (!l.slot) {
      demands_.push_back({n, kNone, 1});
    } else if (list.at != kNoPool && probe_.resolves(list.at, l)) {
      for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
        if (level(c).count.min <= 0) return false;
        demands_.push_back({c, n, l.count.min});
      }
    } else {
      deep = true;
      demands_.push_back({n, kNone, l.count.min});
    }
  }
  return true;
}

// Places a list; if `record`, notes what was chosen, else only says whether it can be.
bool LoopAware::place(const List& list, bool record) {
  const std::size_t base = demands_.size(), placed = placed_.size();
  if (list.count > kFew) visits_ += list.count;  // so long a list is work of its own
  bool several_depths = false;
  bool good = demand(list, several_depths);
  if (good && demands_.size() == base + 1 && level(demands_[base].level).slot) {
    good = slots_below(list, Demand(demands_[base]), record);
  } else if (good) {
    good = several_depths ? deep(list, base, record) : by_type(list, base, record);
  }
  demands_.resize(base);
  if (!good) placed_.resize(placed);
  return good && !ended_;
}

// Demands of different types do not meet: their pools lie in disjoint subtrees. Works on
// demands_[base …); that stack may move while pools are looked into.
bool LoopAware::by_type(const List& list, std::size_t base, bool record) {
  auto type = [&](const Demand& d) { return level(d.level).type; };
  std::sort(demands_.begin() + static_cast<std::ptrdiff_t>(base), demands_.end(),
            [&](const Demand& a, const Demand& b) {
              return std::pair{type(a), a.level} < std::pair{type(b), b.level};
            });
  const std::size_t last = demands_.size();
  for (std::size_t i = base; i < last;) {
    std::size_t end = i + 1;
    while (end < last && type(demands_[end]) == type(demands_[i])) ++end;
    const bool good =
        end == i + 1 ? one(list, Demand(demands_[i]), record)
                     : together(list,
                                std::vector(demands_.begin() + static_cast<std::ptrdiff_t>(i),
                                            demands_.begin() + static_cast<std::ptrdiff_t>(end)),
                                record);
    if (!good) return false;
    i = end;
  }
  return true;
}

// A demand without competitors takes what serves it, in order.
bool LoopAware::one(const List& list, const Demand& demand, bool record) {
  const std::size_t pools = pools_.size();
  const Source from = source(list, demand);
  const std::int64_t units = level(demand.level).count.min;
  if (demand.shares > 1 && from.size <= 0) {
    pools_.resize(pools);
    return together(list, {demand}, record);
  }
  const std::int64_t each = from.size > 0 ? (units - 1) / from.size + 1 : 0;  // pools of a share
  std::int64_t share = 0, have = 0, taken = 0;
  if (demand.shares <= static_cast<std::int64_t>(from.count)) {
    Cursor cursor;
    while (share < demand.shares && !ended_) {
      const PoolId v = next(from, demand, cursor);
      if (v == kNoPool) break;
      if (!serves(list, demand, v)) continue;
      if (record) note(list, demand, v, static_cast<std::uint32_t>(share));
      have += graph_.size(v);
      if (each > 0 ? ++taken < each : have < units) continue;
      taken = have = 0;
      ++share;
    }
  }
  pools_.resize(pools);
  return share == demand.shares;
}

// Demands that compete for pools of one type.
bool LoopAware::together(const List& list, const std::vector<Demand>& demands, bool record) {
  const std::size_t pools = pools_.size();
  std::vector<Source> sources;
  sources.reserve(demands.size());
  std::int64_t size = 0;
  for (const Demand& d : demands) {
    // Siblings look at the same pools.
    const bool same = !sources.empty() && d.among == nullptr && demands[0].among == nullptr;
    sources.push_back(same ? sources[0] : source(list, d));
    const std::int64_t here = sources.back().size;
    size = size == 0 || size == here ? here : -1;
  }
  const bool good = size > 0 ? match(list, demands, sources, size, record)
                             : pack(list, demands, sources[0], record);
  pools_.resize(pools);
  return good;
}

}  // namespace copse
