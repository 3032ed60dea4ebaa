// SPDX-License-Identifier: Apache-2.0
//
// Siblings that compete for pools of one type and size: a matching. Each takes what is free and
// serves it; one that finds nothing takes a pool of another that can do with a further one, and so
// on: shortest augmenting paths, over siblings rather than pools, as there are few of them.
//
// Cost: a look at each candidate for each sibling, and for each path one at what the others have.
#include <algorithm>
#include <deque>

#include "match/loop_aware/loop_aware.hpp"

namespace copse {

class LoopAware::Matching {
 public:
  Matching(LoopAware& walk, const List& list, const std::vector<Demand>& demands,
           const std::vector<Source>& sources)
      : walk_(walk), list_(list), demands_(demands), sources_(sources), sides_(demands.size()) {}

  bool run(std::int64_t size) {
    for (std::uint32_t d = 0; d < demands_.size(); ++d) {
      Side& side = sides_[d];
      side.each = (walk_.level(demands_[d].level).count.min - 1) / size + 1;
      if (__builtin_mul_overflow(side.each, demands_[d].shares, &side.wanted) ||
          side.wanted > static_cast<std::int64_t>(sources_[d].count)) {
        return false;
      }
    }
    for (std::uint32_t d : hardest_first()) {
      while (static_cast<std::int64_t>(sides_[d].taken.size()) < sides_[d].wanted) {
        const PoolId v = free_pool(d);
        if (v != kNoPool) {
          owned_.insert(v.v);
          sides_[d].taken.push_back(v);
        } else if (!augment(d)) {
          return false;
        }
      }
    }
    return true;
  }

  void note() {
    for (std::uint32_t d = 0; d < demands_.size(); ++d) {
      std::int64_t i = 0;
      for (PoolId v : sides_[d].taken) {
        walk_.note(list_, demands_[d], v, static_cast<std::uint32_t>(i++ / sides_[d].each));
      }
    }
  }

 private:
  struct Side {
    std::int64_t each = 0, wanted = 0;  // pools of a share, and of all shares
    std::vector<PoolId> taken;
    // Nothing before the cursor is of use: it does not serve, or belongs to somebody for good.
    Cursor cursor;
    // On a path: who asked, and for which pool of this side.
    bool met = false;
    std::uint32_t asker = 0;
    PoolId asked = kNoPool;
  };

  // Who wants most below each pool chooses first, so that the others take what it leaves.
  [[nodiscard]] std::vector<std::uint32_t> hardest_first() const {
    std::vector<std::int64_t> wants;
    std::vector<std::uint32_t> order;
    for (const Demand& d : demands_) {
      std::int64_t units = 0;
      for (const Need& need : walk_.level(d.level).needs) {
        if (__builtin_add_overflow(units, need.units, &units)) units = INT64_MAX;
      }
      order.push_back(static_cast<std::uint32_t>(wants.size()));
      wants.push_back(units);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return wants[a] > wants[b]; });
    return order;
  }

  // The next pool that is nobody's and serves demand d.
  PoolId free_pool(std::uint32_t d) {
    for (;;) {
      const PoolId v = walk_.next(sources_[d], demands_[d], sides_[d].cursor);
      if (v == kNoPool || walk_.ended_) return kNoPool;
      if (!owned_.contains(v.v) && walk_.serves(list_, demands_[d], v)) return v;
    }
  }

  bool can_have(std::uint32_t d, PoolId v) {
    const std::vector<PoolId>* places = demands_[d].places;
    if (places != nullptr &&
        !std::binary_search(places->begin(), places->end(), walk_.graph_.parent(v))) {
      return false;
    }
    return walk_.serves(list_, demands_[d], v);
  }

  // Side d gets v, and gives the pool that it was asked for to who asked, up to the start.
  void hand_on(std::uint32_t d, PoolId v) {
    owned_.insert(v.v);
    for (;;) {
      Side& side = sides_[d];
      if (side.asked == kNoPool) {
        side.taken.push_back(v);
        return;
      }
      std::replace(side.taken.begin(), side.taken.end(), side.asked, v);
      v = side.asked;
      d = side.asker;
    }
  }

  bool augment(std::uint32_t start) {
    for (Side& side : sides_) side.met = false;
    sides_[start].met = true;
    sides_[start].asked = kNoPool;
    std::deque<std::uint32_t> queue{start};
    while (!queue.empty()) {
      const std::uint32_t d = queue.front();
      queue.pop_front();
      if (const PoolId v = free_pool(d); v != kNoPool) {
        hand_on(d, v);
        return true;
      }
      for (std::uint32_t other = 0; other < sides_.size(); ++other) {
        Side& side = sides_[other];
        if (!walk_.spend()) return false;  // siblings may be many
        if (side.met) continue;
        for (PoolId v : side.taken) {
          if (walk_.ended_) return false;
          if (!can_have(d, v)) continue;
          side.met = true;
          side.asker = d;
          side.asked = v;
          queue.push_back(other);
          break;
        }
      }
    }
    return false;
  }

  LoopAware& walk_;
  const List& list_;
  const std::vector<Demand>& demands_;
  const std::vector<Source>& sources_;
  std::vector<Side> sides_;
  std::unordered_set<std::uint32_t> owned_;
};

bool LoopAware::match(const List& list, const std::vector<Demand>& demands,
                      const std::vector<Source>& sources, std::int64_t size, bool record) {
  Matching matching(*this, list, demands, sources);
  if (!matching.run(size)) return false;
  if (record) matching.note();
  return true;
}

}  // namespace copse
