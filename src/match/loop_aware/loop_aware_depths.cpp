// SPDX-License-Identifier: Apache-2.0
//
// Lists whose pools may lie at several depths: slots that are formed somewhere below, and the top
// level. Demands that cannot meet are placed apart; a single slot takes what each place has; the
// rest is tried in all ways: exponential at worst, each step a look.
#include <algorithm>
#include <iterator>
#include <map>

#include "match/loop_aware/loop_aware.hpp"

namespace copse {

// The highest pools below u (kNoPool: the root or below) that a job reaches and that have what the
// slot lists, best score first. O(pools on the way).
std::vector<PoolId> LoopAware::places_below(PoolId u, std::uint32_t slot) {
  std::vector<PoolId> places;
  const Level& l = level(slot);
  const std::uint32_t end = u == kNoPool ? graph_.tree_count() : graph_.end(u).v;
  for (std::uint32_t v = u == kNoPool ? 0 : u.v + 1; v < end;) {
    const PoolId p{v};
    const bool may = !graph_.leaf(p) && probe_.may_hold(p, l);
    if (!may) {
      v = graph_.end(p).v;
      continue;
    }
    if (!spend()) return places;
    const bool here = probe_.resolves(p, l);
    const bool open = probe_.open(p);
    if (here && open && probe_.offers(p, l.needs)) places.push_back(p);
    v = here || !open ? graph_.end(p).v : v + 1;
  }
  sort(places, 0, true);
  return places;
}

// Whether so many slots can be formed at a place that has what they list.
bool LoopAware::slots_at(PoolId place, std::uint32_t slot, std::int64_t count, std::uint32_t copy,
                         bool record) {
  const Level& l = level(slot);
  const std::size_t base = demands_.size(), placed = placed_.size();
  bool good = true;
  for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
    good &= level(c).count.min > 0;
    demands_.push_back({c, slot, count});
  }
  const Score term = probe_.term_below(place, enclosing_term(place));
  good = good && by_type({place, l.first, l.children, term}, base, record) && !ended_;
  demands_.resize(base);
  for (std::size_t i = placed; i < placed_.size(); ++i) placed_[i].copy += copy;
  if (!good) placed_.resize(placed);
  return good;
}

// The most slots that can be formed there, up to `most`: more slots never make fewer possible.
std::int64_t LoopAware::slots_at(PoolId place, std::uint32_t slot, std::int64_t most) {
  if (most <= 0 || !slots_at(place, slot, 1, 0, false)) return 0;
  std::int64_t low = 1, high = most;
  for (std::int64_t try_now = most; low < high && !ended_; try_now = low + (high - low + 1) / 2) {
    if (slots_at(place, slot, try_now, 0, false)) {
      low = try_now;
    } else {
      high = try_now - 1;
    }
  }
  return low;
}

// A slot that is formed below: the places lie in disjoint subtrees, so that each gives what it has.
bool LoopAware::slots_below(const List& list, const Demand& demand, bool record) {
  std::int64_t found = 0;
  for (PoolId place : places_below(list.at, demand.level)) {
    std::int64_t here = 0;
    // No more than there are children of any one type.
    std::int64_t most = demand.shares - found;
    for (const ChildRun& run : graph_.shape(place).runs) {
      if (run.type == level(level(demand.level).first).type) here += run.count;
    }
    here = slots_at(place, demand.level, std::min(most, here));
    if (record && here > 0 &&
        !slots_at(place, demand.level, here, static_cast<std::uint32_t>(found), true)) {
      return false;
    }
    found += here;
    if (found >= demand.shares || ended_) break;
  }
  return found >= demand.shares;
}

// Splits demands_[base …) into parts that cannot meet.
bool LoopAware::deep(const List& list, std::size_t base, bool record) {
  std::vector<Demand> all(demands_.begin() + static_cast<std::ptrdiff_t>(base), demands_.end());
  auto types = [&](const Demand& d) {
    std::vector<TypeId> out;
    const Level& l = level(d.level);
    if (!l.slot) out.push_back(l.type);
    for (std::uint32_t c = l.first; l.slot && c < l.first + l.children; ++c) {
      out.push_back(level(c).type);
    }
    return out;
  };
  auto meet = [&](const Demand& a, const Demand& b) {
    for (TypeId x : types(a)) {
      for (TypeId y : types(b)) {
        if (x == y || nests(x, y) || nests(y, x)) return true;
      }
    }
    return false;
  };
  while (!all.empty()) {
    std::vector<Demand> part{all.front()};
    all.erase(all.begin());
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (std::size_t k = 0; k < all.size();) {
        if (!spend()) return false;  // the comparisons are quadratic in the request
        if (meet(part[i], all[k])) {
          part.push_back(all[k]);
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
        } else {
          ++k;
        }
      }
    }
    if (!component(list, std::move(part), record)) return false;
  }
  return true;
}

