// SPDX-License-Identifier: Apache-2.0
//
// ExecutorReports: what the executor of a running job says about it: it goes on (`renew`), some of its
// ranks are released, or it has ended (`end`).
//
// A job that was submitted again has several runs, and the executor of an earlier one may still report:
// its node came back. `restarts` of a line names the run; without it, the first is meant. What is not
// about the present run changes nothing.
//
// REQUIRES that begin() was called, that all that was passed in outlives this, and an id in the table.
#pragma once

#include "queue/job_queue.hpp"
#include "server/jobs/job_row_table.hpp"
#include "server/leases/job_deadlines.hpp"
#include "server/runs/job_recorder.hpp"
#include "session/session.hpp"

namespace copse::server {

class ExecutorReports {
 public:
  ExecutorReports(JobRowTable& table, JobDeadlines& deadlines, JobRecorder& recorder)
      : table_(table), deadlines_(deadlines), recorder_(recorder) {}
  void begin(Session& session, queue::JobQueue& queue) {
    session_ = &session;
    queue_ = &queue;
  }

  // Of the whole job, or of the ranks of the line. Errors: invalid.
  [[nodiscard]] Result<void> end(JobId id, const SessionRequest& line);
  [[nodiscard]] Result<void> renew(JobId id, const SessionRequest& line);

 private:
  [[nodiscard]] Result<void> check_run(JobId id, const SessionRequest& line) const;
  [[nodiscard]] Result<void> end_job(JobId id, const SessionRequest& line);
  [[nodiscard]] Result<void> end_ranks(JobId id, const SessionRequest& line);
  [[nodiscard]] JobOutcome outcome_of(JobId id, const SessionRequest& line);

  JobRowTable& table_;
  JobDeadlines& deadlines_;
  JobRecorder& recorder_;
  Session* session_ = nullptr;
  queue::JobQueue* queue_ = nullptr;
};

}  // namespace copse::server
