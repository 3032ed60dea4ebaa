// SPDX-License-Identifier: Apache-2.0
//
// StartChances: when a promised job may have an earlier start, so that a pass need not ask for all
// other times.
//
// When a job of fixed counts was last tried (or placed), it could not start before its promise. If
// it can now, its new time overlaps a time that was given back since: by a job that ended early, or
// by a promise that moved. So for each such [from, until) only starts in (from - duration, until)
// are asked for. A pass goes over the queue in order: what a job gives back in it counts for those
// before it in the next one.
//
// And what a job cannot do in a pass, its like cannot either: where one could not start before a
// time, another of its kind, for as long or longer, cannot, up to where the first one's view was
// blocked by the other's own promise, or where something was given back since.
//
// Cost: of a pass O(jobs · times given back) steps; they are merged where they meet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "queue/job_table.hpp"
#include "queue/kind_table.hpp"

namespace copse::queue {

class StartChances {
 public:
  struct Interval {
    std::int64_t from_s = 0, until_s = 0;
  };

  void give_back(Interval freed) { given_back_.push_back(freed); }
  // Whether a pass may find something.
  [[nodiscard]] bool any() const { return !given_back_.empty(); }
  // Starts before the promised one to ask for: ascending and apart, until the next call.
  [[nodiscard]] std::span<const Interval> of(const QueuedJob& job, const Kind& kind,
                                             std::int64_t now_s);
  // A time before which the job cannot start, as others of its kind in this pass show.
  [[nodiscard]] std::int64_t none_before(const QueuedJob& job, const Kind& kind,
                                         std::int64_t now_s) const;
  // The job was tried, or placed.
  void tried(QueuedJob& job) const {
    job.pass = pass_;
    job.chances = static_cast<std::uint32_t>(given_back_.size());
  }
  // The job can start no earlier than then.
  void settled(const QueuedJob& job, Kind& kind, std::int64_t start_s);
  // What was given back so far is that of the last pass from now on.
  void end_pass();

 private:
  std::uint32_t pass_ = 0;
  std::vector<Interval> given_back_;  // in this pass
  std::vector<Interval> left_over_;   // in the last pass
  std::vector<Interval> chances_;     // scratch
  std::size_t nothings_ = 0;
};

}  // namespace copse::queue
