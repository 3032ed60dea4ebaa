// SPDX-License-Identifier: Apache-2.0
//
// Resumptions: jobs of a queue that is no more go on in this one (JobQueue::resume).
//
// Those that run come first, since whether promises are counted depends on them. Then every promise
// is made for the start that it had: counted, or by the reservation that the engine still has.
#pragma once

#include <vector>

#include "queue/events/submission.hpp"
#include "queue/queue_parts.hpp"

namespace copse::queue {

class Resumptions {
 public:
  explicit Resumptions(QueueParts& parts) : p_(parts) {}
  // REQUIRES that it is in the table, and `was` lives until settle().
  void add(Slot slot, const Resumption& was) { all_.push_back({slot, &was}); }
  void settle();

 private:
  struct One {
    Slot slot;
    const Resumption* was;
  };
  void settle_running();
  void settle_waiting(const One& one);

  QueueParts& p_;
  std::vector<One> all_;
};

}  // namespace copse::queue
