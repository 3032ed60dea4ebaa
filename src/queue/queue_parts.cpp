// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_parts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace copse::queue {

QueueParts::QueueParts(Engine& engine_in, std::vector<QueueSpec> specs, QueueSink& sink_in,
                       PriorityRule rule, RunningLimits limits)
    : engine(engine_in),
      sink(sink_in),
      kinds(engine_in),
      promises(engine_in, jobs, kinds, priorities, std::move(limits)),
      priorities(engine_in.graph(), std::move(rule)),
      running_jobs(jobs, kinds, promises, priorities),
      reservations(shared()),
      queues(std::move(specs), shared()),
      prioritized_s(engine_in.now()) {
  for (const JobId job : engine_in.jobs()) {
    const Grant* grant = engine_in.grant(job);
    if (grant->end < engine_in.options().horizon) outside_ends.emplace(grant->end, job);
  }
}

QueueParts::QueueParts(const QueueParts& other, Engine& engine_in, QueueSink& sink_in)
    : engine(engine_in),
      sink(sink_in),
      jobs(other.jobs),
      kinds(other.kinds, engine),
      freed_intervals(other.freed_intervals),
      promises(other.promises, engine, jobs, kinds, priorities),
      priorities(other.priorities),
      running_jobs(jobs, kinds, promises, priorities),
      reservations(other.reservations, shared()),
      denied_slots(other.denied_slots),
      promise_errors(other.promise_errors),
      queues(other.queues, shared()),
      restorations(other.restorations),
      compression(other.compression),
      prioritized_s(other.prioritized_s),
      reserved_version(other.reserved_version),
      arrivals(other.arrivals),
      sequence(other.sequence),
      clock_to_s(other.clock_to_s),
      outside_ends(other.outside_ends),
      outside_users(other.outside_users),
      anything_freed(other.anything_freed),
      changed(other.changed),
      freed_later(other.freed_later),
      at_queue(other.at_queue),
      passing(other.passing) {}

std::int64_t QueueParts::minus_priority(const QueuedJob& job) const {
  const Priorities::PriorityInput by{job.given_priority, job.position.submit_s,
                                     kinds[job.kind].cores, queues.named()[job.queue].weight,
                                     job.user};
  const std::int64_t priority = priorities.of(by, engine.now());
  return priority == INT64_MIN ? INT64_MAX : -priority;
}

std::optional<std::int64_t> QueueParts::next_priorities() const {
  if (!priorities.rule().moves() || waiting() == 0) return std::nullopt;
  return prioritized_s + priorities.rule().period_s;
}

Result<Slot> QueueParts::known(JobId id) const {
  const Slot slot = jobs.find(id);
  if (slot == kNoSlot) return fail(ErrorCode::not_found, fmt::format("there is no job {}", id));
  return slot;
}

Result<Slot> QueueParts::not_running(JobId id) const {
  auto slot = known(id);
  if (slot && jobs[*slot].state == JobState::running) {
    return fail(ErrorCode::invalid, fmt::format("job {} runs already", id));
  }
  return slot;
}

Result<Slot> QueueParts::runs(JobId id) const {
  auto slot = known(id);
  if (slot && jobs[*slot].state != JobState::running) {
    return fail(ErrorCode::invalid, fmt::format("job {} does not run", id));
  }
  return slot;
}

void QueueParts::freed(std::int64_t from_s, std::int64_t until_s) {
  anything_freed = true;
  if (from_s >= until_s) return;
  if (passing) {
    freed_later.push_back({from_s, until_s});
  } else {
    freed_intervals.add({from_s, until_s});
  }
}

void QueueParts::enqueue(Slot slot) {
  changed = true;
  if (jobs[slot].reservation != 0) {
    reservations.insert(slot);
  } else {
    queues[jobs[slot].waiting_queue].insert(slot);
  }
}

void QueueParts::withdraw(Slot slot) {
  ++sequence;
  QueuedJob& job = jobs[slot];
  if (const std::int64_t was_s = std::exchange(job.withdrawn_s, -1); was_s >= 0)
    freed(was_s, was_s + std::min(job.duration_s, kEndless_s - was_s));
  if (job.state == JobState::on_hold) return;
  WaitingQueue& queue = queues[job.waiting_queue];
  if (job.reservation != 0) {
    reservations.erase(slot);
  } else if (job.state == JobState::promised) {
    freed(job.start_s, job.end_s);
    queue.erase(slot);
    promises.drop(slot);
  } else {
    queue.erase(slot);
  }
  changed = true;  // the next job in the queue may get a promise
}

void QueueParts::forget(Slot slot) {
  const std::uint32_t kind = jobs[slot].kind;
  promises.left(slot);
  jobs.erase(slot);
  jobs[slot] = {};  // a pass that has the slot in a list sees that no job waits there
  if (--kinds[kind].jobs > 0) return;
  reservations.forget_kind(kind);
  kinds.release(kind);
}

void QueueParts::forget_denied() {
  for (const Slot slot : denied_slots) forget(slot);
  denied_slots.clear();
}

void QueueParts::job_released(JobId id) {
  if (reservations.job_released(id)) changed = true;
}

void QueueParts::displace(const std::function<bool(const QueuedJob&)>& conflicts) {
  Slot first = kNoSlot;
  const auto before = [](const QueuedJob& a, const QueuedJob& b) {
    return std::tie(a.waiting_queue, a.position) < std::tie(b.waiting_queue, b.position);
  };
  for (const auto& [start_s, position, slot] : promises.due()) {
    const bool earlier = first == kNoSlot || before(jobs[slot], jobs[first]);
    if (earlier && conflicts(jobs[slot])) first = slot;
  }
  if (first == kNoSlot) return;
  restorations.withdraw_from(shared(), queues, first);
  ++sequence;
  anything_freed = true;
  abandon_pass();
}

void QueueParts::start_due_jobs() {
  for (Slot slot = promises.start_due(); slot != kNoSlot; slot = promises.start_due()) {
    changed = true;
    ++sequence;
    queues[jobs[slot].waiting_queue].promise_ended(slot);
    if (jobs[slot].state == JobState::running) continue;
    freed_all();
    abandon_pass();
  }
}

// An occurrence that is not booked yet gets its nodes later, and amounts of layers are not counted.
void QueueParts::note_reserved() {
  const ReservationTable& table = reservations.table();
  if (reserved_version == table.version()) return;
  reserved_version = table.version();
  std::optional<std::vector<ReservedTime>> times(std::in_place);
  for (const auto& [number, reservation] : table.all()) {
    if (unbooked_series(reservation.spec, reservation.next, engine.now(), engine.options().horizon))
      times.reset();
    for (const ReservedNodes& time : reservation.booked) {
      if (time.has_layers()) times.reset();
      if (times) times->push_back({time.start_s(), time.end_s(), time.nodes()});
    }
    if (!times) break;
  }
  promises.set_reserved(std::move(times));
  changed = true;
}

void QueueParts::abandon_pass() {
  if (!passing) return;
  passing = false;
  for (const auto& queue : queues) queue->abandon_pass();
  reservations.recheck();
  freed_all();
}

}  // namespace copse::queue
