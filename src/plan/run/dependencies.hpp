// SPDX-License-Identifier: Apache-2.0
//
// Dependencies: which jobs of a stream still wait for others (Jobs::after), and what follows for
// them from what happens to those.
//
// Invariants
//   1. A job is free when all that it waits for has come; it is lost when one of these can never
//      come any more. Who is lost is gone for those that wait for it, in turn.
//   2. Each dependency comes at most once: a job that is requeued starts again, which says nothing.
//
// Cost: 9 bytes a dependency and 28 a job, nothing if no job waits. happened(): O(dependencies on
// the job, and on all that are lost with it).
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

  // What a job that others wait for has done.
  enum class Fact : std::uint8_t {
    started,
    ended_well,
    failed,       // it ended in another way: at its limit, cancelled, with a node
    gone,         // it was refused or cancelled, and never started
    unplaceable,  // it waits, and nothing will ever change that
  };
  struct Freed {
    std::uint32_t job;
    // The dependency that can never come: the job is lost. None: it is free.
    std::optional<Dependency> lost_by{};
  };
  // What follows, in the order of the stream, those that are lost before who is lost with them.
  [[nodiscard]] std::vector<Freed> happened(std::uint32_t job, Fact fact);

  [[nodiscard]] bool free(std::uint32_t job) const { return left_.empty() || left_[job] == 0; }
  [[nodiscard]] bool lost(std::uint32_t job) const { return !left_.empty() && left_[job] == kLost; }
  // It never joins the queue, whatever comes.
  void lose(std::uint32_t job) {
    if (!left_.empty()) left_[job] = kLost;
  }
  // The first that has not come. REQUIRES that the job is neither free nor lost.
  [[nodiscard]] Dependency first_left(std::uint32_t job) const;
  [[nodiscard]] bool any() const { return !left_.empty(); }

 private:
  static constexpr std::uint32_t kLost = UINT32_MAX;

  const Jobs& jobs_;
  std::vector<std::uint32_t> left_;                     // by job: dependencies that have not come
  std::vector<std::uint32_t> waiter_;                   // by dependency
  std::vector<bool> came_;                              // likewise
  std::vector<std::vector<std::uint32_t>> awaited_by_;  // by job: dependencies on it
};

// Why a job is lost: `it waits for job "make", which did not end well`.
[[nodiscard]] std::string lost_text(const Jobs& jobs, const Dependency& by);

}  // namespace copse::plan
