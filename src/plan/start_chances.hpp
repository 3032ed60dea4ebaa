// SPDX-License-Identifier: Apache-2.0
//
// StartChances: where the jobs that wait under conservative backfill may have earlier starts, so
// that compression need not ask for all others.
//
// When a job of fixed counts was last tried (or placed), it could not start before its reservation.
// If it can now, its new time overlaps a time that was given back since: by a job that ended early,
// or by a reservation that moved. So for each such [from, until) only starts in (from - duration,
// until) are asked for. A pass goes over the queue in order: what a job gives back in it counts for
// those before it in the next one.
//
// And what a request cannot do in a pass, its like cannot either: where a job could not start
// before a time, another one with the same request, for as long or longer, cannot, up to where the
// first one's view was blocked by the other's own reservation, or where something was given back
// since.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/schedule.hpp"

namespace copse::plan {

class StartChances {
 public:
  struct Interval {
    std::int64_t from_s, until_s;
  };

  explicit StartChances(const Jobs& jobs)
      : jobs_(jobs), tried_(jobs.jobs.size()), nothing_(jobs.requests.size()) {}

  void give_back(Interval freed) { given_back_.push_back(freed); }
  // Whether a pass may find something.
  [[nodiscard]] bool any() const { return !given_back_.empty(); }
  // Starts earlier than `start_s` to ask for: ascending and apart, until the next call.
  // O(intervals given back).
  [[nodiscard]] std::span<const Interval> of(std::uint32_t rank, const Job& job, std::int64_t now_s,
                                             std::int64_t start_s);
  // A time before which the job cannot start, as others of its kind in this pass show.
  [[nodiscard]] std::int64_t none_before(const Job& job, std::int64_t now_s,
                                         std::int64_t start_s) const;
  // The job was tried, or placed.
  void tried(std::uint32_t rank) {
    tried_[rank] = {pass_, static_cast<std::uint32_t>(given_back_.size())};
  }
  // The job can start no earlier than then.
  void settled(const Job& job, std::int64_t start_s);
  // What was given back so far is that of the last pass from now on.
  void end_pass();

 private:
  struct Tried {
    std::uint32_t pass = 0;   // the pass that tried it last; before its first one, the current
    std::uint32_t place = 0;  // how much of that pass's list was there
  };
  struct Nothing {  // a job that could not start before a time
    std::uint32_t pass = UINT32_MAX;
    std::size_t place = 0;  // so many times had been given back
    std::int64_t duration_s = 0, before_s = 0;
  };

  const Jobs& jobs_;
  std::uint32_t pass_ = 0;
  std::vector<Interval> given_back_;             // in this pass
  std::vector<Interval> left_over_;              // in the last pass
  std::vector<Interval> chances_;                // scratch
  std::vector<Tried> tried_;                     // by rank
  std::vector<std::array<Nothing, 6>> nothing_;  // by request
  std::size_t nothings_ = 0;
};

}  // namespace copse::plan
