// SPDX-License-Identifier: Apache-2.0
//
// LiveJobs: jobs on the machine of a service, in real time: pending, planned, running, ended. It has
// no clock, socket or file.
//
//   LiveJobs jobs(setup);                 // SessionOutside::jobs of the session
//   jobs.load(lines); jobs.apply(lines, record);    // what is on disk
//   jobs.begin(session);                  // those that run, run on; promises stay what they were
//   jobs.advance(now_s);                  // promised starts that are due, leases that are over
//   while (!jobs.work()) answer_others();
//   keep(jobs.take_lines(), effects_of_the_engine);  // as one record
//
// Executors are told of starts, by those who watch (JobEventLog), and say when a job ended. The service
// is the parent of no process: nothing ends because it does. A job with a lease is over when nobody
// has renewed it for so long; after a restart, leases begin anew.
//
// Clients choose ids below 2^62, and not those of jobs that are remembered; what the service numbers
// itself goes on behind them.
//
// Whoever asks for resources beside the queue (alloc, reserve) gets them at once, if that breaks no
// promise; they pass those that wait.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "queue/answers/answers.hpp"
#include "queue/config/job_limits.hpp"
#include "queue/job_queue.hpp"
#include "server/drains/live_drains.hpp"
#include "server/jobs/job_book.hpp"
#include "server/jobs/job_stay.hpp"
#include "server/jobs/leases.hpp"
#include "server/reservations/live_reservations.hpp"
#include "session/session.hpp"

namespace copse::server {

inline constexpr std::int64_t kOwnIdEnd = std::int64_t{1} << 62;  // of what clients choose

class LiveJobs : public JobHost, private queue::QueueSink {
 public:
  struct Setup {
    std::vector<queue::QueueSpec> queues{};  // none: one queue without a name, easy
    queue::PriorityRule rule{};
    queue::JobLimits limits{};
    JobBook::Limits book{};
    UserOf user_of{};  // of users in lines, and on disk
    // Seconds of a clock that never steps, for leases. None: the time that is handed in.
    std::function<std::int64_t()> steady_s{};
    // Asked when a turn begins; what it returns says whether the turn is over. None: turns have no
    // end.
    std::function<std::function<bool()>()> turn{};
  };

  explicit LiveJobs(Setup setup);

  [[nodiscard]] JobBook& book() { return book_; }
  [[nodiscard]] const JobBook& book() const { return book_; }
  [[nodiscard]] LiveReservations& reservations() { return reservations_; }
  [[nodiscard]] const LiveReservations& reservations() const { return reservations_; }
  [[nodiscard]] LiveDrains& drains() { return drains_; }
  [[nodiscard]] const LiveDrains& drains() const { return drains_; }
  // The jobs and reservations of the books go on. REQUIRES that the session lives longer, and nothing was done with
  // its engine since. Errors: not_found (a job waits in a queue that there is no more), and those of
  // requests.
  [[nodiscard]] Result<void> begin(Session& session);
  [[nodiscard]] const queue::JobQueue& queue() const { return *queue_; }

  // The clock moves. REQUIRES begin(). Errors: as Engine::advance.
  [[nodiscard]] Result<void> advance(std::int64_t now_s);
  // A turn of a pass; true if there is nothing more to do now.
  bool work();
  // Whether something happens by itself when the clock moves there; and whether it has moved at all.
  [[nodiscard]] bool is_due(std::int64_t now_s) const;
  [[nodiscard]] bool knows_time() const { return leases_begun_; }
  // Why and when, of all that wait. False: as of an older state; who asks later is told of a newer.
  // A turn at most.
  bool look();
  [[nodiscard]] queue::Answers& answers() { return *answers_; }
  // Asked before somebody reserves beside the queue; an error refuses that.
  void admit_reservations(std::function<Result<void>()> admit) { admit_ = std::move(admit); }

  // --- JobHost
  [[nodiscard]] Result<void> run(const SessionLine& line, JobCaller& caller,
                                 std::string& out) override;
  [[nodiscard]] MatchResult grant(Operation operation, PreparedRequest& request, JobId id) override;
  [[nodiscard]] Result<void> free(JobId id) override;
  [[nodiscard]] Result<void> free(JobId id, std::span<const PoolId> pools) override;
  void set_status(std::span<const PoolId> pools, Status status) override;
  void layers_changed() override;
  [[nodiscard]] std::string name_beside(JobId grant) const override;

 private:
  // --- QueueSink
  void started(JobId id, const Grant& grant) override;
  void planned(JobId id, std::int64_t start_s) override;
  void unplanned(JobId id) override;
  void denied(JobId id, const Error& error) override;

  [[nodiscard]] Result<void> submit(const SessionLine& line, const JobCaller& caller,
                                    std::string& out);
  [[nodiscard]] Result<void> check_new_id(JobId id) const;
  [[nodiscard]] Result<void> hold(JobId id);
  [[nodiscard]] Result<void> release(JobId id);
  [[nodiscard]] Result<void> set_priority(JobId id, const SessionLine& line);
  [[nodiscard]] Result<void> cancel(JobId id);
  [[nodiscard]] Result<void> end(JobId id, const SessionLine& line);
  [[nodiscard]] Result<void> end_ranks(JobId id, const SessionLine& line);
  [[nodiscard]] Result<void> renew(JobId id);
  [[nodiscard]] Result<void> why(JobId id, const SessionLine& line, std::string& out);
  [[nodiscard]] Result<void> watch(const SessionLine& line, JobCaller& caller, std::string& out);
  [[nodiscard]] Result<JobId> known(const SessionLine& line) const;
  [[nodiscard]] std::int64_t now_s() const { return session_->engine().now(); }
  // What became of a job, with what result, and where it ran ("": it never did).
  struct Outcome {
    std::string_view result;
    std::int64_t status = 0;
    std::string_view message{};
    std::string ran{};
  };
  void settle(JobId id, const Outcome& outcome);
  // Of one that runs: where. To be asked before its grant goes.
  [[nodiscard]] std::string stay_of(JobId id);
  [[nodiscard]] std::int64_t lease_now_s() const;

  Setup setup_;
  JobBook book_;
  Session* session_ = nullptr;
  std::unique_ptr<queue::JobQueue> queue_;
  std::unique_ptr<queue::Answers> answers_;
  // Somebody asked when, and those who ask next are to be told of the state then.
  bool answering_ = false;
  LiveReservations reservations_{};
  LiveDrains drains_{};
  Leases leases_{};
  StayWriter stays_{};
  bool leases_begun_ = false;  // the time is known, since the service began
  std::function<Result<void>()> admit_{};
};

}  // namespace copse::server
