// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/unbooked_occurrences.hpp"

#include <algorithm>

namespace copse::queue {

namespace {

// Whether a grant has a pool in one of these nodes, or exclusively one that contains a node.
bool has_some_of(const ResourceGraph& graph, const Grant& grant, const std::vector<PoolId>& nodes) {
  std::vector<ExpandedPool> pools;
  expand(graph, grant.selection, pools);
  return std::ranges::any_of(pools, [&](const ExpandedPool& pool) {
    for (PoolId up = pool.pool; up != kNoPool; up = graph.parent(up)) {
      if (std::ranges::binary_search(nodes, up)) return true;
    }
    return pool.exclusive &&
           std::ranges::any_of(nodes, [&](PoolId node) { return graph.below(node, pool.pool); });
  });
}

}  // namespace

// If all booked occurrences have the same nodes, later ones will have them, too.
UnbookedOccurrences::UnbookedOccurrences(const std::vector<ReservationView>& booked) {
  for (const ReservationView& view : booked) {
    if (!view.later) continue;
    const bool same = std::ranges::all_of(view.times, [&](const ReservationView::Time& time) {
      return time.nodes == view.times.front().nodes;
    });
    all_.push_back(
        {view.name, *view.later,
         same && !view.times.empty() ? view.times.front().nodes : std::vector<PoolId>()});
  }
}

std::optional<ReservationReason> UnbookedOccurrences::conflict(const ResourceGraph& graph,
                                                               const Grant& grant) const {
  for (const Later& later : all_) {
    const auto start_s = later.times.first_in(grant.start, grant.end);
    if (!start_s) continue;
    if (!later.nodes.empty() && !has_some_of(graph, grant, later.nodes)) continue;
    return ReservationReason{later.name, *start_s, *start_s + later.times.duration_s, false};
  }
  return std::nullopt;
}

}  // namespace copse::queue
