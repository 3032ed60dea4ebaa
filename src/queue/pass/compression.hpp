// SPDX-License-Identifier: Apache-2.0
//
// Compression: promised jobs move to earlier starts where time was given back, in the order of the
// lines and of each line. A move gives back some of its old time. Those in front of the job may want
// that, so that another round follows, until nobody moves: who is in front starts whenever it can.
//
// It can be left after any job and gone on with later.
//
// Invariant: after the last round no promised job has an earlier start, unless looks ran out.
//
// Cost: the first round asks O(promised) times. In a long queue, every round moves somebody and
// costs as much as the first. So later rounds look at kLooksMax jobs in all, from the front on; what
// is left over is for the next pass.
#pragma once

#include <cstdint>
#include <optional>

#include "queue/queue_table.hpp"

namespace copse::queue {

class Compression {
 public:
  static constexpr std::uint32_t kRoundsMax = 32, kLooksMax = 1'024;

  // `wanted`: time was given back.
  void begin(bool wanted);
  bool run(const SharedParts& shared, QueueTable& queues,
           WorkBudget& budget);  // true if it is over

 private:
  bool round(const SharedParts& shared, QueueTable& queues, WorkBudget& budget);
  static void move(const SharedParts& shared, WaitingQueue& queue, Slot slot);
  static void move_counted(const SharedParts& shared, const QueuedJob& job, Slot slot);
  static void move_pinned(const SharedParts& shared, const QueuedJob& job, const JobKind& kind,
                          Slot slot);

  std::uint32_t rounds_left_ = 0, looks_left_ = 0;
  bool first_ = true;  // round
  std::size_t at_queue_ = 0;
  std::optional<QueuePosition> cursor_;  // of the last job looked at in that waiting_queue
};

}  // namespace copse::queue
