// SPDX-License-Identifier: Apache-2.0
//
// Compression: promised jobs move to earlier starts where resources were freed, in the order of the
// queues and of the jobs in each (Mu'alem and Feitelson 2001). A move frees some of the job's old
// time. Jobs before it may use that, so another round follows, until no job moves: the jobs in
// front start as early as they can.
//
// It can be interrupted after any job.
//
// Invariant: after the last round no promised job has an earlier start, unless the budget of
// kJobsMax was exhausted.
//
// Cost: the first round searches O(promised) times. In a long queue, every round moves a job and
// costs as much as the first. So later rounds examine kJobsMax jobs in all, from the front; the
// rest is left for the next pass.
#pragma once

#include <cstdint>
#include <optional>

#include "queue/queue_table.hpp"

namespace copse::queue {

class Compression {
 public:
  static constexpr std::uint32_t kRoundsMax = 32, kJobsMax = 1'024;

  // `wanted`: resources were freed.
  void begin(bool wanted);
  bool run(const SharedParts& shared, QueueTable& queues,
           WorkBudget& budget);  // true if it is done

 private:
  bool round(const SharedParts& shared, QueueTable& queues, WorkBudget& budget);
  static void move(const SharedParts& shared, WaitingQueue& queue, Slot slot);
  static void move_counted(const SharedParts& shared, const QueuedJob& job, Slot slot);
  static void move_pinned(const SharedParts& shared, const QueuedJob& job, const JobKind& kind,
                          Slot slot);

  std::uint32_t rounds_left_ = 0, jobs_left_ = 0;
  bool first_ = true;  // round
  std::size_t at_queue_ = 0;
  std::optional<QueuePosition> cursor_;  // of the last job examined in that queue
};

}  // namespace copse::queue
