// SPDX-License-Identifier: Apache-2.0
//
// The disciplines of the queue, implemented again as a plain program. It shares no code with src/,
// plans node by node and second by second, and caches nothing that can be computed again.
// oracle_test.cpp compares the queue with it.
//
// The machine: nodes 0, 1, 2, …, each with the same cores and gpus, and layers. A job requests a
// number of whole nodes of those that it and its queue allow, or slots of cores and gpus, each on
// one node; and may charge layers. It gets the lowest numbers that fit.
//
// A promise is about a time. It is also pinned to units while some job excludes nodes, requests
// parts of them or charges layers, or some nodes are reserved; the promise itself stays when that
// begins or ends.
//
// A job that has not ended in time gets twice the time by which it is late, from 2 s to a minute,
// repeatedly. If its end is told right after the clock has moved, it has ended in time.
//
// A job that is to run longer than promises allow, and a reservation, take back promises: the first,
// in the order of the queues, that starts before the new end, or that has reserved nodes; and all
// that are behind it. They are made again before anything else happens, in that order: for the same
// start if that is still possible, else for the earliest.
//
// A pass, after any event, examines the queues in the order of their names:
//   0. where time or usage count in priorities, they are recomputed, periodically;
//   1. a job that is not among the first any more, by its discipline and depth, loses its promise;
//   2. of the jobs that wait for an active reservation, each starts that fits in its resources, and
//      ends in time;
//   3. if resources in use, or promised, were freed, each promise moves to its earliest start, in the
//      order of the queues and of the jobs in each; repeatedly, until none moves;
//   4. in that order, each job starts if it can, breaking no promise. If it cannot,
//        fcfs          no job behind it starts
//        easy          the first one gets a promise for its earliest start
//        hybrid        the first few get one
//        conservative  all get one
//      A job that could start at no time (nodes are down) is skipped until resources are freed.
// A stopped queue is not examined, and its promises are revoked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "queue/oracle/pass.hpp"

namespace copse::queue_oracle {

class Oracle {
 public:
  // Queues in the order of their names.
  Oracle(Machine machine, std::vector<QueueRules> queues, Rule rule);

  // Events; false if there is no such job or reservation, or its state does not allow the event.
  bool submit(Job job);
  bool submit_to(Job job, int reservation);  // by its name
  bool cancel(Id id);
  bool hold(Id id);
  bool release(Id id);
  bool set_priority(Id id, std::int64_t priority);
  bool ended(Id id, Time at);
  bool ended_part(Id id, std::int64_t nodes);  // its nodes among the machine's first ones
  bool set_end(Id id, Time end);
  void set_up(int node, bool up);
  void set_stopped(std::size_t queue, bool stopped);
  void set_discipline(std::size_t queue, QueueRules rules);
  void advance(Time now);
  bool reserve(const Booking& booking);
  bool change_reservation(const Booking& booking);
  bool cancel_reservation(int name);
  // Outside the queue: a job that never waits. Not all of it: at the earliest time, if `later`.
  bool grant(Job job, bool later);
  bool release_grant(Id id);
  // Decisions.
  void work();

  [[nodiscard]] const std::map<Id, Job>& jobs() const {
    return plan_.machine.jobs;
  }  // also ended ones
  [[nodiscard]] std::size_t denied() const { return denied_; }
  [[nodiscard]] const Reservations& reservations() const { return plan_.machine.reservations; }

 private:
  [[nodiscard]] Job* find(Id id);
  void leave_queue(Job& job);
  void run_until(Job& job, Time end);
  [[nodiscard]] std::map<std::pair<Time, Id>, Job*> late_by(Time now);
  void overrun(Time now);
  void move_clock(Time now);
  void catch_up();

  // Reservations
  bool book(Reservation& reservation, bool all);
  void reservations_changed();
  void orphan_jobs(int reservation);

  Plan plan_;
  std::vector<QueueRules> queues_;
  std::size_t arrivals_ = 0, denied_ = 0;
  std::optional<Time> told_;  // the time, where the ends of jobs by then may still be told
};

}  // namespace copse::queue_oracle
