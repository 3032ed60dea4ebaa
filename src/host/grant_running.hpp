// SPDX-License-Identifier: Apache-2.0
//
// Gives jobs that run what they have, on an engine.
//
// A list of a real cluster and a description of its machine are never of the same moment: a node was
// taken out, two jobs share a core, a licence is not in the file of resources. Such a job is a
// stray: one sentence names it, and what else it has is granted. Strictly, a stray is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/running_jobs.hpp"

namespace copse {

struct GrantedRunning {
  std::size_t over = 0;               // jobs that have ended
  std::vector<std::string> strays{};  // a sentence each, with the place
};

// `clock_s`: the time of the jobs' clock that is the engine's now; none: each begins now.
// Resources that the engine has none of are passed over, if it has no hierarchical resources.
// Errors: invalid (two jobs of one id); of the first stray, if `strict`.
[[nodiscard]] Result<GrantedRunning> grant_running(Engine& engine, std::vector<RunningJob> jobs,
                                                   std::optional<std::int64_t> clock_s,
                                                   bool strict);

}  // namespace copse
