// SPDX-License-Identifier: Apache-2.0
//
// The answer to `squeue --json` (or `scontrol show jobs --json`) as jobs.
//
// A job runs if its state has RUNNING, CONFIGURING, COMPLETING, SUSPENDED, STAGE_OUT, SIGNALING,
// STOPPED or RESIZING, and waits if it has PENDING or a state of requeued jobs; others have ended,
// and are left out. A job is held by "hold", its state or its reason. The tasks of an array that
// have not started, array_task_string, are jobs of their own. Its share of a node is in
// job_resources, as a list (nodes.allocation, since 23.11) or in allocated_nodes (before); its
// devices in gres_detail, one text for each node. Where job_resources is missing, it has its cpus
// evenly on its nodes. Other members must be valid JSON, and are skipped. Source: the OpenAPI of
// slurmrestd, data_parser v0.0.37 to v0.0.43.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// Errors, with line and column: invalid, limit. O(length of the text).
[[nodiscard]] Result<ClusterJobs> read_slurm_jobs(std::string_view text, std::string_view file = {},
                                                  std::size_t readable_past = 0);

}  // namespace copse
