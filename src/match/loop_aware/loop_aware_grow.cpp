// SPDX-License-Identifier: Apache-2.0
//
// Counts that may grow: after a list was placed with the least of everything, each count gets what
// is left, in the order of the request: first the number of slots, then what is in them, all slots
// of a level alike. Greedy: what was placed stays where it is.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "match/loop_aware/loop_aware.hpp"

namespace copse {

class LoopAware::Growth {
 public:
  Growth(LoopAware& walk, const List& list, std::size_t first)
      : walk_(walk), list_(list), first_(first) {
    for (std::size_t i = first; i < walk_.placed_.size(); ++i) take(walk_.placed_[i].pool);
  }

  void run() {
    for (std::uint32_t n = list_.first; n < list_.first + list_.count; ++n) {
      const Level& l = walk_.level(n);
      if (!l.slot) {
        if (l.count.moldable()) grow_units(n, kNone);
        continue;
      }
      if (l.count.moldable()) grow_slots(n);
      for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
        if (walk_.level(c).count.moldable()) grow_units(c, n);
      }
    }
  }

 private:
  struct Share {
    PoolId at;
    std::uint32_t copy;
    std::int64_t units = 0;
    std::size_t next = 0;  // candidates before it are taken or do not serve
  };

  void take(PoolId v) { taken_.emplace(v.v, walk_.graph_.end(v).v); }
  [[nodiscard]] bool apart(PoolId v) const {
    const auto after = taken_.lower_bound(v.v);
    if (after != taken_.end() && after->first < walk_.graph_.end(v).v) return false;
    return after == taken_.begin() || std::prev(after)->second <= v.v;
  }
  void undo(std::size_t mark) {
    for (std::size_t i = mark; i < walk_.placed_.size(); ++i) {
      taken_.erase(walk_.placed_[i].pool.v);
    }
    walk_.placed_.resize(mark);
  }

  const std::vector<PoolId>& candidates(PoolId at, std::uint32_t n) {
    const std::uint64_t key = std::uint64_t{at.v} << 32 | n;
    const auto it = candidates_.find(key);
    if (it != candidates_.end()) return it->second;
    std::vector<PoolId> pools;
    const std::size_t base = walk_.pools_.size();
    const Demand d{n, kNone, 1};
    const Source from = walk_.source({at, 0, 0, 0}, d);
    Cursor cursor;
    for (PoolId v; (v = walk_.next(from, d, cursor)) != kNoPool;) pools.push_back(v);
    walk_.pools_.resize(base);
    return candidates_.emplace(key, std::move(pools)).first->second;
  }

  // Adds pools to a share until it has so many units. What was added stays if they do not suffice.
  bool reach(Share& share, std::uint32_t n, std::uint32_t slot, std::int64_t units) {
    const Demand d{n, slot, 1};
    const Score term = share.at == kNoPool || share.at == list_.at
                           ? list_.term
                           : walk_.probe_.term_below(share.at, walk_.enclosing_term(share.at));
    const List list{share.at, 0, 0, term};
    const std::vector<PoolId>& pools = candidates(share.at, n);
    while (share.units < units && share.next < pools.size() && !walk_.ended_) {
      const PoolId v = pools[share.next++];
      if (!walk_.spend() || !apart(v) || !walk_.serves(list, d, v)) continue;
      share.units += walk_.graph_.size(v);
      take(v);
      walk_.note(list_, d, v, share.copy);
    }
    return share.units >= units;
  }

  // All shares of a level grow to the next count of its range, as long as they can.
  void grow_units(std::uint32_t n, std::uint32_t slot) {
    std::map<std::uint32_t, Share> shares;
    for (std::size_t i = first_; i < walk_.placed_.size(); ++i) {
      const Placed& p = walk_.placed_[i];
      if (p.level != n) continue;
      Share& share = shares.try_emplace(p.copy, Share{p.at, p.copy}).first->second;
      share.units += walk_.graph_.size(p.pool);
    }
    const Count& count = walk_.level(n).count;
    for (;;) {
      std::int64_t least = INT64_MAX;
      for (const auto& [copy, share] : shares) least = std::min(least, share.units);
      const std::int64_t next = count.after(count.effective(least));
      if (next == 0) return;
      const std::size_t mark = walk_.placed_.size();
      for (auto& [copy, share] : shares) {
        if (reach(share, n, slot, next)) continue;
        undo(mark);
        return;
      }
    }
  }

  // One more slot at a place, or nothing.
  bool form(PoolId place, std::uint32_t n, std::uint32_t copy) {
    const Level& l = walk_.level(n);
    const std::size_t mark = walk_.placed_.size();
    for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
      Share share{place, copy};
      if (reach(share, c, n, walk_.level(c).count.min)) continue;
      undo(mark);
      return false;
    }
    return true;
  }

  void grow_slots(std::uint32_t n) {
    const Level& l = walk_.level(n);
    std::vector<PoolId> places{list_.at};
    if (list_.at == kNoPool || !walk_.probe_.resolves(list_.at, l)) {
      places = walk_.places_below(list_.at, n);
    }
    std::size_t at = 0;
    for (std::int64_t now = l.count.min, next; (next = l.count.after(now)) != 0; now = next) {
      const std::size_t mark = walk_.placed_.size();
      for (std::int64_t copy = now; copy < next; ++copy) {
        while (at < places.size() && !walk_.ended_ &&
               !form(places[at], n, static_cast<std::uint32_t>(copy))) {
          ++at;
        }
        if (at < places.size() && !walk_.ended_) continue;
        undo(mark);
        return;
      }
    }
  }

  LoopAware& walk_;
  const List& list_;
  std::size_t first_;
  std::map<std::uint32_t, std::uint32_t> taken_;  // subtrees: begin, end
  std::unordered_map<std::uint64_t, std::vector<PoolId>> candidates_;
};

// Lets the counts of a list grow; placed_[first …) is what was chosen for it. Ends without harm
// where its part of the budget ends.
void LoopAware::grow(const List& list, std::size_t first) {
  bool any = false;
  for (std::uint32_t n = list.first; n < list.first + list.count; ++n) {
    const Level& l = level(n);
    any |= l.count.moldable();
    for (std::uint32_t c = l.first; l.slot && c < l.first + l.children; ++c) {
      any |= level(c).count.moldable();
    }
  }
  if (!any || ended_) return;
  const std::uint64_t pools_max = std::exchange(pools_max_, growth_max_);
  Growth(*this, list, first).run();
  pools_max_ = pools_max;
  ended_ = false;
}

}  // namespace copse
