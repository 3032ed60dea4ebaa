// SPDX-License-Identifier: Apache-2.0
//
// LiveReservations: named reservations of nodes on the machine of a service, in real time
// (queue/reservation/reservation.hpp has their rules). It has no clock, socket or file.
//
//   reservations.book().apply(lines);             // what is on disk
//   reservations.begin(queue, jobs);              // before its jobs go on
//   reservations.run(line, caller, now_s, out);
//   reservations.note();                          // the clock has moved: what is booked now
//   keep(reservations.book().take_lines(), …);    // with what the engine did, as one record
//
// Which nodes a time of a reservation has is on disk, too: it never moves.
#pragma once

#include <cstdint>
#include <string>

#include "queue/job_queue.hpp"
#include "server/jobs/job_book.hpp"
#include "server/reservations/reservation_book.hpp"
#include "session/job_host.hpp"

namespace copse::server {

class LiveReservations {
 public:
  [[nodiscard]] ReservationBook& book() { return book_; }
  [[nodiscard]] const ReservationBook& book() const { return book_; }

  // Those of the book are booked as they were. REQUIRES that the queue lives longer, and has no jobs
  // yet. `user_of`: how its jobs call their users. Errors: those of spec_of() and JobQueue::resume().
  [[nodiscard]] Result<void> begin(queue::JobQueue& queue, const JobBook& jobs,
                                   const UserOf& user_of = {});
  // Answers a line about reservations. Errors: invalid, limit, exists, not_found; those of
  // JobQueue::reserve().
  [[nodiscard]] Result<void> run(const SessionLine& line, const JobCaller& caller,
                                 std::string& out);
  // Puts what is booked now into the book, if it is not what was. O(reservations), if so.
  void note();

 private:
  // What a line asks for, with its row. Errors: invalid, limit.
  struct Asked {
    ReservationRow row;
    queue::ReservationSpec spec;
  };
  [[nodiscard]] Result<Asked> asked(const SessionLine& line, const JobCaller& caller) const;
  // Adds it; or, if it is only tried, says what that would do.
  [[nodiscard]] Result<void> add(const SessionLine& line, const JobCaller& caller,
                                 std::string& out);
  [[nodiscard]] Result<void> end(const SessionLine& line);
  void list(std::string& out) const;
  [[nodiscard]] plan::ReservationReadOptions machine() const;

  // As spec_of(), with its users as they are called here.
  [[nodiscard]] Result<queue::ReservationSpec> read(const ReservationRow& row,
                                                    const plan::ReservationReadOptions& how) const;

  ReservationBook book_;
  UserOf user_of_{};
  queue::JobQueue* queue_ = nullptr;
  std::uint64_t noted_ = 0;  // JobQueue::bookings_version()
};

}  // namespace copse::server