// Every combination of pools in disjoint subtrees, in order.
class LoopAware::Depths {
 public:
  Depths(LoopAware& walk, const List& list) : walk_(walk), list_(list) {}

  bool run(const std::vector<Demand>& demands) {
    for (const Demand& d : demands) {
      const Level& l = walk_.level(d.level);
      if (d.shares > walk_.graph_.tree_count()) return false;  // each takes a pool at least
      if (steps_.size() + static_cast<std::size_t>(d.shares) * (l.slot ? l.children + 1u : 1u) >
          kDepthMax) {
        walk_.ended_ = true;
        return false;
      }
      add_steps(d);
    }
    picked_.resize(steps_.size(), 0);
    first_.resize(steps_.size(), 0);
    return go(0, 0, 0);
  }

  void note() {
    for (const auto& [step, pool] : chosen_) {
      const Step& s = steps_[step];
      walk_.note(list_, {s.level, s.slot, 1}, pool, s.copy);
    }
  }

 private:
  struct Step {
    std::uint32_t level;
    std::uint32_t slot;  // kNone, or the level of the slot that it is in
    std::uint32_t copy;
    std::uint32_t place;   // the step that picks where its slot is formed; kNone: at the list's
    std::uint32_t before;  // the same step of the copy before; kNone
  };

  // Copies of a slot are alike: they are put in the order of their places and of the first pool.
  void add_steps(const Demand& d) {
    const Level& l = walk_.level(d.level);
    std::uint32_t before = kNone;
    for (std::uint32_t copy = 0; copy < d.shares; ++copy) {
      const auto here = static_cast<std::uint32_t>(steps_.size());
      if (!l.slot) {
        steps_.push_back({d.level, d.slot, copy, kNone, before});
      } else {
        places_.try_emplace(d.level, walk_.places_below(list_.at, d.level));
        steps_.push_back({d.level, kNone, copy, kNone, before});
        for (std::uint32_t c = l.first; c < l.first + l.children; ++c) {
          const bool first = c == l.first && before != kNone;
          steps_.push_back({c, d.level, copy, here, first ? before + 1 : kNone});
        }
      }
      before = here;
    }
  }

  // Candidates of a step, in order.
  const std::vector<PoolId>& candidates(const Step& s) {
    const PoolId at = place(s);
    const std::uint64_t key = std::uint64_t{at.v} << 32 | s.level;
    const auto it = candidates_.find(key);
    if (it != candidates_.end()) return it->second;
    std::vector<PoolId> pools;
    const std::size_t base = walk_.pools_.size();
    const Demand d{s.level, s.slot, 1};
    const Source from = walk_.source({at, 0, 0, 0}, d);
    Cursor cursor;
    for (PoolId v; (v = walk_.next(from, d, cursor)) != kNoPool;) {
      if (walk_.ended_) break;
      if (walk_.serves({at, 0, 0, term(at)}, d, v)) pools.push_back(v);
    }
    walk_.pools_.resize(base);
    return candidates_.emplace(key, std::move(pools)).first->second;
  }
  [[nodiscard]] PoolId place(const Step& s) const {
    if (s.place == kNone) return list_.at;
    return places_.at(s.slot)[picked_[s.place]];
  }
  [[nodiscard]] Score term(PoolId at) const {
    if (at == list_.at) return list_.term;
    return walk_.probe_.term_below(at, walk_.enclosing_term(at));
  }

  // Whether nothing chosen is v, above or below it.
  [[nodiscard]] bool apart(PoolId v) const {
    const auto after = taken_.lower_bound(v.v);
    if (after != taken_.end() && after->first < walk_.graph_.end(v).v) return false;
    return after == taken_.begin() || std::prev(after)->second <= v.v;
  }

  // Goes on with step n, of which `have` units are there, from candidate `from` on.
  bool go(std::uint32_t n, std::uint32_t from, std::int64_t have) {
    if (n == steps_.size()) return true;
    if (depth_ >= kDepthMax) walk_.ended_ = true;
    if (!walk_.spend()) return false;
    ++depth_;
    const bool good = walk_.level(steps_[n].level).slot ? pick(n) : choose(n, from, have);
    --depth_;
    return good;
  }

