// SPDX-License-Identifier: Apache-2.0
//
// StreamReservations: books the reservations of a stream in its queue.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "plan/schedule.hpp"
#include "queue/job_queue.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::plan {

// QuietTime: since when no event but starts and ends of reservations has happened in a stream.
//
// When only endless reservations are left, the state repeats after a week. A job that has not
// started when all booked occurrences have ended will never start.
class QuietTime {
 public:
  // Other events may happen until then.
  void expect_until(std::int64_t time_s);
  // The same for a reservation, if its occurrences have an end.
  void expect(const queue::ReservationSpec& spec);
  // Another event happens, or is to come.
  void interrupt() { since_s_.reset(); }
  // Whether it has been quiet for so long that waiting jobs will never start.
  [[nodiscard]] bool is_final(std::int64_t now_s);

 private:
  std::optional<std::int64_t> since_s_;
  std::int64_t news_until_s_ = 0;
};

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
