// SPDX-License-Identifier: Apache-2.0
//
// RunningEnds: the ends of the running jobs of a queue: which job should have ended, and has not.
//
// Entries of jobs that have ended, or have another end by now, are skipped.
//
// Invariant: each running job with an end before the horizon has an entry with that end, until it is
// dropped.
// Cost: add() O(log running), amortized; first_by() O(1), and O(log running) per entry skipped.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "queue/job_table.hpp"

namespace copse::queue {

class RunningEnds {
 public:
  // REQUIRES that both outlive it.
  RunningEnds(const Engine& engine, const JobTable& jobs) : engine_(engine), jobs_(jobs) {}
  RunningEnds(const RunningEnds& other, const Engine& engine, const JobTable& jobs)
      : engine_(engine), jobs_(jobs), ends_(other.ends_) {}

  // REQUIRES that the job runs; `running`: the number of these.
  void add(Slot slot, std::size_t running);
  // The running job that ends first, if that is by `time_s`; kNoSlot: none. It must have a grant.
  [[nodiscard]] Slot first_by(std::int64_t time_s);
  // Forgets that one. REQUIRES that first_by() returned it.
  void drop_first();

 private:
  using End = std::pair<std::int64_t, JobId>;
  [[nodiscard]] bool is_over(const End& end) const;

  const Engine& engine_;
  const JobTable& jobs_;
  std::vector<End> ends_;  // a heap
};

}  // namespace copse::queue