  bool pick(std::uint32_t n) {
    const Step& s = steps_[n];
    const auto places = static_cast<std::uint32_t>(places_.at(s.level).size());
    for (std::uint32_t i = s.before == kNone ? 0 : picked_[s.before]; i < places; ++i) {
      picked_[n] = i;
      if (go(n + 1, 0, 0)) return true;
      if (walk_.ended_) return false;
    }
    return false;
  }

  bool choose(std::uint32_t n, std::uint32_t from, std::int64_t have) {
    const Step& s = steps_[n];
    const std::vector<PoolId>& pools = candidates(s);
    const bool begins = have == 0 && from == 0;
    if (begins && s.before != kNone && place(steps_[s.before]) == place(s)) {
      from = first_[s.before] + 1;
    }
    const std::int64_t units = walk_.level(s.level).count.min;
    for (std::uint32_t i = from; i < pools.size(); ++i) {
      if (!walk_.spend()) return false;
      const PoolId v = pools[i];
      if (!apart(v)) continue;
      if (begins) first_[n] = i;
      taken_.emplace(v.v, walk_.graph_.end(v).v);
      chosen_.emplace_back(n, v);
      const std::int64_t size = walk_.graph_.size(v);
      if (size >= units - have ? go(n + 1, 0, 0) : go(n, i + 1, have + size)) return true;
      chosen_.pop_back();
      taken_.erase(v.v);
      if (walk_.ended_) return false;
    }
    return false;
  }

  LoopAware& walk_;
  const List& list_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> picked_, first_;            // by step: its place, its first candidate
  std::map<std::uint32_t, std::vector<PoolId>> places_;  // by slot
  std::unordered_map<std::uint64_t, std::vector<PoolId>> candidates_;
  std::map<std::uint32_t, std::uint32_t> taken_;  // subtrees: begin, end
  std::vector<std::pair<std::uint32_t, PoolId>> chosen_;
  std::uint32_t depth_ = 0;
};

// Turns a slot that one pool fills into a demand for such pools, wherever it can be formed. False
// if it is not one.
bool LoopAware::slot_of_one_pool(const List& list, Demand& d,
                                 std::deque<std::vector<PoolId>>& made) {
  const Level& slot = level(d.level);
  const Level& in = level(slot.first);
  if (slot.children != 1 || in.type.v >= types_.size() || types_[in.type.v].size <= 0 ||
      in.count.min <= 0 || in.count.min > types_[in.type.v].size) {
    return false;
  }
  std::vector<PoolId>& places = made.emplace_back(places_below(list.at, d.level));
  std::vector<PoolId>& pools = made.emplace_back();
  std::sort(places.begin(), places.end());
  for (PoolId place : places) {
    for (PoolId c : graph_.children(place)) {
      if (graph_.type(c) == in.type && spend()) pools.push_back(c);
    }
  }
  sort(pools, 0, true);
  d = {slot.first, d.level, d.shares, &pools, &places};
  return true;
}

// Demands that may meet.
bool LoopAware::component(const List& list, std::vector<Demand> part, bool record) {
  auto type = [&](const Demand& d) { return level(d.level).type; };
  const bool top = list.at == kNoPool;
  if (part.size() == 1 && level(part[0].level).slot) return slots_below(list, part[0], record);

  // A slot of one pool is that pool, wherever it is: with siblings of that type, a matching.
  std::deque<std::vector<PoolId>> made;
  bool one_type = true;
  std::vector<Demand> flat = part;
  TypeId common = kNoType;
  for (Demand& d : flat) {
    if (level(d.level).slot) one_type &= slot_of_one_pool(list, d, made);
    if (common == kNoType) common = type(d);
    one_type &= type(d) == common;
  }
  if (one_type && !nests(common, common)) {
    const std::size_t base = demands_.size();
    demands_.insert(demands_.end(), flat.begin(), flat.end());
    const bool good = by_type(list, base, record);
    demands_.resize(base);
    return good;
  }
  bool nested = top;
  for (const Demand& d : part) nested |= level(d.level).slot;
  if (!nested) {
    const std::size_t base = demands_.size();
    demands_.insert(demands_.end(), part.begin(), part.end());
    const bool good = by_type(list, base, record);
    demands_.resize(base);
    return good;
  }
  // What cannot be placed alone cannot be placed with others.
  for (const Demand& d : part) {
    const bool alone = level(d.level).slot ? slots_below(list, d, false) : one(list, d, false);
    if (!alone) return false;
  }
  Depths depths(*this, list);
  if (!depths.run(part)) return false;
  if (record) depths.note();
  return true;
}

}  // namespace copse
