// SPDX-License-Identifier: Apache-2.0
//
// LiveJobs: the jobs of a service in real time: pending, planned, running, ended. It has no clock,
// socket or file.
//
//   LiveJobs jobs(setup);                           // SessionEnvironment::jobs of the session
//   jobs.table().load(…); jobs.table().apply(…);    // the stored rows
//   jobs.begin(session);                            // running jobs and promises continue
//   jobs.advance(now_s);                            // due starts
//   if (jobs.set_lease_time(ms)) jobs.expire_leases();
//   while (!jobs.work()) answer_others();
//   write(jobs.table().take_lines(), effects);      // as one record
//
// Executors learn of starts by watching events (JobEventLog), and report the end of a job. The
// service has no child processes, so its end does not end a job. A job whose lease is not renewed
// in time is lost; a restart renews all leases.
//
// Clients choose ids below 2^53 that no remembered job has; the service assigns ids that no job and
// no grant has had (UsedIds).
//
// Requests outside the queue (alloc, reserve) are granted at once, if they break no promise; they
// may overtake waiting jobs.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "queue/answers/answers.hpp"
#include "queue/config/grant_bounds.hpp"
#include "queue/config/job_defaults.hpp"
#include "queue/config/job_limits.hpp"
#include "queue/config/queue_defaults.hpp"
#include "queue/job_queue.hpp"
#include "queue/limits/queue_access.hpp"
#include "server/drains/live_drains.hpp"
#include "server/jobs/job_request.hpp"
#include "server/jobs/job_row_table.hpp"
#include "server/jobs/usage_table.hpp"
#include "server/leases/job_deadlines.hpp"
#include "server/reservations/live_reservations.hpp"
#include "server/runs/executor_reports.hpp"
#include "server/runs/job_recorder.hpp"
#include "session/session.hpp"

namespace copse::server {

class LiveJobs : public JobHost {
 public:
  struct Setup {
    std::vector<queue::QueueSpec>
        queues{};  // empty: one queue without a name, with discipline easy
    queue::PriorityRule rule{};
    queue::JobLimits limits{};
    queue::JobDefaults defaults{};  // of jobs that do not say these
    queue::GrantBounds grants{};    // of users, outside the queues
    queue::QueueAccess access{};
    std::vector<queue::RunningLimit> running_limits{};
    queue::GroupsOf groups_of{};
    bool private_jobs = false;  // users and guests see nothing of the jobs of others
    JobRowTable::Limits table{};
    JobDeadlines::Graces graces{};
    std::int64_t default_lease_s = 0;  // of jobs that name none; 0: none
    UserOf user_of{};                  // for users in requests and on disk
    LocalTime calendar{};              // for the days of repeated reservations
    // Starts a budget of work; the returned function says whether it is spent. Empty: no bound.
    std::function<std::function<bool()>()> start_budget{};
  };

  explicit LiveJobs(Setup setup);
  LiveJobs(const LiveJobs&) = delete;
  LiveJobs& operator=(const LiveJobs&) = delete;

  [[nodiscard]] JobRowTable& table() { return table_; }
  [[nodiscard]] const JobRowTable& table() const { return table_; }
  [[nodiscard]] LiveReservations& reservations() { return reservations_; }
  [[nodiscard]] const LiveReservations& reservations() const { return reservations_; }
  [[nodiscard]] LiveDrains& drains() { return drains_; }
  [[nodiscard]] const LiveDrains& drains() const { return drains_; }
  [[nodiscard]] UsageTable& usage() { return usage_; }
  [[nodiscard]] const UsageTable& usage() const { return usage_; }
  // The lines of what users have used since the last call.
  [[nodiscard]] std::string take_usage_lines() { return usage_.put(queue_->take_usage_changes()); }
  // Resumes the jobs, usage and reservations of the tables. A job whose stored request is refused, as by
  // a later version, or whose queue is missing, is set aside: on hold, with the reason, and only
  // `cancel` changes it; the queue may come back. If it runs, it continues. REQUIRES that the session
  // outlives this, and an unchanged engine. Errors: those of reservations.
  [[nodiscard]] Result<void> begin(Session& session);
  [[nodiscard]] const queue::JobQueue& queue() const { return *queue_; }
  [[nodiscard]] const std::vector<queue::QueueSpec>& queues() const { return setup_.queues; }
  [[nodiscard]] const queue::QueueDefaults& defaults() const { return defaults_; }
  // Of jobs that have started since this was made.
  [[nodiscard]] const JobWaits& waits() const { return recorder_.waits(); }
  // Jobs with a refused request, and the reasons.
  [[nodiscard]] const RefusedRequests& refused_requests() const { return refused_; }
  // For watchers: identifies the history that the numbers of events belong to.
  void set_incarnation(std::string incarnation) { incarnation_ = std::move(incarnation); }

