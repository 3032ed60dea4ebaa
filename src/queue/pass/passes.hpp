// SPDX-License-Identifier: Apache-2.0
//
// Passes: the decisions of a queue. A pass visits all waiting queues; passes follow each other until
// no decision is left. A pass:
//   1. makes promises again that were withdrawn (Restorations);
//   2. revokes promises that disciplines no longer give, and starts jobs that are due;
//   3. starts jobs that wait for an active reservation;
//   4. moves promises earlier, where resources were freed (Compression);
//   5. examines each waiting queue (WaitingQueue).
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
  bool restore(WorkBudget& budget);
  void begin();
  void choose_form();
  void keep_form();
  void prioritize();
  void revoke_excess();
  void report_plans();

  QueueParts& p_;
};

}  // namespace copse::queue
