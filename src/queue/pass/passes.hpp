// SPDX-License-Identifier: Apache-2.0
//
// Passes: the decisions of a queue, in passes over all its waiting queues, as long as decisions are
// left. A pass:
//   1. revokes promises that disciplines no longer give, and starts jobs that are due;
//   2. starts jobs that wait for an active reservation;
//   3. moves promises earlier, where resources were freed (Compression);
//   4. examines each waiting queue (WaitingQueue).
// It can be interrupted after any job; QueueParts knows its progress.
//
// Cost: that of its steps; see waiting_queue.hpp and compression.hpp.
#pragma once

#include "queue/queue_parts.hpp"

namespace copse::queue {

class Passes {
 public:
  explicit Passes(QueueParts& parts) : p_(parts) {}
  // Returns true if no decision is left. Denied jobs are removed before it returns, because the
  // next event may name one.
  bool work(WorkBudget& budget);

 private:
  bool run(WorkBudget& budget);
  void begin();
  void choose_form();
  void prioritize();
  void revoke_excess();
  void report_plans();

  QueueParts& p_;
};

}  // namespace copse::queue
