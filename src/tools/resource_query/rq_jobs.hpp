// SPDX-License-Identifier: Apache-2.0
//
// The jobs that a session of resource-query remembers (the engine knows only those that hold
// something), the number of the next one, and how long their matches took.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "copse/engine.hpp"

namespace copse::query {

// Digits, else 0, as the reference reads job ids.
[[nodiscard]] JobId parse_job(std::string_view word);

class Jobs {
 public:
  struct Job {
    enum class State : std::uint8_t { allocated, reserved, canceled } state;
    std::int64_t start;
    std::string file;
    double elapsed_s;
  };

  explicit Jobs(const Engine& engine) : engine_(engine) {}

  [[nodiscard]] JobId next() const { return next_; }
  // The next job has this number or, if jobs that live have it and what follows, the first after
  // them.
  void count_on(JobId job);
  // A job was matched: the next one comes after it.
  void add(JobId id, const Match& match, std::string_view path, double elapsed_s);
  // Whether it is remembered, and holds something.
  [[nodiscard]] bool alive(JobId id) const { return jobs_.contains(id) && engine_.grant(id); }
  void cancel(JobId id) { jobs_.at(id).state = Job::State::canceled; }  // REQUIRES: remembered
  void cancel_lost();  // those whose last resources were removed

  [[nodiscard]] const std::map<JobId, Job>& all() const { return jobs_; }
  [[nodiscard]] std::string statistics() const;  // as `stat` prints them

 private:
  const Engine& engine_;
  JobId next_ = 1;
  std::map<JobId, Job> jobs_;
  std::uint64_t matched_ = 0;
  double shortest_s_ = 0, longest_s_ = 0, total_s_ = 0;
};

}  // namespace copse::query
