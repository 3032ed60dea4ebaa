// SPDX-License-Identifier: Apache-2.0
//
// Submissions: which jobs of a stream join the queue, and when: at their submit times, or when all
// that they wait for has come, with its delays.
//
// Invariants
//   1. A job that waits joins when it is free (Dependencies), its delay is over, and its submit time
//      has come; a job with submitted_after has no submit time.
//   2. Each job is returned once, unless it is put back.
//
// Cost: 4 bytes a job, and about 100 for each that waits for a delay. next(): O(log delayed jobs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plan/job.hpp"
#include "plan/run/dependencies.hpp"

namespace copse::plan {

class Submissions {
 public:
  // Both must outlive it.
  Submissions(const Jobs& jobs, const Dependencies& dependencies);

  // The next time at which a job may join by itself.
  [[nodiscard]] std::optional<std::int64_t> next_s() const;
  // No job comes by itself any more; others may come when jobs start or end.
  [[nodiscard]] bool all_came() const {
    return next_ == by_time_.size() && delayed_by_time_.empty();
  }
  // No submit time is ahead.
  [[nodiscard]] bool all_submitted() const { return next_ == by_time_.size(); }
  [[nodiscard]] bool was_submitted(std::uint32_t job) const;
  // The jobs whose submit times have come, in their order; not those with submitted_after.
  [[nodiscard]] std::vector<std::uint32_t> submitted() const {
    return {by_time_.begin(), by_time_.begin() + static_cast<std::ptrdiff_t>(next_)};
  }

  // A job has become free, and may join at that time.
  void free(std::uint32_t job, std::int64_t time_s, std::int64_t now_s);
  // A job that ran goes back.
  void put_back(std::uint32_t job) { released_.push_back(job); }
  [[nodiscard]] bool any_released() const { return !released_.empty(); }

  // The next job that joins because of its submit time; none is left at that time.
  [[nodiscard]] std::optional<std::uint32_t> next(std::int64_t now_s);
  // The jobs that join because of others, in the order of the stream.
  [[nodiscard]] std::vector<std::uint32_t> released(std::int64_t now_s);
  // The clock ends: takes all that are free and have not joined.
  [[nodiscard]] std::vector<std::uint32_t> give_up();

 private:
  const Jobs& jobs_;
  const Dependencies& dependencies_;
  std::vector<std::uint32_t> by_time_;  // jobs, in the order of their submit times
  std::size_t next_ = 0;
  std::vector<std::uint32_t> released_;
  std::set<std::pair<std::int64_t, std::uint32_t>> delayed_by_time_;
  std::unordered_set<std::uint32_t> delayed_;
};

}  // namespace copse::plan
