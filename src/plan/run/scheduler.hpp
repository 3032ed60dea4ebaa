// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: turns a stream of jobs into events of a JobQueue; the state of schedule().
//
// Invariants
//   1. A job of the stream has the grant first_grant_ + its number.
//   2. A job joins the queue when submissions_ gives it: it is submitted, and free of its
//      dependencies.
//   3. Events up to next_event_ have taken effect. Their effects on jobs that have not joined the
//      queue yet are in early_; held_ has all jobs on hold, in the queue or before.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "plan/run/dependencies.hpp"
#include "plan/run/job_ends.hpp"
#include "plan/run/stream_reservations.hpp"
#include "plan/run/submissions.hpp"
#include "plan/schedule.hpp"
#include "queue/job_queue.hpp"

namespace copse::plan {

class Scheduler : private queue::QueueSink {
 public:
  Scheduler(Engine& engine, const Jobs& jobs, const queue::QueueConfig& queues,
            const ScheduleObserver& observer);
  [[nodiscard]] Result<void> run();

 private:
  using Fact = Dependencies::Fact;

  [[nodiscard]] std::optional<std::int64_t> next_time() const;
  [[nodiscard]] bool over() const;
  void end_jobs(std::int64_t now_s);
  // Errors: of a reservation that cannot be booked.
  [[nodiscard]] Result<void> take_events(std::int64_t now_s);
  void set_status(const Event& event);
  void take_job_event(const Event& event);
  void withdraw(std::uint32_t job, const Event& event);
  // Whether it has not joined the queue, and still may.
  [[nodiscard]] bool is_ahead(std::uint32_t job) const;
  void submit_jobs();
  void submit(std::uint32_t job);
  [[nodiscard]] std::string_view queue_of(const Job& job) const;
  // Effects on the jobs that wait for this one: they are released, or never start.
  void follow(std::uint32_t job, Fact fact, std::int64_t now_s);
  [[nodiscard]] std::int64_t submit_time(std::uint32_t job);
  // Errors: a discipline failed.
  [[nodiscard]] Result<void> work();
  [[nodiscard]] Result<void> settle();
  [[nodiscard]] Result<void> pause();
  [[nodiscard]] std::vector<PausedStream::Awaiting> awaiting() const;
  [[nodiscard]] std::optional<std::int64_t> deadline_of(JobId grant) const;  // O(events)
  void refuse_unplaceable();
  void refuse_rest();
  void refuse_held();
  void refuse_endless();
  [[nodiscard]] const Job* find_job(JobId grant) const;  // nullptr: no job of the stream
  [[nodiscard]] std::string name_of_grant(JobId grant) const;
  [[nodiscard]] std::uint32_t job_of(JobId grant) const {
    return static_cast<std::uint32_t>(grant - first_grant_);
  }
  void refuse(JobId grant, const Error& error, Fact fact = Fact::gone);

  void started(JobId grant, const Grant& what) override;
  void planned(JobId grant, std::int64_t start_s) override;
  void denied(JobId grant, const Error& error) override;
  void unplaceable(JobId grant, const Error& error) override;
  void reserved(const std::string& name, std::int64_t start_s, std::int64_t end_s,
                const std::vector<PoolId>& nodes) override;
  void discipline_failed(const std::string&, const Error& error) override {
    if (!failure_) failure_ = error;
  }

  Engine& engine_;
  const Jobs& jobs_;
  const ScheduleObserver& observer_;
  const bool named_queues_;
  const std::string default_queue_;  // of jobs that name none; "": they have none
  queue::JobQueue queue_;
  JobId first_grant_ = 1;

  Dependencies dependencies_;
  Submissions submissions_;
  std::unordered_map<std::uint32_t, std::int64_t> submitted_s_;  // of jobs with submitted_after
  std::vector<std::string> kinds_;                               // by request: its number as text

  JobEnds ends_;
  std::vector<JobId> unplaceable_;  // since the last check
  std::optional<Error> failure_;    // of a discipline: ends the stream
  QuietTime quiet_;
  StreamReservations reservations_{engine_, jobs_,  observer_,
                                   queue_,  quiet_, [this](JobId id) { return name_of_grant(id); }};

  queue::LimitCheck limits_;

  // Members for streams with events.
  struct Early {
    std::optional<std::int32_t> priority{};
    bool gone = false;
  };
  std::size_t next_event_ = 0, last_repair_ = 0;  // after the last event that brings nodes back
  std::unordered_map<std::uint32_t, Early> early_;
  std::set<std::uint32_t> held_;
  std::vector<bool> joined_;
};

}  // namespace copse::plan
