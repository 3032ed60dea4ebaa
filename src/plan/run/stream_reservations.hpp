// SPDX-License-Identifier: Apache-2.0
//
// StreamReservations: books the reservations of a stream in its queue.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "plan/run/quiet_time.hpp"
#include "plan/schedule.hpp"
#include "queue/job_queue.hpp"

namespace copse::plan {

class StreamReservations {
 public:
  // All must outlive it. `job_name`: the name of a grant's job.
  StreamReservations(Engine& engine, const Jobs& jobs, const ScheduleObserver& observer,
                     queue::JobQueue& queue, QuietTime& quiet,
                     std::function<std::string(JobId)> job_name)
      : engine_(engine),
        jobs_(jobs),
        observer_(observer),
        queue_(queue),
        quiet_(quiet),
        job_name_(std::move(job_name)) {}

  // Books those that exist from the start, and checks those of events. Errors, with the place: of a
  // reservation that cannot be booked.
  [[nodiscard]] Result<void> book_all();
  // Errors: as JobQueue::reserve.
  [[nodiscard]] Result<void> book(const queue::ReservationSpec& spec);

 private:
  [[nodiscard]] Result<void> check(const queue::ReservationSpec& spec);

  Engine& engine_;
  const Jobs& jobs_;
  const ScheduleObserver& observer_;
  queue::JobQueue& queue_;
  QuietTime& quiet_;
  std::function<std::string(JobId)> job_name_;
};

}  // namespace copse::plan
