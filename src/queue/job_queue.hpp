// SPDX-License-Identifier: Apache-2.0
//
// JobQueue: jobs that wait for an engine's resources, run and end. It has no clock, thread or file:
// its host reports events to it, and receives decisions through a sink.
//
//   JobQueue queue(*engine, {{.discipline = *find_discipline("easy")}}, sink);
//   queue.submit({.id = 7, .submit_s = 100, .duration_s = 3600, .kind = text, .request = &request});
//   while (!queue.work(budget)) answer_others();   // sink.started(7, grant)
//   queue.ended(7, 200);                           // its resources are freed
//   queue.advance(200);
//   while (!queue.work(budget)) answer_others();   // promised starts that are due happen
//
// Events may come between two calls of work() in a pass. They take effect at once; the next pass
// considers what they free. The same events and budgets lead to the same decisions, on every
// machine. Without events in between, budgets of any size lead to the same decisions.
//
// A promised start moves to a later time, or is revoked, only if
//   1. a node fails or returns, the machine grows or shrinks, or a reservation needs its nodes;
//   2. a job before it, or one that runs, runs longer than it should;
//   3. the job is put on hold, or requests another duration;
//   4. other jobs are before it now (they have a higher priority, were released, or fit again), and
//      its discipline, or the depth, no longer reaches it;
//   5. its queue is stopped.
// If other jobs start, end or leave, it can only move to an earlier time.
//
// While the queue exists, only it changes the engine, apart from grants that existed before and
// direct grants: they stay, and break no promise.
// Thread safety: none. Cost: an event O(log jobs), in addition to the calls of the engine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "queue/events/kept_usage.hpp"
#include "queue/events/submission.hpp"
#include "queue/queue_parts.hpp"

namespace copse::queue {

// The parts of a queue that answers read; they may not be changed.
struct QueueView {
  Engine& engine;  // to be queried, not changed
  const JobTable& jobs;
  JobKindTable& kinds;  // for prepared()
  const Promises& promises;
  const QueueTable& queues;
  const Reservations& reservations;
  const Priorities& priorities;
};

class JobQueue {
 public:
  // REQUIRES check_queues(queues), check_rule(rule), and that engine and sink outlive the queue.
  // Queues are served in the order of their priorities, then of their names. A job that may not run
  // next to others (limits) waits, and delays no job behind it.
  JobQueue(Engine& engine, std::vector<QueueSpec> queues, QueueSink& sink, PriorityRule rule = {},
           RunningLimits limits = {});

  // The same queue over a clone of its engine made now, with another sink. The two are independent.
  // REQUIRES that both outlive it. Cost: O(jobs), and Engine::prepare per kind.
  [[nodiscard]] std::unique_ptr<JobQueue> clone(Engine& engine, QueueSink& sink) const;

