// SPDX-License-Identifier: Apache-2.0
//
// Dependencies between the jobs of a stream, by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/job.hpp"
#include "text/tree/line_values.hpp"

namespace copse::plan {

// The jobs of a stream by name; the names live as long as the jobs.
using JobNumbers = std::unordered_map<std::string_view, std::uint32_t>;

inline constexpr std::size_t kAfterMax = 10'000'000;  // of all jobs together

struct Awaited {
  std::uint32_t job;   // the waiting job
  std::string name;    // the name of the other one
  std::uint32_t line;  // of the stream
  Dependency::On on = Dependency::On::ended_well;
  const char* key = "after";  // the key of the name
  bool several = false;       // the name may be a list of jobs: "a:b"
  std::int64_t delay_s = 0;   // see Dependency
};

// "afternotok:make", in the notation of Slurm and Flux: the condition, and the job. "afterok:a:b"
// has two jobs, which set_after distinguishes. Errors: invalid.
struct DependencyWord {
  Dependency::On on;
  std::string_view name;
};
[[nodiscard]] Result<DependencyWord> parse_dependency(std::string_view text);
// Splits "afterok:a,afterany:b". A comma that is not followed by such a word is part of an id.
[[nodiscard]] std::vector<std::string_view> split_dependencies(std::string_view text);

// Sets Jobs::after. `list` has the entries of one job together. Errors, with the line: not_found
// (no job has that name), invalid (a job that waits for itself, directly or through others). O(jobs
// + list).
[[nodiscard]] Result<void> set_after(Jobs& jobs, const std::vector<Awaited>& list,
                                     const JobNumbers& numbers, std::string_view file);

}  // namespace copse::plan
