// SPDX-License-Identifier: Apache-2.0
//
// SharedParts: the parts of a queue that its lines, reservations and passes work on together; and
// who is told what becomes of jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue/freed_intervals.hpp"
#include "queue/priorities.hpp"
#include "queue/promise_errors.hpp"
#include "queue/promises.hpp"

namespace copse::queue {

// Who is told what becomes of jobs; nothing may be changed from within.
class QueueSink {
 public:
  virtual ~QueueSink() = default;
  // It runs from now on; the grant stays good until the function returns.
  virtual void started(JobId job, const Grant& grant) = 0;
  // It is promised this start, or has one no more. Told at the end of a pass, if it changed.
  virtual void planned(JobId, std::int64_t /*start_s*/) {}
  virtual void unplanned(JobId) {}
  // It will never start, and has left the queue.
  virtual void denied(JobId, const Error&) = 0;
  // It fits at no time, as things are (nodes are down, or in use without end), and waits.
  virtual void unplaceable(JobId, const Error&) {}
  // A time of a reservation is booked, over these nodes.
  virtual void reserved(const std::string& /*name*/, std::int64_t /*start_s*/,
                        std::int64_t /*end_s*/, const std::vector<PoolId>& /*nodes*/) {}
  // The discipline of a queue threw, or returned no Treatment; the job is treated as with `wait`.
  virtual void discipline_failed(const std::string& /*queue*/, const Error&) {}
};

// Invariant: a queue has one, and all its parts have the same.
struct SharedParts {
  Engine& engine;
  JobTable& jobs;
  JobKindTable& kinds;
  Promises& promises;
  FreedIntervals& freed_intervals;
  Priorities& priorities;
  PromiseErrors& errors;
  QueueSink& sink;
  std::vector<Slot>& denied_slots;  // denied in this pass
};

}  // namespace copse::queue
