// SPDX-License-Identifier: Apache-2.0
//
// The answer to `flux jobs --json` as jobs.
//
// A job runs if its state is RUN or CLEANUP, and waits if it is DEPEND, PRIORITY or SCHED; others
// are over, and left out. What a running job has of each node is in the annotation that sched-simple
// writes, sched.resource_summary: the numbers of its gpus count, and how many cores it has. Without
// it, a job has ncores evenly on its nodes, and gpus are not known. (An R of each job, from `flux
// job info ID R`, says all.) What a waiting job waits for is in dependencies and urgency (0: held).
// All that is not named must be valid JSON, and is passed over.
// Source: flux-jobs(1), and the keys of job-list that it shows.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// Errors, with line and column: invalid, limit. O(length of the text).
[[nodiscard]] Result<ClusterJobs> read_flux_jobs(std::string_view text, std::string_view file = {},
                                                 std::size_t readable_past = 0);

// All jobs of the list with what they asked for, those that are over as well (`flux jobs -a --json`).
// The same errors and cost.
[[nodiscard]] Result<ClusterJobs> read_flux_history(std::string_view text,
                                                    std::string_view file = {},
                                                    std::size_t readable_past = 0);

}  // namespace copse
