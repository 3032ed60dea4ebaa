// SPDX-License-Identifier: Apache-2.0
//
// PrecedingJobs: fields 17 and 18 of a trace. A job is submitted its think time after the end of the
// job that precedes it, as its user did. Without a think time it is submitted at its own time, and
// waits for that end.
//
// A job that follows none of the jobs before it is submitted at its own time. So nothing waits in a
// circle. Source: Feitelson, The Standard Workload Format, *fields*.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "plan/job.hpp"

namespace copse::plan {

class PrecedingJobs {
 public:
  // Notes the job with this number of the stream, in its order. `number`: of the trace; `preceding`,
  // `think_s`: -1: none.
  void add(std::uint32_t job, std::int64_t number, std::int64_t preceding, std::int64_t think_s);
  // Sets Jobs::after, and adds a remark about jobs that follow none. O(jobs).
  void finish(Jobs& jobs) const;

 private:
  struct Following {
    std::uint32_t job, other;
    std::int64_t think_s;
  };
  std::unordered_map<std::int64_t, std::uint32_t> by_number_;
  std::vector<Following> following_;
  std::uint64_t without_ = 0;
};

}  // namespace copse::plan
