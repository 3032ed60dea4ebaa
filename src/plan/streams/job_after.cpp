// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/job_after.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "request/tree/yaml_tree.hpp"

namespace copse::plan {

namespace {

// A job of a circle, by taking away what waits for nobody that is left; jobs.size() if there is
// none.
std::size_t job_in_circle(const Jobs& jobs) {
  std::vector<std::uint32_t> waits_for(jobs.jobs.size());
  std::vector<std::vector<std::uint32_t>> awaited_by(jobs.jobs.size());
  std::vector<std::uint32_t> free;
  for (std::uint32_t i = 0; i < jobs.jobs.size(); ++i) {
    waits_for[i] = jobs.jobs[i].after_count;
    if (waits_for[i] == 0) free.push_back(i);
    for (const std::uint32_t other : jobs.after_of(jobs.jobs[i])) awaited_by[other].push_back(i);
  }
  while (!free.empty()) {
    const std::uint32_t done = free.back();
    free.pop_back();
    for (const std::uint32_t next : awaited_by[done]) {
      if (--waits_for[next] == 0) free.push_back(next);
    }
  }
  const auto left = std::ranges::find_if(waits_for, [](std::uint32_t n) { return n > 0; });
  return static_cast<std::size_t>(left - waits_for.begin());
}

}  // namespace

Result<void> set_after(Jobs& jobs, const std::vector<Awaited>& list, const JobNumbers& numbers,
                       std::string_view file) {
  for (const Awaited& awaited : list) {
    const auto at = numbers.find(awaited.name);
    if (at == numbers.end()) {
      return fail(
          ErrorCode::not_found,
          fmt::format("\"after\": no job of the stream has the id \"{}\"", shown(awaited.name)),
          {std::string(file), awaited.line, 0});
    }
    Job& job = jobs.jobs[awaited.job];
    if (job.after_count++ == 0) job.after_first = static_cast<std::uint32_t>(jobs.after.size());
    jobs.after.push_back(at->second);
  }
  if (list.empty()) return {};
  const std::size_t circle = job_in_circle(jobs);
  if (circle == jobs.jobs.size()) return {};
  const auto line = std::ranges::find(list, circle, &Awaited::job);
  return fail(ErrorCode::invalid,
              fmt::format("\"after\": job \"{}\" waits for a job that waits for it",
                          shown(jobs.jobs[circle].name)),
              {std::string(file), line == list.end() ? 0 : line->line, 0});
}

}  // namespace copse::plan
