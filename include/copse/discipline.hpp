// SPDX-License-Identifier: Apache-2.0
//
// Discipline: who of those that wait is promised a start, and who may pass whom.
//
// A discipline is a small value, as a policy is: a function that looks at one waiting job at a
// time, in the order of the queue, and says what becomes of it if it cannot start now. So one that
// is written outside costs a pass no more than those here (examples/disciplines/).
//
//   fcfs          nobody passes a job that waits
//   easy          the first that waits is promised its start; others start if they break no promise
//   hybrid        the first `reservation_depth` that wait are (Fluxion's hybrid)
//   conservative  all are
//
// Words and parameters are Fluxion's (its queue policies). EASY: Lifka, "The ANL/IBM SP Scheduling
// System", 1995; conservative: Mu'alem and Feitelson, 2001.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

// What becomes of a job that cannot start now.
enum class Treatment : std::uint8_t {
  promise,   // it is promised its earliest start
  wait,      // it is promised nothing; the next one is looked at
  all_wait,  // nor is any after it; they start now if they fit beside all promises
  stop,      // none after it starts before it
};

struct Discipline;

// One waiting job, as the discipline sees it.
struct JobView {
  const Discipline& discipline;
  std::size_t position = 0;  // jobs before it that wait
  std::size_t promises = 0;  // of those before it
  bool promised = false;     // itself, until now
  std::int64_t now_s = 0, submit_s = 0;
  std::int64_t duration_s = 0;  // above 0; without end, longer than any horizon
  std::int64_t priority = 0;    // as its rule and its queue make it
  // The least that it asks for. nodes: whole or in part; 0: parts of any nodes.
  std::int64_t nodes = 0;
  double cores = 0;                  // those of whole nodes by the machine's average
  std::string_view user{}, queue{};  // queue: what it was submitted to; until the call returns
};

struct Discipline {
  std::string name;
  std::string summary{};  // one line for --help
  // Called for each waiting job, from the first on, until all_wait or stop; a pure function. It may
  // be called again for the same job in a pass, when those before it have left.
  Treatment (*treat)(const JobView&) = nullptr;
  // hybrid: jobs that may be promised something. 64 in Fluxion.
  std::size_t reservation_depth = 64;
};

// fcfs, easy, hybrid, conservative.
[[nodiscard]] std::span<const Discipline> bundled_disciplines();

// The discipline of that name, of `own` first. Errors: not_found, with the nearest name.
[[nodiscard]] Result<Discipline> find_discipline(std::string_view name,
                                                 std::span<const Discipline> own = {});

}  // namespace copse
