// SPDX-License-Identifier: Apache-2.0
//
// The running jobs of a service on nodes that are down. Nodes that are only drained are not.
#pragma once

#include "server/drains/live_drains.hpp"
#include "server/jobs/job_row_table.hpp"
#include "server/leases/job_deadlines.hpp"

namespace copse::server {

// Cost: O(nodes + entries of grants).
[[nodiscard]] JobDeadlines::DownJobs jobs_on_down_nodes(const Engine& engine,
                                                        const JobRowTable& table,
                                                        const LiveDrains& drains);

}  // namespace copse::server
