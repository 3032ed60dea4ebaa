// SPDX-License-Identifier: Apache-2.0
//
// Jobs as others see them: what Slurm's squeue shows. That is the id, name, user, queue, state,
// times, limit, nodes, sizes, reason and result; not the jobspec, the constraints and the lease.
// Members that are added later are hidden until they are listed in shared_job.cpp.
#pragma once

#include <string>
#include <string_view>

#include "server/jobs/job_row.hpp"

namespace copse::server {

// The row without the members that others do not see.
[[nodiscard]] JobRow shared_row(const JobRow& row);
// Appends an R with its nodes, cores and times only. REQUIRES an R as it is written in answers, or
// null. O(length).
void append_shared_r(std::string_view r, std::string& out);
// Appends an event of a job (JobRowTable), given without its newline, as others see it. O(length).
void append_shared_event(std::string_view line, std::string& out);
// Appends a grant {"id", "at", "R", "hres"?} as others see it. O(length).
void append_shared_grant(std::string_view grant, std::string& out);

}  // namespace copse::server
