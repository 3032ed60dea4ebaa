// SPDX-License-Identifier: Apache-2.0
//
// JobDeadlines: when running jobs end without a word of their executors, and why:
//   lease     it was not renewed in time;
//   stopping  the job was cancelled, and its end was not reported;
//   down      a node of it has been down for so long.
//
// Times are those of Leases. A restart begins them again.
//
// Cost: O(log jobs) each; set_down() O(jobs on nodes that are down, before and now).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "copse/ids.hpp"

namespace copse::server {

// Running jobs end when their executor stops renewing its lease. Times are milliseconds of a clock that
// the host advances while it listens to clients: neither a change of the computer's clock nor a busy or
// suspended host ends a lease. Cost: O(log leases) each.
class Leases {
 public:
  // Starts or renews a lease; 0 seconds: no lease.
  void begin(JobId id, std::int64_t lease_s, std::int64_t now_ms);
  void end(JobId id);  // the job ended
  // A job whose lease has expired; it is returned until end().
  [[nodiscard]] std::optional<JobId> expired(std::int64_t now_ms) const;

 private:
  std::set<std::pair<std::int64_t, JobId>> by_end_{};
  std::unordered_map<JobId, std::int64_t> ends_{};
};

class JobDeadlines {
 public:
  struct Graces {
    std::int64_t stopping_s = 0, down_s = 0;  // 0: no such deadline
  };
  enum class Cause : std::uint8_t { lease, stopping, down };
  struct Over {
    JobId job = 0;
    Cause cause = Cause::lease;
    std::string node{};  // of down: its name
  };
  // Running jobs with a node that is down: the name of the first.
  using DownJobs = std::map<JobId, std::string>;

  explicit JobDeadlines(Graces graces) : graces_(graces) {}

  [[nodiscard]] std::int64_t now_ms() const { return now_ms_; }
  // True: some deadline is over.
  [[nodiscard]] bool set_time(std::int64_t now_ms);
  // Starts or renews a lease; 0 seconds: no lease.
  void lease(JobId job, std::int64_t lease_s) { leases_.begin(job, lease_s, now_ms_); }
  void stopping(JobId job) { stopping_.begin(job, graces_.stopping_s, now_ms_); }
  // All jobs whose nodes are down. Those that were so before keep their deadlines.
  void set_down(DownJobs jobs);
  [[nodiscard]] bool has_down_node(JobId job) const { return down_jobs_.contains(job); }
  void end(JobId job);  // it has ended
  // The next that is over; it is returned until end().
  [[nodiscard]] std::optional<Over> next_over() const;
  [[nodiscard]] const Graces& graces() const { return graces_; }

 private:
  Graces graces_;
  std::int64_t now_ms_ = 0;
  Leases leases_{}, stopping_{}, down_{};
  DownJobs down_jobs_{};
};

// The message of such a job. `lease_s`: of the job.
[[nodiscard]] std::string why_overdue(const JobDeadlines::Over& over, std::int64_t lease_s,
                                      const JobDeadlines::Graces& graces);

}  // namespace copse::server
