// SPDX-License-Identifier: Apache-2.0
//
// The children of a pool: all of them in edge order or, under `first`, by weight until there is
// enough.
#include <algorithm>

#include "match/exhaustive/boards.hpp"

namespace copse {

bool Boards::wanted(TypeId type, const Asked& below) const {
  if (below.slots_only) return false;
  const Siblings& siblings = list(below.list);
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    if (!level(n).slot && level(n).type == type) return true;
  }
  return false;
}

// Visits the children of u. `shares`: of each type so many times the count is enough for `first`.
void Boards::explore(PoolId u, const Asked& asked, std::int64_t shares) {
  Asked below = asked;
  ++below.depth;
  below.way = kNoPool;
  if (policy_.first_found) return explore_first(u, below, shares);
  if (ways_ != nullptr && !graph_.further_children(u).empty()) return explore_ways(u, below);
  const bool passes = below.pristine || list(below.list).slots > 0;
  const auto children = graph_.children(u);
  for (const ChildRun& run : graph_.shape(u).runs) {
    if (!wanted(run.type, below) && (run.leaves || !passes)) continue;
    for (const PoolId v : children.subspan(run.first, run.count)) visit(v, below);
  }
}

// Children of both kinds, in the order in which they were made.
void Boards::explore_ways(PoolId u, const Asked& below) {
  const std::size_t begin = pools_.size();
  graph_.append_children(u, pools_);
  const std::size_t end = pools_.size();
  for (std::size_t i = begin; i < end; ++i) {
    Asked one = below;
    if (graph_.parent(pools_[i]) != u) one.way = u;
    visit(pools_[i], one);
  }
  pools_.resize(begin);
}

// Visits a child and counts what it reported. True if there is enough of everything.
bool Boards::explore_child(PoolId u, PoolId v, Asked below, std::size_t first_share,
                           std::int64_t shares) {
  const auto first = shares_.begin() + static_cast<std::ptrdiff_t>(first_share);
  const bool enough = std::any_of(first, shares_.end(), [&](const Share& s) {
    return s.type == graph_.type(v) && s.found >= shares;
  });
  if (enough) return false;  // of its kind
  const std::size_t before = groups_.size();
  if (graph_.parent(v) != u) below.way = u;
  visit(v, below);
  for (std::size_t g = before; g < groups_.size(); ++g) {
    for (std::size_t s = first_share; s < shares_.size(); ++s) {
      Share& share = shares_[s];
      if (share.type != groups_[g].type) continue;
      share.units += groups_[g].size;
      if (share.units < share.most) continue;
      share.units = 0;  // what the last one has too much is not carried over
      ++share.found;
    }
  }
  return std::all_of(shares_.begin() + static_cast<std::ptrdiff_t>(first_share), shares_.end(),
                     [&](const Share& s) { return s.found >= shares; });
}

// Many interior children stand in a list in the order of their weights.
void Boards::explore_list(PoolId u, const Asked& below, std::size_t first_share,
                          std::int64_t shares) {
  WatchedList& children = exploration_.list(u);
  const std::size_t first_need = needs_.size();
  if (probe_.view == View::now) {
    needs_.push_back({WatchedList::kAvailable, 1});
    const Siblings& siblings = list(below.list);
    for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
      if (siblings.count != 1) break;
      for (const Need& need : level(n).needs) {
        if (need.units <= 0) continue;
        const auto least =
            static_cast<CandidateList::Value>(std::min<std::int64_t>(need.units, INT32_MAX));
        needs_.push_back({state_.watch(children, need.type), least});
      }
    }
  }
  CandidateList::Position at;
  for (;;) {
    const std::span<const CandidateList::Need> needs(needs_.data() + first_need,
                                                     needs_.size() - first_need);
    if (!children.list.next(at, needs)) break;
    const PoolId v = children.list.pool(at);
    CandidateList::advance(at);
    if (explore_child(u, v, below, first_share, shares)) break;
  }
  needs_.resize(first_need);
}

void Boards::explore_first(PoolId u, const Asked& below, std::int64_t shares) {
  const std::size_t first_share = shares_.size();
  const Siblings& siblings = list(below.list);
  for (std::uint32_t n = siblings.first; n < siblings.first + siblings.count; ++n) {
    const Level& own = level(n);
    const auto first = shares_.begin() + static_cast<std::ptrdiff_t>(first_share);
    const auto same = std::find_if(first, shares_.end(),
                                   [&](const Share& share) { return share.type == own.type; });
    if (same == shares_.end()) {
      shares_.push_back({own.type, own.most, 0, 0});
    } else {
      same->most = std::max(same->most, own.most);  // slots that are alternatives
    }
  }
  const bool passes = below.pristine || siblings.slots > 0;
  std::uint32_t interior = 0, leaves = 0;
  for (const ChildRun& run : graph_.shape(u).runs) {
    if (!run.leaves) interior += run.count;
    if (run.leaves && wanted(run.type, below)) leaves += run.count;
  }
  const bool ways = ways_ != nullptr && !graph_.further_children(u).empty();
  if (interior > Exploration::kFew && leaves == 0 && !ways) {
    explore_list(u, below, first_share, shares);
  } else {
    const std::size_t begin = pools_.size();
    const auto children = graph_.children(u);
    for (const ChildRun& run : graph_.shape(u).runs) {
      if (ways || (!wanted(run.type, below) && (run.leaves || !passes))) continue;
      const auto some = children.subspan(run.first, run.count);
      pools_.insert(pools_.end(), some.begin(), some.end());
    }
    if (ways) graph_.append_children(u, pools_);
    std::sort(pools_.begin() + static_cast<std::ptrdiff_t>(begin), pools_.end(),
              [&](PoolId a, PoolId b) {
                const std::uint64_t wa = exploration_.weight(a), wb = exploration_.weight(b);
                return wa != wb ? wa > wb : graph_.uniq_id(a) > graph_.uniq_id(b);
              });
    const std::size_t end = pools_.size();
    for (std::size_t i = begin; i < end; ++i) {
      if (explore_child(u, pools_[i], below, first_share, shares)) break;
    }
    pools_.resize(begin);
  }
  shares_.resize(first_share);
}

}  // namespace copse