  // Moves the clock. REQUIRES begin(). Errors: as Engine::advance.
  [[nodiscard]] Result<void> advance(std::int64_t now_s);
  // Works on waiting jobs for one budget; true if nothing is left to do now.
  bool work();
  // Whether a job starts by then; whether advance() was called at all.
  [[nodiscard]] bool is_due(std::int64_t now_s) const {
    return queue_->next_time().value_or(INT64_MAX) <= now_s;
  }
  [[nodiscard]] bool has_time() const { return leases_begun_; }
  // Sets the time of leases, which the host advances while it listens to clients. True: leases are over.
  [[nodiscard]] bool set_lease_time(std::int64_t now_ms) { return deadlines_.set_time(now_ms); }
  // Ends the jobs whose leases, or other deadlines, are over.
  void expire_leases();
  // Works for one budget on the answers why and when, at the first call in a state of the queue; then
  // work() continues. So a thousand questions cost one budget. False: the answers are of an older state.
  bool update_answers();
  [[nodiscard]] queue::Answers& answers() { return *answers_; }
  // Whether a job or grant is hidden from the viewer; empty: none is.
  [[nodiscard]] IsHidden hidden_from(const Viewer& viewer) const;
  // The owner of a grant; "": unknown. Empty: that of every grant is.
  void set_owner_of_grant(std::function<std::string_view(JobId id)> owner) {
    owner_of_grant_ = std::move(owner);
  }
  // Called before a grant outside the queue with a later start; an error refuses it.
  void set_reservation_admission(std::function<Result<void>()> admit) {
    admit_reservation_ = std::move(admit);
  }

  // The name of the reservation that has a grant; "": none has.
  [[nodiscard]] std::string reservation_name(JobId grant) const;

  // --- JobHost
  [[nodiscard]] Result<void> run(const SessionRequest& line, const JobCaller& caller,
                                 SessionAnswer& answer) override;
  [[nodiscard]] MatchResult grant(Operation operation, PreparedRequest& request, JobId id,
                                  const JobCaller& caller) override;
  [[nodiscard]] RequestDefaults defaults_of_grants() const override { return defaults_.of({}); }
  [[nodiscard]] Result<JobId> new_id() const override { return table_.new_id(); }
  [[nodiscard]] Result<void> free(JobId id) override;
  [[nodiscard]] Result<void> free(JobId id, std::span<const PoolId> pools) override;
  [[nodiscard]] Result<void> set_nodes(const SessionRequest& line, const JobCaller& caller,
                                       Status status) override;
  void layers_changed() override { queue_->layers_changed(); }
  [[nodiscard]] Result<void> attach(std::span<const NewSubtree> subtrees) override;
  [[nodiscard]] Result<std::vector<JobId>> remove(std::span<const PoolId> tops) override;
  [[nodiscard]] bool is_drained(PoolId node) const override { return drains_.only_drained(node); }
  [[nodiscard]] std::string_view down_reason(PoolId node) const override {
    const DrainRow* row = drains_.row_of(node);
    return row == nullptr ? std::string_view() : row->reason;
  }
  [[nodiscard]] std::uint64_t drain_changes() const override { return drains_.table().changes(); }
  [[nodiscard]] Visibility visibility(const Viewer& viewer, JobId id) const override;
  [[nodiscard]] std::string reservation_label(JobId grant) const override;

 private:
  void set_aside(JobId id, const std::string& reason);
  [[nodiscard]] Result<void> submit(const SessionRequest& line, const JobCaller& caller,
                                    SessionAnswer& answer);
  [[nodiscard]] Result<void> hold(JobId id, const JobCaller& caller);
  [[nodiscard]] Result<void> release(JobId id);
  void release_row(JobId id);
  [[nodiscard]] Result<void> set_priority(JobId id, const SessionRequest& line);
  [[nodiscard]] Result<void> cancel(JobId id);
  [[nodiscard]] Result<void> why(JobId id, const SessionRequest& line, const JobCaller& caller,
                                 std::string& out);
  [[nodiscard]] Result<JobId> open_job(const SessionRequest& line, const JobCaller& caller) const;
  void set_defaults();
  [[nodiscard]] std::int64_t now_s() const { return session_->engine().now(); }
  // A job that lost its nodes, and its grant, ends; or it waits again, if it may.
  void lose(JobId id, const JobOutcome& outcome);
  void end_overdue(const JobDeadlines::Over& over);

  Setup setup_;
  JobRowTable table_;
  queue::QueueDefaults defaults_{};  // on the machine as it is
  Session* session_ = nullptr;
  std::unique_ptr<queue::JobQueue> queue_;
  std::unique_ptr<queue::Answers> answers_;
  // A client asked when: its next question expects the answer of the current state.
  bool answers_pending_ = false;
  std::uint64_t asked_sequence_ = 0;  // the state of the queue at the last such question
  LiveReservations reservations_{};
  LiveDrains drains_{};
  UsageTable usage_{};
  JobDeadlines deadlines_;
  JobRecorder recorder_{table_, usage_, deadlines_};
  ExecutorReports reports_{table_, deadlines_, recorder_};
  bool leases_begun_ = false;
  RefusedRequests refused_{};
  std::string incarnation_{};
  std::function<Result<void>()> admit_reservation_{};
  std::function<std::string_view(JobId id)> owner_of_grant_{};
};

}  // namespace copse::server
