// SPDX-License-Identifier: Apache-2.0
#include "match/shared/multi_parent_paths.hpp"

#include <algorithm>

namespace copse {

MultiParentPaths::MultiParentPaths(const ResourceGraph& graph) : graph_(graph) {
  if (!graph.has_further_edges()) return;
  graph.for_each_further_below(graph.root(),
                               [&](PoolId from, PoolId to) { parents_.emplace_back(to, from); });
  std::sort(parents_.begin(), parents_.end());
  entered_.assign(graph.pool_count(), 0);
  seen_.assign(graph.pool_count(), 0);
}

bool MultiParentPaths::several(PoolId p) const {
  const auto it = std::lower_bound(parents_.begin(), parents_.end(), std::pair(p, PoolId{0}));
  return it != parents_.end() && it->first == p;
}

void MultiParentPaths::push_once(PoolId p) {
  if (p == kNoPool || seen_[p.v] == search_) return;
  seen_[p.v] = search_;
  pending_.push_back(p);
}

bool MultiParentPaths::covered(const State& state, PoolId p, std::int64_t start, std::int64_t end) {
  if (!several(p)) return false;
  ++search_;
  pending_.clear();
  push_once(p);
  while (!pending_.empty()) {
    const PoolId up = pending_.back();
    pending_.pop_back();
    if (state.allocated(up, start, end)) return true;
    push_once(graph_.parent(up));
    auto it = std::lower_bound(parents_.begin(), parents_.end(), std::pair(up, PoolId{0}));
    for (; it != parents_.end() && it->first == up; ++it) push_once(it->second);
  }
  return false;
}

bool MultiParentPaths::idle(const State& state, PoolId p, std::int64_t start, std::int64_t end) {
  if (!any()) return true;
  ++search_;
  pending_.clear();
  reached_.clear();
  push_once(p);
  bool free = true;
  while (!pending_.empty() && free) {
    const PoolId top = pending_.back();
    pending_.pop_back();
    reached_.push_back(top);
    graph_.for_each_further_below(top, [&](PoolId, PoolId to) {
      free = free && !state.touched(to, start, end);
      push_once(to);
    });
  }
  // A pool below may be allocated by a pool above it on another path.
  for (std::size_t i = 0; i < reached_.size() && free; ++i) {
    auto it = std::lower_bound(parents_.begin(), parents_.end(), std::pair(reached_[i], PoolId{0}));
    for (; it != parents_.end() && it->first < graph_.end(reached_[i]) && free; ++it) {
      free = !covered(state, it->first, start, end);
    }
  }
  return free;
}

}  // namespace copse
