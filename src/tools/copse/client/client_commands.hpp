// SPDX-License-Identifier: Apache-2.0
//
// The commands that are clients of a service (`copse serve`); each adds itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "copse/error.hpp"
#include "tools/copse/command_line/command_line.hpp"

namespace copse {

void add_submit(CommandLine& line);       // copse_submit.cpp
void add_jobs(CommandLine& line);         // copse_jobs.cpp
void add_why(CommandLine& line);          // copse_why.cpp: why, when
void add_job_changes(CommandLine& line);  // copse_job_changes.cpp: cancel, hold, release
void add_wait(CommandLine& line);         // copse_wait.cpp: wait, watch
void add_nodes(CommandLine& line);        // copse_nodes.cpp: nodes, drain, undrain, down, up
void add_usage(CommandLine& line);        // copse_usage.cpp
void add_reserve(CommandLine& line);      // copse_reserve.cpp
void add_reservation(CommandLine& line);  // copse_reservation.cpp
void add_run(CommandLine& line);          // run/copse_run.cpp

// Adds all of them.
void add_client_commands(CommandLine& line);

// Ids of jobs: "7", "3-5,9". Errors: invalid; limit.
[[nodiscard]] Result<std::vector<std::int64_t>> parse_ids(const std::vector<std::string>& words);

}  // namespace copse
