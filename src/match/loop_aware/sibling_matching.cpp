// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/sibling_matching.hpp"

#include <algorithm>
#include <cassert>
#include <deque>

#include "base/saturating.hpp"

namespace copse {

bool SiblingMatching::place(std::int64_t size, bool record) {
  assert(size > 0);
  if (!match(size)) return false;
  for (std::uint32_t d = 0; record && d < demands_.size(); ++d) {
    std::int64_t i = 0;
    for (PoolId v : sides_[d].taken) {
      placer_.note(list_, demands_[d], v, static_cast<std::uint32_t>(i++ / sides_[d].each));
    }
  }
  return true;
}

bool SiblingMatching::match(std::int64_t size) {
  for (std::uint32_t d = 0; d < demands_.size(); ++d) {
    Side& side = sides_[d];
    side.each = (placer_.level(demands_[d].level).count.min - 1) / size + 1;
    side.wanted = saturating_product(side.each, demands_[d].shares);
    if (side.wanted > static_cast<std::int64_t>(sources_[d].count)) return false;
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

// The demand with the largest needs below each pool chooses first.
std::vector<std::uint32_t> SiblingMatching::hardest_first() const {
  std::vector<std::int64_t> wants;
  std::vector<std::uint32_t> order;
  for (const Demand& d : demands_) {
    std::int64_t units = 0;
    for (const Need& need : placer_.level(d.level).needs) {
      units = saturating_sum(units, need.units);
    }
    order.push_back(static_cast<std::uint32_t>(wants.size()));
    wants.push_back(units);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return wants[a] > wants[b]; });
  return order;
}

// The next unassigned pool that fits demand d.
PoolId SiblingMatching::free_pool(std::uint32_t d) {
  for (;;) {
    const PoolId v = placer_.next(sources_[d], demands_[d], sides_[d].cursor);
    if (v == kNoPool || placer_.budget().ended) return kNoPool;
    if (!owned_.contains(v.v) && placer_.serves(list_, demands_[d], v)) return v;
  }
}

bool SiblingMatching::can_have(std::uint32_t d, PoolId v) {
  const std::vector<PoolId>* places = demands_[d].places;
  if (places != nullptr &&
      !std::binary_search(places->begin(), places->end(), placer_.graph().parent(v))) {
    return false;
  }
  return placer_.serves(list_, demands_[d], v);
}

// Augments along a path: side d gets v, and passes its requested pool to the requester, up to the
// start.
void SiblingMatching::hand_on(std::uint32_t d, PoolId v) {
  owned_.insert(v.v);
  for (;;) {
    Side& side = sides_[d];
    if (side.requested == kNoPool) {
      side.taken.push_back(v);
      return;
    }
    std::replace(side.taken.begin(), side.taken.end(), side.requested, v);
    v = side.requested;
    d = side.requester;
  }
}

bool SiblingMatching::augment(std::uint32_t start) {
  for (Side& side : sides_) side.met = false;
  sides_[start].met = true;
  sides_[start].requested = kNoPool;
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
      if (!placer_.budget().spend()) return false;  // siblings may be many
      if (side.met) continue;
      for (PoolId v : side.taken) {
        if (placer_.budget().ended) return false;
        if (!can_have(d, v)) continue;
        side.met = true;
        side.requester = d;
        side.requested = v;
        queue.push_back(other);
        break;
      }
    }
  }
  return false;
}

}  // namespace copse
