// SPDX-License-Identifier: Apache-2.0
//
// Jobs that wait for others of their stream, as the stream names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/job.hpp"
#include "plan/streams/line_values.hpp"

namespace copse::plan {

inline constexpr std::size_t kAfterMax = 10'000'000;  // of all jobs together

struct Awaited {
  std::uint32_t job;   // who waits
  std::string name;    // for whom
  std::uint32_t line;  // of the stream
  Dependency::On on = Dependency::On::ended_well;
  const char* key = "after";  // that names it
  bool several = false;       // the name may be that of several jobs: "a:b"
};

// "afternotok:make", as Slurm and Flux write it: what is waited for, and of whom; "afterok:a:b" is
// of two, which set_after tells apart. Errors: invalid.
struct DependencyWord {
  Dependency::On on;
  std::string_view name;
};
[[nodiscard]] Result<DependencyWord> parse_dependency(std::string_view text);
// "afterok:a,afterany:b" as its words. A comma that no word follows is of an id.
[[nodiscard]] std::vector<std::string_view> split_dependencies(std::string_view text);

// Sets Jobs::after. `list` has those of one job beside each other. Errors, with the line: not_found
// (no job has that name), invalid (a job that waits for itself, directly or through others).
// O(jobs + list).
[[nodiscard]] Result<void> set_after(Jobs& jobs, const std::vector<Awaited>& list,
                                     const JobNumbers& numbers, std::string_view file);

}  // namespace copse::plan
