// SPDX-License-Identifier: Apache-2.0
//
// Discipline: which waiting job is promised a start, and which may overtake which.
//
// A discipline is a small value, like a policy: a function that decides about one waiting job at a
// time, in the order of the queue, if the job cannot start now. So a discipline of your own costs a
// pass no more than the bundled ones (examples/disciplines/).
//
//   fcfs          no job overtakes a waiting one
//   easy          the first waiting job has a promise; others start if they break none
//   hybrid        the first `reservation_depth` waiting jobs have promises (Fluxion's hybrid)
//   conservative  all waiting jobs have promises
//
// Names and parameters are Fluxion's (its queue policies). EASY: Lifka, "The ANL/IBM SP Scheduling
// System", 1995; conservative: Mu'alem and Feitelson, 2001.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

// What happens to a job that cannot start now.
enum class Treatment : std::uint8_t {
  promise,   // its earliest start is promised
  wait,      // it gets no promise; the next job is examined
  all_wait,  // neither it nor any job after it gets a promise; they are backfilled
  stop,      // no job after it starts before it
};

struct Discipline;

// One running job, as a discipline sees it.
struct RunningJobView {
  std::uint64_t id = 0;
  // end_s: expected, by its requested time; later while it overruns; the horizon without a limit.
  std::int64_t start_s = 0, end_s = 0;
  std::int64_t nodes = 0;  // the minimum that it requested, as in JobView
  double cores = 0;
  std::string_view user{}, queue{};
};

// One waiting job, as the discipline sees it.
//
// Whether it fits next to a promise is no question here: the queue starts no job that would delay one.
struct JobView {
  const Discipline& discipline;
  std::size_t position = 0;  // waiting jobs before it
  std::size_t promises = 0;  // how many of those have promises
  bool promised = false;     // it had a promise until now
  std::int64_t now_s = 0, submit_s = 0;
  std::int64_t duration_s = 0;  // above 0; unlimited: longer than any horizon
  std::int64_t priority = 0;    // with the terms of its rule and its queue
  // The minimum that it requests. nodes: whole or in part; 0: parts of any nodes.
  std::int64_t nodes = 0;
  double cores = 0;                  // a whole node counts as the machine's average
  std::string_view user{}, queue{};  // queue: of its submission; valid until the call returns

  // The running jobs, by their expected ends; valid until the call returns. O(1), and O(jobs) at the
  // first call after one has started or ended.
  [[nodiscard]] std::span<const RunningJobView> running() const {
    return read_running == nullptr ? std::span<const RunningJobView>() : read_running(running_jobs);
  }
  std::span<const RunningJobView> (*read_running)(void* jobs) = nullptr;
  void* running_jobs = nullptr;
};

struct Discipline {
  std::string name;
  std::string summary{};  // one line for --help
  // Called for each waiting job, from the first on, until all_wait or stop; a pure function. It may
  // be called again for the same job in a pass, when jobs before it have left.
  Treatment (*treat)(const JobView&) = nullptr;
  // hybrid: the number of jobs that may have promises. 64 in Fluxion.
  std::size_t reservation_depth = 64;
};

// fcfs, easy, hybrid, conservative.
[[nodiscard]] std::span<const Discipline> bundled_disciplines();

// The discipline of that name; `own` ones come first. Errors: not_found, with the nearest name.
//
[[nodiscard]] Result<Discipline> find_discipline(std::string_view name,
                                                 std::span<const Discipline> own = {});

}  // namespace copse
