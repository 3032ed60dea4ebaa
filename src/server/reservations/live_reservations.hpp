// SPDX-License-Identifier: Apache-2.0
//
// LiveReservations: the named reservations of nodes of a service, in real time;
// queue/reservation/reservation.hpp has their rules. It has no clock, socket or file.
//
//   reservations.table().apply(lines);             // the stored rows
//   reservations.begin(queue, jobs);               // before the queue resumes its jobs
//   reservations.run(line, caller, out);
//   reservations.record_bookings();                // after the clock has moved
//   write(reservations.table().take_lines(), …);   // with the effects, as one record
//
// The nodes of each booked time are stored, too: they do not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "queue/job_queue.hpp"
#include "server/jobs/job_row_table.hpp"
#include "server/reservations/reservation_row_table.hpp"
#include "session/job_host.hpp"

namespace copse::server {

class LiveReservations {
 public:
  [[nodiscard]] ReservationRowTable& table() { return table_; }
  [[nodiscard]] const ReservationRowTable& table() const { return table_; }

  // Books the stored reservations as they were. REQUIRES that the queue outlives this and has no
  // jobs yet. `user_of`: maps users as the queue's jobs do. `calendar`: for the days of those that
  // repeat. Errors: those of spec_of() and JobQueue::resume().
  [[nodiscard]] Result<void> begin(queue::JobQueue& queue, const JobRowTable& jobs,
                                   const UserOf& user_of = {}, const LocalTime& calendar = {});
  // Answers a request about reservations. Errors: invalid, limit, exists, not_found; those of
  // JobQueue::reserve().
  // `hidden`: jobs that the caller may not see; empty: none.
  // Adding and trying are work in steps, if the caller takes them (AnswerWork).
  [[nodiscard]] Result<void> run(const SessionRequest& line, const JobCaller& caller,
                                 const IsHidden& hidden, SessionAnswer& answer);
  // Stores the current bookings, if they changed. O(reservations) then.
  void record_bookings();

 private:
  // A requested reservation, with its row. Errors: invalid, limit.
  struct ReservationRequest {
    ReservationRow row;
    queue::ReservationSpec spec;
  };
  [[nodiscard]] Result<ReservationRequest> read_request(const SessionRequest& line,
                                                        const JobCaller& caller) const;
  // Adds it; or, for try_reservation, answers what that would do.
  [[nodiscard]] Result<void> add(const SessionRequest& line, const JobCaller& caller,
                                 const IsHidden& hidden, SessionAnswer& answer);
  [[nodiscard]] Result<void> end(const SessionRequest& line);
  void list(const IsHidden& hidden, std::string& out) const;
  [[nodiscard]] queue::ReservationReadOptions machine() const;

  // As spec_of(), with mapped user names.
  [[nodiscard]] Result<queue::ReservationSpec> read(const ReservationRow& row,
                                                    const queue::ReservationReadOptions& how) const;

  ReservationRowTable table_;
  UserOf user_of_{};
  LocalTime calendar_{};
  queue::JobQueue* queue_ = nullptr;
  std::uint64_t recorded_version_ = 0;  // JobQueue::bookings_version()
  std::size_t trials_under_way_ = 0;
};

}  // namespace copse::server
