// SPDX-License-Identifier: Apache-2.0
//
// JobQueue: jobs that wait for an engine's resources, run and end. It has no clock, thread or file:
// its host tells it what happens, and is told what becomes of the jobs.
//
//   JobQueue queue(*engine, {{.discipline = *find_discipline("easy")}}, sink);
//   queue.submit({.id = 7, .submit_s = 100, .duration_s = 3600, .kind = text, .request = &request});
//   while (!queue.work(slice)) answer_others();   // sink.started(7, grant)
//   queue.ended(7, 200);                           // what it had is given back
//   queue.advance(200);
//   while (!queue.work(slice)) answer_others();   // promised starts that are due come true
//
// Events may come between two slices of a pass. They take effect at once; what they free is looked
// at by the next pass. The same events and slices give the same decisions, on every machine; and
// without events in between, slices of any size do.
//
// A promised start moves to a later time, or is lost, only if
//   1. a node goes up or down, the machine grows or shrinks, or a reservation needs its nodes;
//   2. somebody runs longer than it was to;
//   3. the job is held, or asks for another duration;
//   4. others stand before it now (they have a higher priority, or were released, or fit again), and
//      its discipline, or the depth, no longer reaches it;
//   5. its queue is stopped.
// That others start, end or leave moves it to earlier times alone.
//
// The engine is the queue's alone while it lives, but for what others had before, and for direct
// grants: they stay, and break no promise.
// Thread safety: none. Cost: an event O(log jobs), apart from what it asks of the engine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "queue/events/submission.hpp"
#include "queue/queue_parts.hpp"

namespace copse::queue {

// What answers are made from; nothing of it may be changed.
struct QueueView {
  Engine& engine;  // to be asked, not told
  const JobTable& jobs;
  KindTable& kinds;  // for prepared()
  const Promises& promises;
  const Lines& lines;
  const Reservations& reservations;
};

class JobQueue {
 public:
  // REQUIRES check_lines(lines), check_rule(rule), and that engine and sink live longer. Lines are
  // served in the order of their names.
  JobQueue(Engine& engine, std::vector<LineSpec> lines, QueueSink& sink, PriorityRule rule = {});

  // The same queue over a clone of its engine, made now; it tells another sink. What either does,
  // the other knows nothing of. REQUIRES that both live longer. Cost: O(jobs), and Engine::prepare
  // for each kind.
  [[nodiscard]] std::unique_ptr<JobQueue> clone(Engine& engine, QueueSink& sink) const;

  // --- Events. Errors, state unchanged: not_found for a job or queue that is not there.
  // It waits from now on; or is denied at once, if no machine like this could ever give it what it
  // asks for, or its reservation does not let it in: the sink is told, and the reason is returned.
  // Errors: exists; invalid (an id of 0, or one of kReservationIds; a duration or time below 0);
  // not_found (its reservation, too).
  [[nodiscard]] Result<std::optional<Error>> submit(const Submission& job);
  // It runs, though it was not started here: its host was started again. Promises in its way are
  // made anew. Errors: as submit() and Engine::update; invalid (its time is over).
  [[nodiscard]] Result<void> adopt(const Adoption& running);
  // All jobs of a queue that is no more, over its engine or one loaded from a save of it: they run,
  // wait and are promised what they were. A promise that finds nothing at its start any more is made
  // anew. REQUIRES that nothing was called before, and that jobs have arrivals.
  // Errors: as submit(); then the queue is not to be used.
  [[nodiscard]] Result<void> resume(std::span<const Resumption> jobs);
  // The same of a reservation, over an engine that has its grants; before its jobs. `inside`: jobs
  // that name it, and run. Errors: as reserve().
  [[nodiscard]] Result<void> resume(const ReservationSpec& spec, std::span<const BookedTime> times,
                                    std::span<const JobId> inside);
  // A job that waits leaves. Errors: invalid if it runs.
  [[nodiscard]] Result<void> cancel(JobId id);
  [[nodiscard]] Result<void> hold(JobId id);     // loses its promise. Errors: invalid if it runs
  [[nodiscard]] Result<void> release(JobId id);  // nothing happens if it is not held
  // It keeps its promise, as long as its discipline gives it. Errors: invalid if it runs
  [[nodiscard]] Result<void> set_priority(JobId id, std::int64_t priority);
  // From the next pass on. Errors: not_found; invalid (it is virtual).
  [[nodiscard]] Result<void> set_discipline(std::string_view queue, Discipline discipline,
                                            std::size_t depth = SIZE_MAX);
  // Of a stopped queue nobody starts, or is promised anything. Errors: not_found; invalid (it is
  // virtual).
  [[nodiscard]] Result<void> set_stopped(std::string_view queue, bool stopped);
  // It runs no more since `at_s`, which may be later than the clock: then advance() follows.
  // Errors: invalid if it does not run.
  [[nodiscard]] Result<void> ended(JobId id, std::int64_t at_s);
  // It has given back some pools, and runs on with the rest; true if nothing is left, and it ended.
  // Errors: as Engine::cancel_part.
  [[nodiscard]] Result<bool> ended_part(JobId id, std::span<const PoolId> pools);
  // A job that waits asks for another duration, and is looked at as if it came now.
  // Errors: invalid if it runs, below 0, or longer than the reservation that it waits for.
  [[nodiscard]] Result<void> set_duration(JobId id, std::int64_t duration_s);
  // A job that runs may do so until then; promises in its way are made anew. Errors: invalid (it
  // does not run; a time of the past, or beyond the horizon); insufficient (others' grants).
  [[nodiscard]] Result<void> set_end(JobId id, std::int64_t end_s);
  // Promises are made anew: they may have been of what is down now.
  void set_status(PoolId pool, Status status) { set_status({&pool, 1}, status); }
  void set_status(std::span<const PoolId> pools, Status status);
  // The machine grows and shrinks: as Engine::attach and Engine::remove, whose errors they have.
  // Promises are made anew. Jobs that run lose what was there, and run on (remove() says which);
  // those that wait for what is no more are denied.
  [[nodiscard]] Result<void> attach(std::span<const NewSubtree> subtrees);
  [[nodiscard]] Result<std::vector<JobId>> remove(std::span<const PoolId> tops);
  // Reservations (reservation/reservation.hpp). Promises in their way are made anew. What running
  // jobs keep of it is returned. Errors: as Reservations::add and change, and remove.
  [[nodiscard]] Result<std::vector<ReservationLoss>> reserve(const ReservationSpec& spec);
  [[nodiscard]] Result<std::vector<ReservationLoss>> change_reservation(
      const ReservationSpec& spec);
  // Jobs that wait for it are denied.
  [[nodiscard]] Result<void> cancel_reservation(std::string_view name);
  // Grants beside the queue, whose ids nobody in it has. They pass those that wait, and break no
  // promise: while there is one, promises are held by the engine. Errors: as Engine::match, cancel
  // and cancel_part; exists, or invalid: the id is that of a job.
  [[nodiscard]] MatchResult grant_beside(Operation operation, PreparedRequest& request, JobId id);
  [[nodiscard]] Result<void> free_beside(JobId id);
  [[nodiscard]] Result<bool> free_beside(JobId id, std::span<const PoolId> pools);
  // Somebody changed layers of hierarchical resources: promises are made anew.
  void layers_changed();
  // Moves the clock: promised starts that are due come true when the queue works next, or the clock
  // moves on. Who is submitted until then may stand before them. Tell what ended by then before: who
  // was to end and did not keeps what it has, a minute at a time, and delays promises in its way.
  // Errors: as Engine::advance.
  [[nodiscard]] Result<void> advance(std::int64_t now_s);

