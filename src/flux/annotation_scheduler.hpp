// SPDX-License-Identifier: Apache-2.0
//
// AnnotationScheduler: when waiting jobs get new annotations, with their reasons and starts. It
// computes the answers for all jobs, then reports them one after another, within the given slices of
// time. It repeats this after a change, at most once per interval. The interval grows with the number
// of jobs, so that annotations take a fifth of the time at most.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "queue/answers/answers.hpp"
#include "queue/job_queue.hpp"

namespace copse::flux {

class AnnotationScheduler {
 public:
  static constexpr std::int64_t kEvery_s = 5;
  static constexpr std::size_t kFewJobs = 100;

  // REQUIRES that both outlive it.
  AnnotationScheduler(const queue::JobQueue& queue, queue::Answers& answers,
                      std::int64_t every_s = kEvery_s)
      : queue_(queue), answers_(answers), every_s_(every_s) {}

  // A job has no annotations yet: the next round begins at once, if at most kFewJobs wait. Else it
  // begins a second after the last one, and not in the rest after a long one.
  void hurry() { hurries_ = true; }
  // Continues; true if nothing is left to do now. Calls `report` for each answer.
  bool work(std::int64_t now_s, queue::WorkBudget& budget,
            const std::function<void(const queue::Answers::Brief&)>& report);
  // The next time at which it has work; none: only after a change.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;

 private:
  enum class State : std::uint8_t { idle, computing, reporting };

  const queue::JobQueue& queue_;
  queue::Answers& answers_;
  const std::int64_t every_s_;
  State state_ = State::idle;
  std::uint64_t reported_sequence_ = UINT64_MAX;  // of the queue state that was reported
  std::uint64_t computed_sequence_ = 0;
  std::int64_t begun_s_ = INT64_MIN;
  std::int64_t rests_until_s_ = INT64_MIN;
  bool hurries_ = false;
  std::int64_t next_s_ = INT64_MIN;  // the next round begins then at the earliest
  std::size_t next_ = 0;
};

}  // namespace copse::flux
