// SPDX-License-Identifier: Apache-2.0
//
// The disciplines of the queue, once more and plainly: what they mean, as a program. It shares no
// code with src/, plans node by node and second by second, and remembers nothing between two
// decisions that could be worked out again. oracle_test.cpp holds the queue against it.
//
// The machine: nodes 0, 1, 2, …, each with the same cores and gpus, and layers. A job asks for so
// many whole nodes of those that it and its queue allow, or for slots of cores and gpus, each on one
// node; and may draw from layers. It gets what has the lowest numbers.
//
// A promise is of a time. Only while some job may not have all nodes, wants parts of them or draws
// from layers, or some nodes are reserved, it is of certain units, too; the promise itself stays when
// that begins or ends.
//
// A job that has not ended when its time is over has another minute, again and again. Who is to run
// longer than promises leave it takes back all that start before its new end.
//
// A pass, whenever anything happened, looks at the queues in the order of their names:
//   0. where time or use count in priorities, they are worked out again, every so often;
//   1. who is not among the first any more, as far as its discipline and depth go, loses its
//      promise;
//   2. of those that wait for a reservation that lasts, each starts that fits in what it has, and
//      ends by its end;
//   3. if time was given back that somebody had, or was promised, each promise moves to its
//      earliest start, in the order of the queues and of each; and again, until none does;
//   4. in that order, each job starts if it can, breaking no promise. If it cannot,
//        fcfs          nobody behind it starts
//        easy          the first has its earliest start promised
//        hybrid        the first few have
//        conservative  all have
//      Who could start at no time (nodes are down) is passed over until something is given back.
// Nobody looks at a queue that is stopped, and all that it was promised is taken back.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "queue/oracle/pass.hpp"

namespace copse::queue_oracle {

class Oracle {
 public:
  // Lines in the order of their names.
  Oracle(Machine machine, std::vector<QueueRules> queues, Rule rule);

  // Events; false if there is no such job or reservation, or it is in no state for that.
  bool submit(Job job);
  bool submit_to(Job job, int reservation);  // by its name
  bool cancel(Id id);
  bool hold(Id id);
  bool release(Id id);
  bool set_priority(Id id, std::int64_t priority);
  bool ended(Id id, Time at);
  bool ended_part(Id id, std::int64_t nodes);  // what it has of the first so many of its own
  bool set_end(Id id, Time end);
  void set_up(int node, bool up);
  void set_stopped(std::size_t queue, bool stopped);
  void set_discipline(std::size_t queue, QueueRules rules);
  void advance(Time now);
  bool reserve(const Booking& booking);
  bool change_reservation(const Booking& booking);
  bool cancel_reservation(int name);
  // Decisions.
  void work();

  [[nodiscard]] const std::map<Id, Job>& jobs() const { return plan_.machine.jobs; }  // also gone
  [[nodiscard]] std::size_t denied() const { return denied_; }
  [[nodiscard]] const Reservations& reservations() const { return plan_.machine.reservations; }

 private:
  [[nodiscard]] Job* find(Id id);
  void leave_queue(Job& job);
  void run_until(Job& job, Time end);
  void overrun(Time now);

  // Reservations
  bool book(Reservation& reservation, bool all);
  void reservations_changed();
  void orphan_jobs(int reservation);

  Plan plan_;
  std::vector<QueueRules> queues_;
  std::size_t arrivals_ = 0, denied_ = 0;
};

}  // namespace copse::queue_oracle
