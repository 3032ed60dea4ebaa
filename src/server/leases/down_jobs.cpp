// SPDX-License-Identifier: Apache-2.0
#include "server/leases/down_jobs.hpp"

#include <vector>

#include "session/node_jobs.hpp"

namespace copse::server {

JobDeadlines::DownJobs jobs_on_down_nodes(const Engine& engine, const JobRowTable& table,
                                          const LiveDrains& drains) {
  JobDeadlines::DownJobs out;
  const std::vector<PoolId> nodes = drains.nodes_down();
  if (nodes.empty()) return out;
  const NodeJobs jobs(engine);
  for (const PoolId node : nodes) {
    for (const JobId job : jobs.of(node)) {
      const JobRow* row = table.find(job);
      if (row != nullptr && row->stage == JobStage::running) {
        out.emplace(job, engine.graph().name(node));
      }
    }
  }
  return out;
}

}  // namespace copse::server
