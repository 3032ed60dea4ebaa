// SPDX-License-Identifier: Apache-2.0
//
// The exploration of `first` through levels that the request does not name.
//
// Children are visited in the order of their weights, and each level counts on its own what its
// children report: a child does not know what its siblings found, and looks for the full count
// itself. So more than needed may be reported; what is chosen is the best of that.
#include <algorithm>

#include "match/simple/matcher.hpp"

namespace copse {

// Pushes what v, or what lies below it, has for the levels [first, first + count).
void Matcher::explore_pool(PoolId v, std::uint32_t first, std::uint32_t count, bool exclusive,
                           Score term) {
  bool may = false;
  for (std::uint32_t n = first; n < first + count; ++n) {
    const Level& level = probe_.request->levels[n];
    if (level.slot && probe_.resolves(v, level)) {
      slots_at(v, n, term, false);
      return;
    }
    if (!level.slot && level.type == graph_.type(v)) {
      Item item;
      if (scores_.own(v) + term > 0 && visit(v, n, exclusive, term, item)) {
        push_group(v, n, term, item);
      }
      return;
    }
    may |= probe_.may_hold(v, level);
  }
  if (!may || !probe_.open(v)) return;
  ++visits_;
  if (count == 1 && !probe_.offers(v, probe_.request->levels[first].needs)) return;
  explore(v, first, count, exclusive, probe_.term_below(v, term));
}

// Visits a child and counts what it reported. True if all levels have what they need.
bool Matcher::explore_child(PoolId v, std::uint32_t first, std::uint32_t count, bool exclusive,
                            Score term, std::size_t shares) {
  for (std::uint32_t n = 0; n < count; ++n) {
    if (probe_.request->levels[first + n].type == graph_.type(v) &&
        explored_[shares + n].found > 0) {
      return false;  // enough of its kind already
    }
  }
  const std::size_t before = groups_.size();
  explore_pool(v, first, count, exclusive, term);
  for (std::size_t g = before; g < groups_.size(); ++g) {
    explored_[shares + groups_[g].want - first].add(groups_[g].size);
  }
  return std::all_of(explored_.begin() + static_cast<std::ptrdiff_t>(shares), explored_.end(),
                     [](const Shares& s) { return s.found > 0; });
}

void Matcher::explore_list(PoolId u, std::uint32_t first, std::uint32_t count, bool exclusive,
                           Score term, std::size_t shares) {
  WatchedList& list = exploration_.list(u);
  const std::size_t needs = needs_.size();
  if (probe_.view == View::now) {
    needs_.push_back({WatchedList::kAvailable, 1});
    const Level& level = probe_.request->levels[first];
    if (count == 1) {
      for (const Need& n : level.needs) {
        if (n.units <= 0) continue;
        const auto least =
            static_cast<CandidateList::Value>(std::min<std::int64_t>(n.units, INT32_MAX));
        needs_.push_back({state_.watch(list, n.type), least});
      }
    }
  }
  CandidateList::Position at;
  while (list.list.next(at, std::span(needs_).subspan(needs))) {
    const PoolId v = list.list.pool(at);
    CandidateList::advance(at);
    if (explore_child(v, first, count, exclusive, term, shares)) break;
  }
  needs_.resize(needs);
}

void Matcher::explore(PoolId u, std::uint32_t first, std::uint32_t count, bool exclusive,
                      Score term) {
  const std::size_t shares = explored_.size();
  for (std::uint32_t n = first; n < first + count; ++n) {
    explored_.push_back({probe_.request->levels[n].most, 1});
  }
  std::uint32_t interior = 0, wanted_leaves = 0;
  for (const ChildRun& run : graph_.shape(u).runs) {
    if (!run.leaves) interior += run.count;
    for (std::uint32_t n = first; n < first + count; ++n) {
      if (run.leaves && run.type == probe_.request->levels[n].type) wanted_leaves += run.count;
    }
  }
  if (interior > Exploration::kFew && wanted_leaves == 0) {
    explore_list(u, first, count, exclusive, term, shares);
  } else {
    const std::size_t begin = pools_.size();
    for (PoolId c : graph_.children(u)) {
      if (!graph_.leaf(c) || wanted_leaves > 0) pools_.push_back(c);
    }
    std::sort(pools_.begin() + static_cast<std::ptrdiff_t>(begin), pools_.end(),
              [&](PoolId a, PoolId b) {
                const std::uint64_t wa = exploration_.weight(a), wb = exploration_.weight(b);
                return wa != wb ? wa > wb : graph_.uniq_id(a) > graph_.uniq_id(b);
              });
    for (std::size_t i = begin; i < pools_.size(); ++i) {
      if (explore_child(pools_[i], first, count, exclusive, term, shares)) break;
    }
    pools_.resize(begin);
  }
  explored_.resize(shares);
}

}  // namespace copse
