// SPDX-License-Identifier: Apache-2.0
//
// SharedParts: the parts of a queue that its waiting queues, reservations and passes share; and the
// sink of its decisions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue/freed_intervals.hpp"
#include "queue/priorities.hpp"
#include "queue/promise_errors.hpp"
#include "queue/promises.hpp"

namespace copse::queue {

// Receives the decisions of a queue; it must not change the queue from within.
class QueueSink {
 public:
  virtual ~QueueSink() = default;
  // The job runs from now on; the grant is valid until the function returns.
  virtual void started(JobId job, const Grant& grant) = 0;
  // The job has this promised start, or none any more. Reported at the end of a pass, if it
  // changed.
  virtual void planned(JobId, std::int64_t /*start_s*/) {}
  virtual void unplanned(JobId) {}
  // The job will never start, and has left the queue.
  virtual void denied(JobId, const Error&) = 0;
  // The job fits at no time in the present state (nodes are down, or in use without end), and
  // waits.
  virtual void unplaceable(JobId, const Error&) {}
  // An occurrence of a reservation is booked, on these nodes.
  virtual void reserved(const std::string& /*name*/, std::int64_t /*start_s*/,
                        std::int64_t /*end_s*/, const std::vector<PoolId>& /*nodes*/) {}
  // The discipline of a queue threw, or returned an invalid value; the job is treated as with
  // `wait`.
  virtual void discipline_failed(const std::string& /*queue*/, const Error&) {}
};

// Invariant: all parts of a queue have the same.
struct SharedParts {
  Engine& engine;
  JobTable& jobs;
  JobKindTable& kinds;
  Promises& promises;
  FreedIntervals& freed_intervals;
  Priorities& priorities;
  PromiseErrors& errors;
  QueueSink& sink;
  std::vector<Slot>& denied_slots;  // jobs denied in this pass
};

}  // namespace copse::queue
