// SPDX-License-Identifier: Apache-2.0
//
// Reads the TOML tables about limits and access: `policy` (RFC 33), of all queues or of one, `grants`
// and `running-limits`.
//
//
//   [policy.limits]                        # or [queues.batch.policy.limits]
//   duration = "4h"                        # "0": unlimited
//   job-size.max.nnodes = 8                # also ncores, ngpus; -1: unlimited
//   job-size.min.nnodes = 1
#pragma once

#include <string>
#include <vector>

#include "queue/config/grant_bounds.hpp"
#include "queue/config/job_defaults.hpp"
#include "queue/config/job_limits.hpp"
#include "queue/limits/queue_access.hpp"
#include "queue/limits/running_limits.hpp"
#include "text/tree/tree.hpp"

namespace copse::queue {

// Errors, with line and column: invalid (an unknown key, a value of another type). `queue`: "": of
// all queues.
struct PolicyParts {
  JobLimits& limits;
  QueueAccess& access;
  JobDefaults& defaults;
};
[[nodiscard]] Result<void> read_policy(TreeView policy, const std::string& queue, PolicyParts to);
// Reads an array of tables `running-limits`. Errors, with line and column: invalid (also a limit
// without a number); limit.
[[nodiscard]] Result<void> read_running_limits(TreeView limits, std::vector<RunningLimit>& to);
// Reads a TOML table `grants`. Errors, with line and column: invalid (also a table without a
// duration).
[[nodiscard]] Result<void> read_grants(TreeView grants, GrantBounds& to);

}  // namespace copse::queue
