// SPDX-License-Identifier: Apache-2.0
//
// JobRecorder: writes what the queue decides about the jobs of a service, and how their runs end, into
// their rows. Deadlines and usage follow the rows.
//
// REQUIRES, for all but waits(), that begin() was called, and that all that was passed in outlives it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "queue/job_queue.hpp"
#include "server/jobs/job_placement.hpp"
#include "server/jobs/job_row_table.hpp"
#include "server/jobs/usage_table.hpp"
#include "server/leases/job_deadlines.hpp"
#include "session/session.hpp"

namespace copse::server {

// How long jobs waited.
struct JobWaits {
  std::uint64_t count = 0, sum_s = 0;
  void add(std::int64_t waited_s) {
    ++count;
    sum_s += static_cast<std::uint64_t>(std::max<std::int64_t>(waited_s, 0));
  }
};

// How a job ended; `placement`: "" if it never ran.
struct JobOutcome {
  std::string_view result;
  std::int64_t status = 0;
  std::string_view message{};
  std::string placement{};
};

class JobRecorder final : public queue::QueueSink {
 public:
  JobRecorder(JobRowTable& table, UsageTable& usage, JobDeadlines& deadlines)
      : table_(table), usage_(usage), deadlines_(deadlines) {}
  void begin(Session& session) { session_ = &session; }

  // --- QueueSink
  void started(JobId id, const Grant& grant) override;
  void planned(JobId id, std::int64_t start_s) override;
  void unplanned(JobId id) override;
  void denied(JobId id, const Error& error) override;

  void finish(JobId id, const JobOutcome& outcome);
  // A run that lost its nodes is over, and the job is pending again.
  void requeue(JobId id, std::string_view message);
  // The placement of a running job; call it before its grant is released.
  [[nodiscard]] std::string placement_of(JobId id);
  // Of jobs that have started since this was made.
  [[nodiscard]] const JobWaits& waits() const { return waits_; }

 private:
  [[nodiscard]] std::int64_t now_s() const { return session_->engine().now(); }

  JobRowTable& table_;
  UsageTable& usage_;
  JobDeadlines& deadlines_;
  Session* session_ = nullptr;
  PlacementWriter placements_{};
  JobWaits waits_{};
};

}  // namespace copse::server
