// SPDX-License-Identifier: Apache-2.0
//
// Resumptions: jobs of a former queue continue in this one (JobQueue::resume).
//
// Running jobs are resumed first, because they decide whether promises are counted. Then each
// promise is restored at its start: counted, or by the reservation that the engine still has.
#pragma once

#include <vector>

#include "queue/events/submission.hpp"
#include "queue/queue_parts.hpp"

namespace copse::queue {

class Resumptions {
 public:
  explicit Resumptions(QueueParts& parts) : p_(parts) {}
  // REQUIRES that the job is in the table, and that `was` exists until settle().
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
