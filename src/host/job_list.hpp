// SPDX-License-Identifier: Apache-2.0
//
// The list of jobs of a real cluster, in any format that is read: squeue --json, flux jobs --json.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"
#include "formats/text_format.hpp"

namespace copse {

// Refuses a text that Copse knows and does not read, with the sentence what to give instead.
// Errors: invalid.
[[nodiscard]] Result<void> check_jobs_text(TextFormat format, const std::string& file);

// REQUIRES that `format` is one of a list of jobs (is_job_list()). A list without a time is of the latest start or
// submission in it. Errors: those of read_slurm_jobs, read_flux_jobs.
[[nodiscard]] Result<ClusterJobs> read_job_list(TextFormat format, std::string_view text,
                                                std::string_view file);

}  // namespace copse
