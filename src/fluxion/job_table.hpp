// SPDX-License-Identifier: Apache-2.0
//
// JobTable: the jobs that resource-query or a context of the C API remembers, also after they ended.
//
// A client may use an id again while the job has resources, and an id may be any number. So an id is
// not the number of a grant: a job has one or several grants.
//
// The engine may have removed a grant together with its resources; see cancel_lost(). Cost: about
// 150 bytes a job.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "copse/engine.hpp"

namespace copse::fluxion {

struct Job {
  enum class State : std::uint8_t { allocated, reserved, canceled } state = State::allocated;
  std::int64_t at_s = 0;  // its start
  double overhead_s = 0;  // duration of its match
  std::string file{};     // its jobspec or R, if it came from a file
  JobId grant = 0;
  std::vector<JobId> further_grants{};

  template <class Body>
  void for_each_grant(Body body) const {
    body(grant);
    for (const JobId further : further_grants) body(further);
  }
};
// "ALLOCATED", "RESERVED" or "CANCELED".
[[nodiscard]] const char* word(Job::State state);

class JobTable {
 public:
  // The number for the next grant of a job: the job's id if it is free and not 0, else a number above
  // 2^62. O(log jobs).
  [[nodiscard]] JobId grant_number(const Engine& engine, std::uint64_t id);
  // Records a grant. The engine's clock is 0: a later start is a reservation.
  Job& add(std::uint64_t id, JobId grant, std::int64_t at_s, double overhead_s);

  [[nodiscard]] const Job* find(std::uint64_t id) const;     // nullptr: it never had a grant
  [[nodiscard]] const Job* holding(std::uint64_t id) const;  // nullptr: unknown or canceled
  void cancel(std::uint64_t id);                             // REQUIRES holding()
  // Cancels the jobs without a grant: their last resources were removed from the machine. O(jobs).
  void cancel_lost(const Engine& engine);
  [[nodiscard]] const std::map<std::uint64_t, Job>& all() const { return jobs_; }

 private:
  std::map<std::uint64_t, Job> jobs_;
  JobId next_further_ = JobId{1} << 62;
};

}  // namespace copse::fluxion
