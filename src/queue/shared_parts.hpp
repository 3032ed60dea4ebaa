// SPDX-License-Identifier: Apache-2.0
//
// SharedParts: the parts of a queue that its waiting queues, reservations and passes share; and the
// sink of its decisions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "queue/freed_intervals.hpp"
#include "queue/pass/running_job_list.hpp"
#include "queue/priorities.hpp"
#include "queue/promises.hpp"

namespace copse::queue {

// PromiseErrors: how accurate promised starts were, for the last jobs that started.
//
// An error is the start minus the first promised start: below 0, the job started early. Cost: add()
// O(1); at() O(kKept).
class PromiseErrors {
 public:
  static constexpr std::size_t kKept = 1'000;

  void add(std::int64_t error_s) {
    if (errors_.size() < kKept) {
      errors_.push_back(error_s);
    } else {
      errors_[count_ % kKept] = error_s;
    }
    ++count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }  // since the beginning
  // A quantile of the errors, 0.5 being the median; none if there are no errors. REQUIRES 0 <= part
  // <= 1.
  [[nodiscard]] std::optional<std::int64_t> at(double part) const {
    if (errors_.empty()) return std::nullopt;
    std::vector<std::int64_t> sorted = errors_;
    const auto last = static_cast<double>(sorted.size() - 1);
    const auto place = sorted.begin() + std::lround(part * last);
    std::ranges::nth_element(sorted, place);
    return *place;
  }

 private:
  std::vector<std::int64_t> errors_;  // the oldest is overwritten
  std::size_t count_ = 0;
};

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
  RunningJobList& running_jobs;
};

}  // namespace copse::queue
