// SPDX-License-Identifier: Apache-2.0
//
// What the oracle plans on: nodes, the jobs that have them or will, and reservations; who fits when.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "queue/oracle_reservations.hpp"

namespace copse::queue_oracle {

using Id = std::uint64_t;

inline constexpr Time kNever = -1;

enum class State : std::uint8_t { held, waiting, promised, running, gone };

struct Job {
  Id id = 0;
  std::size_t line = 0, queue = 0;  // queue: what it was submitted to
  std::int64_t nodes = 1;
  std::vector<int> allowed{};  // nodes that it may have
  bool constrained = false;    // these are not just all
  Time duration = 1, submit = 0;
  std::int64_t given = 0, priority = 0;
  State state = State::waiting;
  int user = 0;
  int reservation = 0;  // the number of the one that it waits for; 0: none
  bool stuck = false;   // at no time, when it was looked at last
  std::size_t arrival = 0;
  Time start = 0, end = 0;  // promised or running
  std::vector<int> on{};    // the nodes that it has, or will have
};

[[nodiscard]] bool before(const Job& a, const Job& b);  // in a queue

struct Machine {
  Machine(int nodes, Time end) : horizon(end), up(static_cast<std::size_t>(nodes), true) {}

  // Who waits there, in the order of the queue; not those that wait for reservations.
  [[nodiscard]] std::vector<Job*> queue(std::size_t line);
  [[nodiscard]] std::vector<Job*> waiting_for(int reservation);
  [[nodiscard]] bool anybody_waits() const;
  [[nodiscard]] std::vector<Job*> promised();  // in the order of their starts
  [[nodiscard]] bool usable(const Job& job, int node) const;
  [[nodiscard]] bool idle(int node, Time from, Time until) const;
  [[nodiscard]] bool free_of_jobs(int node, Time from, Time until) const;
  [[nodiscard]] std::vector<int> choose(const Job& job, Time from, Time until) const;
  [[nodiscard]] std::int64_t taken(Time at) const;
  [[nodiscard]] bool fits(const Job& job, Time start) const;
  [[nodiscard]] Time end_of(const Job& job, Time start) const;
  [[nodiscard]] Time earliest(const Job& job) const;
  // From now on, of what a reservation has.
  [[nodiscard]] std::vector<int> choose_in(const Job& job, const ReservedTime& time,
                                           Time until) const;
  // Whether a promise is in the way of one that runs until then.
  [[nodiscard]] bool promised_away(const Job& job, Time until) const;
  // The nodes of a reservation; none if they are not to be had.
  [[nodiscard]] std::vector<int> room(const Booking& booking, const ReservedTime& time) const;

  Time horizon, now = 0;
  std::vector<bool> up;
  std::map<Id, Job> jobs{};
  Reservations reservations{};
  bool by_numbers = true;  // promises are of times only
};

}  // namespace copse::queue_oracle
