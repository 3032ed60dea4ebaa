// SPDX-License-Identifier: Apache-2.0
//
// Lists of jobs of a real cluster, in any format that is read.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// Is it a list of jobs: a JSON object with a key "jobs", before any "R_lite"? Looks at its first
// 4 KiB.
[[nodiscard]] bool looks_like_job_list(std::string_view text);

// Is it what squeue, sacct or flux jobs print for readers: does it begin with the heading JOBID, and
// blanks behind it?
[[nodiscard]] bool looks_like_job_table(std::string_view text);
// The error of such a table.
[[nodiscard]] std::unexpected<Error> refuse_job_table(const std::string& file);

// Slurm's, if it has job_id, else Flux's. If the list does not say when it was made, it was at the
// latest start or submission in it. Errors: those of read_slurm_jobs, read_flux_jobs.
[[nodiscard]] Result<ClusterJobs> read_job_list(std::string_view text, std::string_view file);

}  // namespace copse
