// SPDX-License-Identifier: Apache-2.0
#include "plan/run/failures.hpp"

#include <algorithm>

namespace copse::plan {

Failures::Failures(const ResourceGraph& graph, const Jobs& jobs) : graph_(graph) {
  for (const Event& event : jobs.events) {
    if (event.type != Event::Type::down) continue;
    for (const PoolId node : jobs.nodes_of(event)) {
      failures_.push_back({node, {event.time_s, event.requeue}});
    }
  }
  std::ranges::stable_sort(failures_, {}, &OfNode::node);
}

// A selection lists the node of each part that it has (copse/selection.hpp).
std::optional<Failures::Failure> Failures::first(const Selection& selection, std::int64_t after_s,
                                                 std::int64_t before_s) const {
  if (failures_.empty()) return std::nullopt;
  std::optional<Failure> out;
  for (const SelectedPools& taken : selection.taken) {
    if (taken.hidden) continue;
    PoolId end{taken.first.v + taken.count};
    if (!graph_.leaf(taken.first) && (taken.exclusive || taken.whole))
      end = graph_.end(taken.first);
    for (auto at = std::ranges::lower_bound(failures_, taken.first, {}, &OfNode::node);
         at != failures_.end() && at->node < end; ++at) {
      const std::int64_t time_s = at->failure.time_s;
      if (time_s <= after_s || time_s >= before_s) continue;
      out = at->failure;
      before_s = time_s;
    }
  }
  return out;
}

}  // namespace copse::plan
