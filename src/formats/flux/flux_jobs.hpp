// SPDX-License-Identifier: Apache-2.0
//
// The answer to `flux jobs --json` as jobs.
//
// A job runs if its state is RUN or CLEANUP, and waits if it is DEPEND, PRIORITY or SCHED; others
// have ended, and are left out. The annotation of sched-simple, sched.resource_summary, has the
// cores and gpus of a running job on each node: the ids of its gpus count, and the number of its
// cores. Without it, a job has ncores evenly on its nodes, and its gpus are unknown. (The R of each
// job, from `flux job info ID R`, is complete.) The conditions of a waiting job are in dependencies
// and urgency (0: held). Other members must be valid JSON, and are skipped. Source: flux-jobs(1),
// and the keys of job-list that it shows.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// Errors, with line and column: invalid, limit. O(length of the text).
[[nodiscard]] Result<ClusterJobs> read_flux_jobs(std::string_view text, std::string_view file = {},
                                                 std::size_t readable_past = 0);

// All jobs of the list with their requests, ended ones included (`flux jobs -a --json`).
// The same errors and cost.
[[nodiscard]] Result<ClusterJobs> read_flux_history(std::string_view text,
                                                    std::string_view file = {},
                                                    std::size_t readable_past = 0);

}  // namespace copse
