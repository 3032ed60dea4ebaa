// SPDX-License-Identifier: Apache-2.0
//
// The list of jobs of a real cluster, in any format that is read: squeue --json, flux jobs --json.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// Whether a text is a list of jobs: a JSON object with a key "jobs" before any "R_lite". Searches the
// first 4 KiB.
[[nodiscard]] bool looks_like_job_list(std::string_view text);

// Whether a text is a table that squeue, sacct or flux jobs print for people: it begins with the heading
// JOBID and a blank.
[[nodiscard]] bool looks_like_job_table(std::string_view text);
// The error for such a table.
[[nodiscard]] std::unexpected<Error> refuse_job_table(const std::string& file);

// Reads Slurm's list if the text has job_id, else Flux's. A list without a time is of the latest start or
// submission in it. Errors: those of read_slurm_jobs, read_flux_jobs.
[[nodiscard]] Result<ClusterJobs> read_job_list(std::string_view text, std::string_view file);

}  // namespace copse
