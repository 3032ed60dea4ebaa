// SPDX-License-Identifier: Apache-2.0
#include "queue/job_queue.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "queue/events/arrivals.hpp"
#include "queue/events/direct_grants.hpp"
#include "queue/events/queue_events.hpp"
#include "queue/pass/passes.hpp"

namespace copse::queue {

JobQueue::JobQueue(Engine& engine, std::vector<QueueSpec> queues, QueueSink& sink,
                   PriorityRule rule, RunningLimits limits)
    : p_(engine, std::move(queues), sink, std::move(rule), std::move(limits)) {}

JobQueue::JobQueue(const JobQueue& other, Engine& engine, QueueSink& sink)
    : p_(other.p_, engine, sink) {}

std::unique_ptr<JobQueue> JobQueue::clone(Engine& engine, QueueSink& sink) const {
  return std::unique_ptr<JobQueue>(new JobQueue(*this, engine, sink));
}

// --- Events

Result<std::optional<Error>> JobQueue::submit(const Submission& job) {
  catch_up();
  return Arrivals(p_).submit(job);
}

Result<void> JobQueue::adopt(const Adoption& running) {
  catch_up();
  return Arrivals(p_).adopt(running);
}

Result<void> JobQueue::resume(std::span<const Resumption> jobs) {
  return Arrivals(p_).resume(jobs);
}

Result<void> JobQueue::resume(const ReservationSpec& spec, std::span<const BookedOccurrence> times,
                              std::span<const JobId> admitted) {
  if (auto ok = p_.reservations.table().resume(spec, times, admitted); !ok) return ok;
  for (const JobId id : p_.engine.jobs()) {
    if (!p_.reservations.table().owner(id)) continue;
    p_.promises.outside_released(id);
    p_.outside_ends.erase({p_.engine.grant(id)->end, id});
  }
  p_.note_reserved();
  return {};
}

Result<void> JobQueue::cancel(JobId id) {
  catch_up();
  const auto slot = p_.not_running(id);
  if (!slot) return std::unexpected(slot.error());
  p_.withdraw(*slot);
  p_.forget(*slot);
  return {};
}

Result<void> JobQueue::hold(JobId id) {
  catch_up();
  const auto slot = p_.not_running(id);
  if (!slot) return std::unexpected(slot.error());
  p_.withdraw(*slot);
  p_.jobs[*slot].state = JobState::on_hold;
  return {};
}

Result<void> JobQueue::release(JobId id) {
  catch_up();
  const auto slot = p_.known(id);
  if (!slot) return std::unexpected(slot.error());
  if (p_.jobs[*slot].state != JobState::on_hold) return {};
  p_.jobs[*slot].state = JobState::waiting;
  p_.jobs[*slot].position.minus_priority = p_.minus_priority(p_.jobs[*slot]);
  p_.note_priority(id);
  ++p_.sequence;
  p_.enqueue(*slot);
  return {};
}

Result<void> JobQueue::set_priority(JobId id, std::int64_t priority) {
  catch_up();
  const auto slot = p_.not_running(id);
  if (!slot) return std::unexpected(slot.error());
  QueuedJob& job = p_.jobs[*slot];
  if (job.given_priority == priority) return {};
  ++p_.sequence;
  job.given_priority = priority;
  QueuePosition position = job.position;
  position.minus_priority = p_.minus_priority(job);
  p_.note_priority(id);
  const bool waits = job.state != JobState::on_hold, reserved = job.reservation != 0;
  if (waits && reserved) p_.reservations.erase(*slot);
  if (waits && !reserved) {
    p_.queues[job.waiting_queue].set_position(*slot, position);
  } else {
    job.position = position;
  }
  if (waits && reserved) p_.reservations.insert(*slot);
  p_.changed = p_.changed || waits;
  return {};
}

Result<WaitingQueue*> JobQueue::waiting_queue_of(std::string_view queue) {
  const auto named = p_.queues.find(queue);
  if (!named) return std::unexpected(named.error());
  WaitingQueue& waiting_queue = p_.queues[(*named)->waiting_queue];
  if (!(*named)->is_virtual) return &waiting_queue;
  return fail(
      ErrorCode::invalid,
      fmt::format("queue \"{}\" is virtual: its jobs wait in the queue of its parent, \"{}\"",
                  queue, waiting_queue.name()));
}

Result<void> JobQueue::set_discipline(std::string_view queue, Discipline discipline,
                                      std::size_t depth) {
  catch_up();
  const auto waiting_queue = waiting_queue_of(queue);
  if (!waiting_queue) return std::unexpected(waiting_queue.error());
  ++p_.sequence;
  (*waiting_queue)->set_discipline(std::move(discipline), depth);
  p_.abandon_pass();
  p_.changed = true;
  return {};
}

Result<void> JobQueue::set_stopped(std::string_view queue, bool stopped) {
  catch_up();
  const auto waiting_queue = waiting_queue_of(queue);
  if (!waiting_queue) return std::unexpected(waiting_queue.error());
  if ((*waiting_queue)->stopped() == stopped) return {};
  ++p_.sequence;
  (*waiting_queue)->stop(stopped);
  p_.abandon_pass();
  p_.freed_all();
  return {};
}

Result<void> JobQueue::set_duration(JobId id, std::int64_t duration_s) {
  catch_up();
  if (duration_s < 0) return fail(ErrorCode::invalid, "a duration is not below 0");
  const auto slot = p_.not_running(id);
  if (!slot) return std::unexpected(slot.error());
  const QueuedJob& job = p_.jobs[*slot];
  if (job.reservation != 0) {
    const auto user = p_.priorities.name(job.user);
    if (auto ok = p_.reservations.check_duration(job.reservation, user, duration_s); !ok) return ok;
  }
  const bool waits = job.state != JobState::on_hold;
  p_.withdraw(*slot);
  p_.jobs[*slot].duration_s = requested_duration(duration_s);
  if (waits) p_.enqueue(*slot);
  return {};
}

// --- Running jobs, and the machine

Result<void> JobQueue::ended(JobId id, std::int64_t at_s) {
  auto ok = RunningJobs(p_).ended(id, at_s);
  catch_up_if_ended();
  return ok;
}
Result<bool> JobQueue::ended_part(JobId id, const PoolChoice& pools) {
  auto gone = RunningJobs(p_).ended_part(id, pools);
  catch_up_if_ended();
  return gone;
}
Result<void> JobQueue::set_end(JobId id, std::int64_t end_s) {
  catch_up();
  return RunningJobs(p_).set_end(id, end_s);
}
void JobQueue::set_status(std::span<const PoolId> pools, Status status) {
  catch_up();
  MachineChanges(p_).set_status(pools, status);
}
Result<void> JobQueue::attach(std::span<const NewSubtree> subtrees) {
  catch_up();
  return MachineChanges(p_).attach(subtrees);
}
Result<std::vector<JobId>> JobQueue::remove(std::span<const PoolId> tops) {
  catch_up();
  return MachineChanges(p_).remove(tops);
}
Result<std::vector<ReservationLoss>> JobQueue::reserve(const ReservationSpec& spec) {
  catch_up();
  return MachineChanges(p_).reserve(spec);
}
Result<std::vector<ReservationLoss>> JobQueue::change_reservation(const ReservationSpec& spec) {
  catch_up();
  return MachineChanges(p_).change_reservation(spec);
}
Result<void> JobQueue::cancel_reservation(std::string_view name) {
  catch_up();
  return MachineChanges(p_).cancel_reservation(name);
}

MatchResult JobQueue::grant_outside_queue(Operation operation, PreparedRequest& request, JobId id,
                                          const OutsideGrant& of) {
  catch_up();
  return DirectGrants(p_).grant(operation, request, id, of);
}
Result<void> JobQueue::free_outside_queue(JobId id) { return DirectGrants(p_).free(id); }
Result<bool> JobQueue::free_outside_queue(JobId id, std::span<const PoolId> pools) {
  return DirectGrants(p_).free(id, pools);
}
void JobQueue::layers_changed() {
  catch_up();
  MachineChanges(p_).layers_changed();
}

// --- The clock

// While a running job should have ended by then, the clock moves with the next event, or when that
// end is reported: so the order of the two changes no decision.
Result<void> JobQueue::advance(std::int64_t now_s) {
  if (p_.clock_to_s == now_s) return {};
  catch_up();
  const bool later = now_s > p_.engine.now() && now_s < p_.engine.options().horizon;
  if (!later || p_.promises.ends().first_by(now_s) == kNoSlot) return move_clock(now_s);
  p_.clock_to_s = now_s;
  return {};
}

void JobQueue::catch_up() {
  if (!p_.clock_to_s) return;
  [[maybe_unused]] const auto moved = move_clock(*std::exchange(p_.clock_to_s, {}));
  assert(moved);
}

// If all jobs have ended that should have, the clock can move.
void JobQueue::catch_up_if_ended() {
  if (p_.clock_to_s && p_.promises.ends().first_by(*p_.clock_to_s) == kNoSlot) catch_up();
}

// A job that is due starts when the queue works: a job submitted in the same second may be before
// it, and take its promise. When the clock moves on, no such job can come any more.
Result<void> JobQueue::move_clock(std::int64_t now_s) {
  if (now_s > p_.engine.now()) p_.start_due_jobs();
  if (now_s > p_.engine.now() && now_s < p_.engine.options().horizon)
    RunningJobs(p_).overrun(now_s);
  const auto layer_s = p_.engine.next_layer_change(p_.engine.now() + 1);
  if (auto ok = p_.engine.advance(now_s); !ok) return ok;
  ++p_.sequence;
  if (layer_s && *layer_s <= now_s) p_.freed_all();
  const auto priorities_s = p_.next_priorities();
  if (priorities_s && *priorities_s <= now_s) p_.changed = true;
  if (p_.reservations.table().any()) {
    if (p_.reservations.advance(
            [this](const ReservedNodes& r) { MachineChanges(p_).revoke_conflicting(r); }))
      p_.anything_freed = true;
    MachineChanges(p_).reservations_changed();
  }
  DirectGrants(p_).end_until(now_s);
  if (p_.passing) p_.start_due_jobs();
  if (p_.promises.any_due()) p_.changed = true;
  return {};
}

// --- Decisions

bool JobQueue::work(WorkBudget& budget) {
  catch_up();
  return Passes(p_).work(budget);
}

std::optional<std::int64_t> JobQueue::next_time() const {
  std::optional<std::int64_t> out;
  const auto take = [&](std::int64_t time_s) { out = out ? std::min(*out, time_s) : time_s; };
  if (!p_.promises.due().empty()) take(std::get<0>(p_.promises.due().front()));
  if (!p_.outside_ends.empty()) take(p_.outside_ends.begin()->first);
  if (const auto time_s = p_.next_priorities()) take(*time_s);
  if (const auto time_s = p_.reservations.table().next_time()) take(*time_s);
  if (p_.promises.due().size() < p_.waiting()) {
    const auto time_s = p_.engine.next_layer_change(p_.engine.now() + 1);
    if (time_s && *time_s < p_.engine.options().horizon) take(*time_s);
  }
  return out;
}

// --- State

std::optional<JobState> JobQueue::state(JobId id) const {
  const Slot slot = p_.jobs.find(id);
  return slot == kNoSlot ? std::nullopt : std::optional(p_.jobs[slot].state);
}

std::optional<std::int64_t> JobQueue::promised_start(JobId id) const {
  const Slot slot = p_.jobs.find(id);
  if (slot == kNoSlot || p_.jobs[slot].state != JobState::promised) return std::nullopt;
  return p_.jobs[slot].start_s;
}

std::optional<JobId> JobQueue::first() const {
  for (const auto& queue : p_.queues) {
    if (queue->waiting() > 0) return p_.jobs[queue->order().front().slot].id;
  }
  return p_.reservations.first();
}

void JobQueue::check() const {
  p_.reservations.check();
  p_.promises.check();
  for (const auto& queue : p_.queues) queue->check();
  for (const auto& [id, slot] : p_.jobs.slots()) {
    assert(p_.jobs[slot].id == id);
    const QueuedJob& job = p_.jobs[slot];
    assert(job.state != JobState::promised || !p_.promises.due().empty());
    assert(job.withdrawn_s < 0 || (job.state == JobState::waiting && p_.restorations.any()));
    assert(job.state != JobState::running || job.limit_s <= job.end_s);
    (void)id, (void)job;
  }
}

}  // namespace copse::queue