  // --- Decisions
  // Looks at those that wait, as far as the slice goes; true if all is done that can be now.
  bool work(Slice& slice);
  bool work() {
    Slice all;
    return work(all);
  }
  // When something happens by itself: a promised start, the end of a grant that no job here has, a
  // change of a layer that jobs may wait for, other priorities, the start or end of a reservation.
  [[nodiscard]] std::optional<std::int64_t> next_time() const;

  // --- What there is
  // Counts what has changed: the same number, the same answers.
  [[nodiscard]] std::uint64_t sequence() const { return p_.sequence; }
  // Promised ones, too; not those held.
  [[nodiscard]] std::size_t waiting() const { return p_.waiting(); }
  [[nodiscard]] std::size_t running() const { return p_.promises.running(); }
  [[nodiscard]] std::optional<JobState> state(JobId id) const;
  [[nodiscard]] std::optional<std::int64_t> promised_start(JobId id) const;
  // The first that waits, in the order of the lines, then of reservations; none if nobody does.
  [[nodiscard]] std::optional<JobId> first() const;
  [[nodiscard]] const Engine& engine() const { return p_.engine; }
  [[nodiscard]] QueueView view() {
    return {p_.engine, p_.jobs, p_.kinds, p_.promises, p_.lines, p_.reservations};
  }
  [[nodiscard]] const PromiseErrors& promise_errors() const { return p_.promise_errors; }
  [[nodiscard]] std::vector<ReservationView> reservations() const { return p_.reservations.view(); }
  // What is booked: to be kept, with the specs, by whoever resumes. `version` counts its changes.
  [[nodiscard]] std::uint64_t bookings_version() const { return p_.reservations.version(); }
  [[nodiscard]] std::map<std::string, std::vector<BookedTime>> bookings() const {
    return p_.reservations.booked();
  }
  void check() const;  // asserts what is always true; O(jobs)

 private:
  JobQueue(const JobQueue& other, Engine& engine, QueueSink& sink);
  friend class Outlook;
  [[nodiscard]] Result<Line*> line_of(std::string_view queue);
  // Errors: as submit().
  [[nodiscard]] Result<const Lines::Named*> queue_of(const Submission& job) const;
  [[nodiscard]] Result<const Lines::Named*> fresh_in(const Submission& job) const;  // has no grant
  [[nodiscard]] std::uint32_t kind_of(const Submission& job, const Lines::Named& queue);
  [[nodiscard]] Slot enter(const Submission& job, const Lines::Named& queue, std::uint32_t kind,
                           std::uint32_t reservation);

  QueueParts p_;
};

}  // namespace copse::queue
