// SPDX-License-Identifier: Apache-2.0
//
// Texts by which squeue says what a job waits for: its dependencies, and the tasks of an array that
// have not started.
//
//   dependency = one *( "," one )  /  one *( "?" one )      all of them, or any
//   one        = type *( ":" job ) [ "(" state ")" ]        afterok:7010_3:7011(unfulfilled)
//   job        = id [ "_" ( task / "*" ) ] [ "+" minutes ]
#pragma once

#include <string_view>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// Adds the dependencies of a job to what it waits for. Those that are fulfilled are left out; those
// that failed hold the job; those that are not read (any of several, other types) are `unread`. `task`: of the job in its array, or "". O(length).
void add_slurm_dependency(ClusterRequest& request, std::string_view text, std::string_view task);

// "1-3,8%2" and "1-7:2": tasks and how many may run at a time, which is left out.
// Errors: invalid (also a text that `command` of Slurm cut short); limit (more than `tasks_max`).
[[nodiscard]] Result<Idset> parse_slurm_tasks(std::string_view text, std::int64_t tasks_max,
                                              std::string_view command);

}  // namespace copse