  // --- Events. Errors, state unchanged: not_found for an unknown job or queue.
  // The job waits from now on. It is denied at once if the machine could never serve it, or its
  // reservation does not admit it: the sink is called, and the reason is returned. Errors: exists;
  // invalid (an id of 0, or one from kClientZeroId on; a duration or time below 0); not_found (also
  // its reservation).
  [[nodiscard]] Result<std::optional<Error>> submit(const Submission& job);
  // Adds a job that already runs, for instance after its host was restarted. Conflicting promises
  // are made again. Errors: as submit() and Engine::update; invalid (its time has passed).
  [[nodiscard]] Result<void> adopt(const Adoption& running);
  // Restores all jobs of a former queue, over its engine or one loaded from a save of it: they run,
  // wait and keep their promises. A promise that does not fit at its start any more is made again.
  // REQUIRES that no function was called before, and that jobs have arrivals.
  // Errors: as submit(); the queue must not be used then.
  [[nodiscard]] Result<void> resume(std::span<const Resumption> jobs);
  // The usage of users, to be kept with the jobs: what has changed since the last call. Restored before
  // the jobs, by a queue that is to tell of grants outside of it, too (events/kept_usage.hpp).
  [[nodiscard]] KeptUsage take_usage_changes() { return queue::take_usage_changes(p_); }
  void resume(const KeptUsage& kept) { resume_usage(p_, kept); }
  // Restores a reservation, over an engine that has its grants; before its jobs. `admitted`:
  // running jobs that name it. Errors: as reserve().
  [[nodiscard]] Result<void> resume(const ReservationSpec& spec,
                                    std::span<const BookedOccurrence> times,
                                    std::span<const JobId> admitted);
  // Removes a waiting job. Errors: invalid if it runs.
  [[nodiscard]] Result<void> cancel(JobId id);
  [[nodiscard]] Result<void> hold(JobId id);     // revokes its promise. Errors: invalid if it runs
  [[nodiscard]] Result<void> release(JobId id);  // no effect if it is not on hold
  // Its promise stays as long as its discipline gives it one. Errors: invalid if it runs.
  [[nodiscard]] Result<void> set_priority(JobId id, std::int64_t priority);
  // Takes effect with the next pass. Errors: not_found; invalid (a virtual queue).
  [[nodiscard]] Result<void> set_discipline(std::string_view queue, Discipline discipline,
                                            std::size_t depth = SIZE_MAX);
  // No job of a stopped queue starts, or is promised a start. Errors: not_found; invalid (a virtual
  // queue).
  [[nodiscard]] Result<void> set_stopped(std::string_view queue, bool stopped);
  // The job has ended at `at_s`, which may be later than the clock: advance() must follow. Errors:
  // invalid if it does not run.
  [[nodiscard]] Result<void> ended(JobId id, std::int64_t at_s);
  // The job has released some pools, and continues with the rest. Returns true if it has none left,
  // and so has ended. Errors: as Engine::cancel_part.
  [[nodiscard]] Result<bool> ended_part(JobId id, const PoolChoice& pools);
  // Changes the duration of a waiting job, which then counts as new. Errors: invalid if it runs,
  // the duration is below 0, or longer than its reservation.
  [[nodiscard]] Result<void> set_duration(JobId id, std::int64_t duration_s);
  // Changes the end of a running job; conflicting promises are made again. Errors: invalid (it does
  // not run; a time in the past, or beyond the horizon); insufficient (grants of others).
  [[nodiscard]] Result<void> set_end(JobId id, std::int64_t end_s);
  // Promises are made again, because they may be on nodes that are down now.
  void set_status(PoolId pool, Status status) { set_status({&pool, 1}, status); }
  void set_status(std::span<const PoolId> pools, Status status);
  // The machine grows and shrinks, as by Engine::attach and Engine::remove; the same errors.
  // Promises are made again. Running jobs and grants outside the queue lose removed pools, and continue;
  // remove() returns these. Waiting jobs that can no longer be served are denied.
  [[nodiscard]] Result<void> attach(std::span<const NewSubtree> subtrees);
  [[nodiscard]] Result<std::vector<JobId>> remove(std::span<const PoolId> tops);
  // Reservations (reservation/reservation.hpp). Conflicting promises are made again. Returns what
  // running jobs keep of the reservation. Errors: as Reservations::add, change and remove.
  [[nodiscard]] Result<std::vector<ReservationLoss>> reserve(const ReservationSpec& spec);
  [[nodiscard]] Result<std::vector<ReservationLoss>> change_reservation(
      const ReservationSpec& spec);
  // Jobs that wait for it are denied.
  [[nodiscard]] Result<void> cancel_reservation(std::string_view name);
  // Grants outside the queue, with ids that are not jobs of it. They overtake waiting jobs, and
  // break no promise. Errors: as Engine::match, cancel and
  // cancel_part; exists, or invalid: the id is that of a job; insufficient: it may overlap an
  // occurrence of a reservation that is not booked yet, or the limits of its user.
  [[nodiscard]] MatchResult grant_outside_queue(Operation operation, PreparedRequest& request,
                                                JobId id, const OutsideGrant& of = {});
  [[nodiscard]] Result<void> free_outside_queue(JobId id);
  [[nodiscard]] Result<bool> free_outside_queue(JobId id, std::span<const PoolId> pools);
  // Layers of hierarchical resources have changed: promises are made again.
  void layers_changed();
  // Moves the clock. Promised starts that are due happen when the queue works next, or the clock
  // moves again. Jobs submitted until then may be before them. The ends of jobs by then may be
  // reported before or right after: while one is missing, the clock moves only when it is reported,
  // or with any other event, or when the queue works. A job that was not reported by then keeps its
  // resources, a few seconds more, up to a minute at a time; conflicting promises, and those behind
  // them, are made again. Errors: as Engine::advance.
  [[nodiscard]] Result<void> advance(std::int64_t now_s);
  // Moves the clock at once, for hosts that read it: ends that were not reported by now are late.
  void catch_up();

  // --- Decisions
  // Examines waiting jobs within the budget. Returns true if no decision is left for now.
  bool work(WorkBudget& budget);
  bool work() {
    WorkBudget all;
    return work(all);
  }
  // The time of the next event inside the queue: a promised start, the end of a grant that no job
  // has, a change of a layer that jobs may wait for, new priorities, the start or end of a
  // reservation.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;

  // --- State
  // Counts changes: with the same number, answers are the same.
  [[nodiscard]] std::uint64_t sequence() const { return p_.sequence; }
  // Jobs that wait, with promised ones, without those on hold.
  [[nodiscard]] std::size_t waiting() const { return p_.waiting(); }
  [[nodiscard]] std::size_t running() const { return p_.promises.running(); }
  [[nodiscard]] std::optional<JobState> state(JobId id) const;
  [[nodiscard]] std::optional<std::int64_t> promised_start(JobId id) const;
  // The first waiting job, in the order of the queues, then of reservations; none if no job waits.
  [[nodiscard]] std::optional<JobId> first() const;
  [[nodiscard]] const Engine& engine() const { return p_.engine; }
  [[nodiscard]] QueueView view() {
    catch_up();
    return {p_.engine, p_.jobs, p_.kinds, p_.promises, p_.queues, p_.reservations, p_.priorities};
  }
  [[nodiscard]] const PromiseErrors& promise_errors() const { return p_.promise_errors; }
  [[nodiscard]] std::vector<ReservationView> reservations() const {
    return p_.reservations.table().view();
  }
  // The booked occurrences, to be stored with the specs for resume(). `version` counts changes.
  [[nodiscard]] std::uint64_t bookings_version() const { return p_.reservations.table().version(); }
  [[nodiscard]] std::map<std::string, std::vector<BookedOccurrence>> bookings() const {
    return p_.reservations.table().booked();
  }
  void check() const;  // asserts the invariants; O(jobs)

 private:
  JobQueue(const JobQueue& other, Engine& engine, QueueSink& sink);
  friend class Outlook;
  void catch_up_if_ended();
  [[nodiscard]] Result<void> move_clock(std::int64_t now_s);
  [[nodiscard]] Result<WaitingQueue*> waiting_queue_of(std::string_view queue);

  QueueParts p_;
};

}  // namespace copse::queue
