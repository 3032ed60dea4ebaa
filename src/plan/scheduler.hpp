// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: a stream of jobs as the events of a JobQueue, what schedule() keeps while it runs.
//
// Invariants
//   1. A job of the stream has the grant first_grant_ + its number.
//   2. awaits_ has how many jobs each one waits for (Jobs::after) that have not ended well yet. It
//      joins the queue when there are none; it is refused when one was refused, or ended at its
//      limit.
#pragma once

#include <optional>
#include <queue>
#include <vector>

#include "plan/schedule.hpp"
#include "queue/job_queue.hpp"

namespace copse::plan {

class Scheduler : private queue::QueueSink {
 public:
  Scheduler(Engine& engine, const Jobs& jobs, const Discipline& discipline, const Watch& watch);
  [[nodiscard]] Result<void> run();

 private:
  [[nodiscard]] std::optional<std::int64_t> next_time() const;
  void end_jobs(std::int64_t now_s);
  void submit_jobs();
  void submit(std::uint32_t job);
  // The job ended well: who waited for it alone joins the queue.
  void release(std::uint32_t job);
  // It did not: who waits for it never starts.
  void refuse_after(std::uint32_t job, std::int64_t now_s);
  void work();
  void refuse_stuck();
  [[nodiscard]] std::uint32_t job_of(JobId grant) const {
    return static_cast<std::uint32_t>(grant - first_grant_);
  }
  void refuse(JobId grant, const Error& error);

  void started(JobId grant, const Grant& what) override;
  void denied(JobId grant, const Error& error) override;
  void stuck(JobId grant, const Error& error) override;

  Engine& engine_;
  const Jobs& jobs_;
  const Watch& watch_;
  queue::JobQueue queue_;
  JobId first_grant_ = 1;

  std::vector<std::uint32_t> submits_;  // jobs, in the order of submission
  std::size_t next_submit_ = 0;
  std::vector<std::uint32_t> awaits_;
  std::vector<std::vector<std::uint32_t>> awaited_by_;  // empty if nobody waits for anybody
  std::vector<std::uint32_t> released_;                 // to be submitted
  std::vector<std::string> kinds_;                      // by request: its number as text

  struct End {
    std::int64_t time_s;
    std::uint64_t order;
    std::uint32_t job;
    bool operator>(const End& other) const {
      return time_s != other.time_s ? time_s > other.time_s : order > other.order;
    }
  };
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint64_t ends_made_ = 0;
  std::vector<JobId> stuck_;  // since the last look
};

}  // namespace copse::plan
