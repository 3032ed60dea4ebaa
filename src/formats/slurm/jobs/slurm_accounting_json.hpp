// SPDX-License-Identifier: Apache-2.0
//
// The answer to `sacct --json` as jobs.
//
//   {"jobs": [{"job_id": 611, "array": {"job_id": 0, "task_id": null}, "user": "ada",
//     "partition": "p", "nodes": "n[1-2]", "allocation_nodes": 2, "constraints": "",
//     "state": {"current": ["RUNNING"]}, "priority": 10, "required": {"CPUs": 4},
//     "time": {"submission": 100, "eligible": 100, "start": 160, "end": 0, "limit": 30},
//     "tres": {"allocated": [{"type": "gres", "name": "gpu", "count": 2}], "requested": []}}]}
//
// Each job has its request, as accounting has it (slurm_accounting.hpp). Jobs that still run also
// have their cpus and gpus, evenly on their nodes. Times are seconds since 1970, the limit is in
// minutes. Steps and other members must be valid JSON, and are skipped.
// Source: the OpenAPI of slurmrestd's database, data_parser v0.0.37 to v0.0.43.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// Errors, with line and column: invalid, limit. O(length of the text).
[[nodiscard]] Result<ClusterJobs> read_slurm_accounting_json(std::string_view text,
                                                             std::string_view file = {},
                                                             std::size_t readable_past = 0);

}  // namespace copse
