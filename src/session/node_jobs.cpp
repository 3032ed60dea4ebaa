// SPDX-License-Identifier: Apache-2.0
#include "session/node_jobs.hpp"

#include "base/job_id.hpp"

namespace copse {

NodeJobs::NodeJobs(const Engine& engine) {
  const ResourceGraph& graph = engine.graph();
  const TypeId node = graph.find_type("node");
  for (const JobId job : engine.jobs()) {  // ascending: ids of reservations follow those of jobs
    if (is_reservation(job)) break;
    const Grant* grant = engine.grant(job);
    if (grant->start > engine.now()) continue;
    // A selection that has pools below a node lists the node, too.
    for (const SelectedPools& taken : grant->selection.taken) {
      for (std::uint32_t v = taken.first.v; v < taken.first.v + taken.count; ++v) {
        const bool is_node = graph.type(PoolId{v}) == node;
        if (is_node) jobs_[v].push_back(job);
        if (is_node || !taken.whole) continue;
        graph.preorder(PoolId{v}, [&](PoolId below) {
          if (graph.type(below) != node) return true;
          jobs_[below.v].push_back(job);
          return false;
        });
      }
    }
  }
}

std::span<const JobId> NodeJobs::of(PoolId node) const {
  const auto at = jobs_.find(node.v);
  if (at == jobs_.end()) return {};
  return at->second;
}

}  // namespace copse
