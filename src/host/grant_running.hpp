// SPDX-License-Identifier: Apache-2.0
//
// Grants running jobs their resources, on an engine.
//
// The list of jobs of a real cluster and the description of its machine can be of different times: a
// node was removed, two jobs share a core, a licence is not in the file of resources. Then one sentence
// names the job and the problem, and the rest of its resources is granted. With `strict`, it is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/running_jobs.hpp"

namespace copse {

struct GrantedRunning {
  std::size_t ended = 0;  // jobs that had ended, to which nothing was granted
  std::vector<std::string>
      problems{};  // a sentence for each job that lacks resources, with its place
};

// `clock_s`: the time of the jobs' clock at the engine's now; without it, each job begins now.
// If the engine has no hierarchical resources, those of the jobs are ignored.
// Errors: invalid (two jobs with one id); with `strict`, the first problem.
[[nodiscard]] Result<GrantedRunning> grant_running(Engine& engine, std::vector<RunningJob> jobs,
                                                   std::optional<std::int64_t> clock_s,
                                                   bool strict);

}  // namespace copse
