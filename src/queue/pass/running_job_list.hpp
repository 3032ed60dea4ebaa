// SPDX-License-Identifier: Apache-2.0
//
// RunningJobList: the running jobs of a queue as disciplines see them (copse/discipline.hpp), made when
// one asks.
//
// Cost: list() O(1); after a job has started, ended or got another end, O(jobs + running · log running).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/discipline.hpp"
#include "queue/job_kind_table.hpp"
#include "queue/priorities.hpp"
#include "queue/promises.hpp"

namespace copse::queue {

class RunningJobList {
 public:
  // REQUIRES that all outlive it.
  RunningJobList(const JobTable& jobs, const JobKindTable& kinds, const Promises& promises,
                 const Priorities& users)
      : jobs_(jobs), kinds_(kinds), promises_(promises), users_(users) {}

  // By their expected ends, then by id. Valid until one starts, ends or gets another end.
  [[nodiscard]] std::span<const RunningJobView> list();

 private:
  const JobTable& jobs_;
  const JobKindTable& kinds_;
  const Promises& promises_;
  const Priorities& users_;
  std::vector<RunningJobView> list_;
  std::uint64_t seen_ =
      UINT64_MAX;  // Promises::running_changes() at the last list(); UINT64_MAX: none
};

}  // namespace copse::queue
