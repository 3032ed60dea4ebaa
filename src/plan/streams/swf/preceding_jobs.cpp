// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/swf/preceding_jobs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text/counted.hpp"

namespace copse::plan {

void PrecedingJobs::add(std::uint32_t job, std::int64_t number, std::int64_t preceding,
                        std::int64_t think_s) {
  if (preceding > 0) {
    const auto other = by_number_.find(preceding);
    if (other == by_number_.end()) {
      ++without_;
    } else {
      following_.push_back({job, other->second, std::min(think_s, kTimeMax_s)});
    }
  }
  if (number >= 0) by_number_.emplace(number, job);
}

void PrecedingJobs::finish(Jobs& jobs) const {
  for (const Following& one : following_) {
    Job& job = jobs.jobs[one.job];
    job.after_first = static_cast<std::uint32_t>(jobs.after.size());
    job.after_count = 1;
    job.submitted_after = one.think_s >= 0;
    jobs.after.push_back(
        {one.other, Dependency::On::ended, std::max<std::int64_t>(one.think_s, 0)});
  }
  if (without_ == 0) return;
  jobs.remarks.push_back(fmt::format(
      "{} a job that is not before {} in the trace, or is left out: {} submitted at {} own {}",
      counted(without_, "job follows", "jobs follow"), without_ == 1 ? "it" : "them",
      without_ == 1 ? "it is" : "they are", without_ == 1 ? "its" : "their",
      without_ == 1 ? "time" : "times"));
}

}  // namespace copse::plan
