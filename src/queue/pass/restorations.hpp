// SPDX-License-Identifier: Apache-2.0
//
// Restorations: promises that were withdrawn, because others need their resources, are made again: in
// the order of the queues and of the jobs in each, before any other job gets those resources. Each
// keeps its start where that is still possible.
//
// A promise is withdrawn together with all promises behind it. So a job is delayed only by jobs
// before it.
//
// It can be interrupted after any job. Cost: withdraw_from() that of each promise; run() O(n) for n
// jobs, and for each that of its promise.
#pragma once

#include <vector>

#include "queue/queue_table.hpp"

namespace copse::queue {

class Restorations {
 public:
  [[nodiscard]] bool any() const { return !all_.empty(); }
  // Withdraws a promise, and all promises behind it.
  void withdraw_from(const SharedParts& shared, QueueTable& queues, Slot first);
  // True if it is done. Jobs that have left, or are on hold, are skipped.
  bool run(const SharedParts& shared, QueueTable& queues, WorkBudget& budget);

 private:
  std::vector<Slot> all_;  // the last one first, unless positions have changed
};

}  // namespace copse::queue
