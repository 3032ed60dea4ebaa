// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/bookings.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace copse::queue {

namespace {

// Whether a grant has something in one of these nodes, or all that is around one.
bool has_some_of(const ResourceGraph& graph, const Grant& grant, const std::vector<PoolId>& nodes) {
  std::vector<Emitted> pools;
  expand(graph, grant.selection, pools);
  return std::ranges::any_of(pools, [&](const Emitted& pool) {
    for (PoolId up = pool.pool; up != kNoPool; up = graph.parent(up)) {
      if (std::ranges::binary_search(nodes, up)) return true;
    }
    return pool.exclusive &&
           std::ranges::any_of(nodes, [&](PoolId node) { return graph.below(node, pool.pool); });
  });
}

}  // namespace

// One with fewer times than are booked ahead has no more. Where all times have the same nodes, so
// will the next.
Bookings::Bookings(const std::vector<ReservationView>& booked) {
  for (const ReservationView& view : booked) {
    if (view.times.size() < kBookedMax) continue;
    const auto &last = view.times.back(), &before = view.times[view.times.size() - 2];
    const std::int64_t every_s = last.from_s - before.from_s;
    const bool same = std::ranges::all_of(
        view.times, [&](const ReservationView::Time& time) { return time.nodes == last.nodes; });
    Next& next = all_.emplace_back();
    next.time.name = view.name;
    next.time.from_s = saturating_sum(last.from_s, every_s);
    next.time.until_s = saturating_sum(last.until_s, every_s);
    if (same) next.nodes = last.nodes;
  }
}

std::optional<ReservationReason> Bookings::beyond(const ResourceGraph& graph,
                                                  const Grant& grant) const {
  for (const Next& next : all_) {
    if (grant.end <= next.time.from_s) continue;
    if (next.nodes.empty() || has_some_of(graph, grant, next.nodes)) return next.time;
  }
  return std::nullopt;
}

}  // namespace copse::queue
