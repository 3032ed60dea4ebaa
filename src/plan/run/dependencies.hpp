// SPDX-License-Identifier: Apache-2.0
//
// Dependencies: the jobs of a stream that still wait for others (Jobs::after), and the effects of
// events on them.
//
// Invariants
//   1. A job is free when all its dependencies are satisfied. It is lost when one of them can never
//      be satisfied any more; jobs that wait for a lost job treat it as refused.
//   2. Each dependency is satisfied at most once: the second start of a requeued job has no effect.
//   3. A job may join the queue at the latest of the times of its dependencies, with their delays.
//
// Cost: 9 bytes a dependency and 36 a job; no memory if no job waits. happened(): O(dependencies on
// the job, and on all jobs that are lost with it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/job.hpp"

namespace copse::plan {

class Dependencies {
 public:
  // The jobs must outlive it.
  explicit Dependencies(const Jobs& jobs);

  // An event of a job for which others wait.
  enum class Fact : std::uint8_t {
    started,
    ended_well,
    failed,       // it ended otherwise: at its limit, cancelled, or by a failed node
    gone,         // it was refused or cancelled, and never started
    unplaceable,  // it waits, and can never start
  };
  struct Freed {
    std::uint32_t job;
    std::int64_t time_s = 0;  // when it may join the queue: now, or after a delay
    // The dependency that can never be satisfied: the job is lost. None: it is free.
    std::optional<Dependency> lost_by{};
  };
  // The effects of an event, in the order of the stream; a lost job comes before the jobs lost with
  // it.
  [[nodiscard]] std::vector<Freed> happened(std::uint32_t job, Fact fact, std::int64_t time_s);

  [[nodiscard]] bool free(std::uint32_t job) const { return left_.empty() || left_[job] == 0; }
  [[nodiscard]] bool lost(std::uint32_t job) const { return !left_.empty() && left_[job] == kLost; }
  // It will never join the queue.
  void lose(std::uint32_t job) {
    if (!left_.empty()) left_[job] = kLost;
  }
  // The first dependency that is not satisfied. REQUIRES that the job is neither free nor lost.
  [[nodiscard]] Dependency first_left(std::uint32_t job) const;
  [[nodiscard]] bool any() const { return !left_.empty(); }

 private:
  static constexpr std::uint32_t kLost = UINT32_MAX;

  const Jobs& jobs_;
  std::vector<std::uint32_t> left_;                     // by job: unsatisfied dependencies
  std::vector<std::int64_t> ready_s_;                   // by job: the latest of its dependencies
  std::vector<std::uint32_t> waiter_;                   // by dependency
  std::vector<bool> came_;                              // by dependency: it is satisfied
  std::vector<std::vector<std::uint32_t>> awaited_by_;  // by job: dependencies on it
};

// Why a job is lost: `it waits for job "make", which did not end well`.
[[nodiscard]] std::string lost_text(const Jobs& jobs, const Dependency& by);

}  // namespace copse::plan
