// SPDX-License-Identifier: Apache-2.0
#include "queue/events/queue_events.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "queue/events/direct_grants.hpp"

namespace copse::queue {

void Resumptions::settle() {
  for (const One& one : all_) {
    const QueuedJob& job = p_.jobs[one.slot];
    p_.promises.outside_released(job.id);
    if (const Grant* grant = p_.engine.grant(job.id)) p_.outside_ends.erase({grant->end, job.id});
  }
  std::ranges::stable_sort(all_, {}, [](const One& one) { return one.was->start_s; });
  settle_running();
  (void)p_.promises.choose_form();
  // In the order of starts: a job whose start is not available any more cannot take an earlier one.
  for (const One& one : all_) {
    if (one.was->state != JobState::running) settle_waiting(one);
  }
  p_.freed_all();
}

// In the order of starts, as the usage of users was counted.
void Resumptions::settle_running() {
  for (const One& one : all_) {
    if (one.was->state != JobState::running) continue;
    const QueuedJob& job = p_.jobs[one.slot];
    p_.promises.resume_running(one.slot, one.was->start_s, one.was->end_s);
    p_.priorities.started(job.user, p_.kinds[job.kind].cores, job.start_s);
  }
}

void Resumptions::settle_waiting(const One& one) {
  QueuedJob& job = p_.jobs[one.slot];
  if (!p_.kinds[job.kind].request) {  // the machine has changed
    p_.sink.denied(job.id, p_.kinds[job.kind].why_not);
    p_.forget(one.slot);
    return;
  }
  if (!one.was->job.reservation.empty() && job.reservation == 0) {
    p_.sink.denied(job.id, {ErrorCode::invalid, "its reservation no longer exists", {}});
    p_.forget(one.slot);
    return;
  }
  if (one.was->state == JobState::on_hold) {
    job.state = JobState::on_hold;
    return;
  }
  job.first_reported_s = one.was->first_reported_s;
  if (one.was->state == JobState::promised) job.reported_s = one.was->start_s;
  const bool promised = one.was->state == JobState::promised &&
                        p_.promises.resume_promised(one.slot, one.was->start_s);
  if (promised) {
    p_.queues[job.waiting_queue].resume(one.slot);
  } else {
    p_.enqueue(one.slot);
  }
}

Result<void> RunningJobs::ended(JobId id, std::int64_t at_s) {
  const auto slot = p_.runs(id);
  if (!slot) return std::unexpected(slot.error());
  ++p_.sequence;
  p_.priorities.ended(p_.jobs[*slot].user, p_.kinds[p_.jobs[*slot].kind].cores, at_s);
  p_.freed(std::max(at_s, p_.engine.now()), p_.jobs[*slot].end_s);
  p_.promises.end(*slot);
  p_.forget(*slot);
  p_.job_released(id);
  return {};
}

Result<bool> RunningJobs::ended_part(JobId id, const PoolChoice& pools) {
  const auto slot = p_.runs(id);
  if (!slot) return std::unexpected(slot.error());
  auto gone = p_.promises.end_part(*slot, pools);
  if (!gone) return gone;
  ++p_.sequence;
  p_.freed(p_.engine.now(), p_.jobs[*slot].end_s);
  if (*gone) {
    p_.priorities.ended(p_.jobs[*slot].user, p_.kinds[p_.jobs[*slot].kind].cores, p_.engine.now());
    p_.promises.end(*slot);
    p_.forget(*slot);
  }
  p_.job_released(id);
  return gone;
}

// Reserved resources are not available, even if promises are revoked.
Result<void> RunningJobs::set_end(JobId id, std::int64_t end_s) {
  const auto slot = p_.runs(id);
  if (!slot) return std::unexpected(slot.error());
  auto ok = run_until(*slot, end_s, !p_.reservations.overlap(id, p_.jobs[*slot].end_s, end_s));
  if (ok) p_.jobs[*slot].limit_s = end_s;
  return ok;
}

// A promise uses resources from its start only.
Result<void> RunningJobs::run_until(Slot slot, std::int64_t end_s, bool may_displace) {
  const std::int64_t old_s = p_.jobs[slot].end_s;
  auto ok = p_.promises.set_end(slot, end_s);
  const auto starts_before = [end_s](const QueuedJob& job) { return job.start_s < end_s; };
  if (!ok && ok.error().code == ErrorCode::insufficient && may_displace) {
    p_.displace(starts_before);
    ok = p_.promises.set_end(slot, end_s);
  }
  if (!ok) return ok;
  if (end_s > old_s && overdrawn(slot, old_s, end_s)) p_.displace(starts_before);
  ++p_.sequence;
  p_.changed = true;
  if (end_s >= old_s) return {};
  p_.freed(end_s, old_s);
  p_.job_released(p_.jobs[slot].id);
  return {};
}

// The engine lets a running job overdraw layers. Returns whether promises then lack amounts,
// because the job runs until `end_s`. A promise uses amounts from its start only.
bool RunningJobs::overdrawn(Slot slot, std::int64_t old_s, std::int64_t end_s) const {
  const Grant* runs_on = p_.engine.grant(p_.jobs[slot].id);
  if (runs_on == nullptr || (runs_on->charges.empty() && runs_on->charges.pools.empty()))
    return false;
  for (const auto& [start_s, position, promised] : p_.promises.due()) {
    if (start_s >= end_s) break;
    const Grant* grant = p_.engine.grant(p_.jobs[promised].id);
    if (grant == nullptr || grant->end <= old_s) continue;
    if (!runs_on->charges.pools.empty() && !grant->charges.pools.empty()) return true;
    if (grant->charges.empty()) continue;
    for (const LayerView& layer : p_.engine.layers(std::max(start_s, old_s))) {
      if (layer.total != kUnlimitedCount && layer.used + layer.held > layer.total) return true;
    }
  }
  return false;
}

void RunningJobs::adopted(Slot slot) {
  const QueuedJob& job = p_.jobs[slot];
  (void)p_.promises.choose_form();
  p_.promises.start_granted(slot);
  p_.priorities.started(job.user, p_.kinds[job.kind].cores, p_.engine.now());
}

// Nothing is known about its end. The longer it has overrun, the longer it will.
void RunningJobs::overrun(std::int64_t now_s) {
  RunningEnds& ends = p_.promises.ends();
  for (Slot slot = ends.first_by(now_s); slot != kNoSlot; slot = ends.first_by(now_s)) {
    ends.drop_first();
    const std::int64_t late_s = now_s - p_.jobs[slot].limit_s;
    const std::int64_t more_s = std::clamp(2 * late_s, kOverrunLeast_s, kOverrunMost_s);
    const std::int64_t end_s = std::min(now_s + more_s, p_.engine.options().horizon);
    const auto keep = [&] { return run_until(slot, end_s, true); };
    [[maybe_unused]] const auto kept = p_.reservations.extend(p_.jobs[slot].id, end_s, keep);
  }
}

void MachineChanges::set_status(std::span<const PoolId> pools, Status status) {
  ++p_.sequence;
  for (const auto& queue : p_.queues) queue->drop_promises();
  p_.abandon_pass();
  if (pools.empty()) p_.kinds.recheck_refused();  // a property may have been added
  for (const PoolId pool : pools) p_.engine.set_status(pool, status);
  if (pools.empty()) {
    p_.promises.count_again();
  } else {
    p_.promises.recount();
  }
  p_.reservations.recheck();
  p_.freed_all();
}

Result<void> MachineChanges::attach(std::span<const NewSubtree> subtrees) {
  if (auto ok = p_.engine.attach(subtrees); !ok) return ok;
  machine_changed();
  return {};
}

Result<std::vector<JobId>> MachineChanges::remove(std::span<const PoolId> tops) {
  auto lost = p_.engine.remove(tops);
  if (!lost) return lost;
  // Promises and reservations are made again, so they lose nothing.
  std::erase_if(*lost, [this](JobId id) {
    return !p_.runs(id) &&
           (p_.jobs.find(id) != kNoSlot || p_.reservations.table().owner(id).has_value());
  });
  for (const JobId id : *lost) {
    if (!p_.runs(id) && p_.engine.grant(id) == nullptr) DirectGrants(p_).lost(id);
  }
  machine_changed();
  return lost;
}

void MachineChanges::layers_changed() {
  drop_promises();
  p_.promises.count_again();
}

void MachineChanges::drop_promises() {
  ++p_.sequence;
  for (const auto& queue : p_.queues) queue->drop_promises();
  p_.abandon_pass();
  p_.freed_all();
}

void MachineChanges::machine_changed() {
  drop_promises();
  p_.promises.forget_counts();
  p_.kinds.prepare_again();
  p_.reservations.machine_changed();
  p_.reserved_version.reset();  // pools may have other numbers
  p_.note_reserved();
  std::vector<Slot> never;
  for (const auto& [id, slot] : p_.jobs.slots()) {
    const QueuedJob& job = p_.jobs[slot];
    if (job.state != JobState::running && !p_.kinds[job.kind].request) never.push_back(slot);
  }
  std::ranges::sort(never, {}, [this](Slot slot) { return p_.jobs[slot].id; });
  for (const Slot slot : never) {
    p_.sink.denied(p_.jobs[slot].id, p_.kinds[p_.jobs[slot].kind].why_not);
    p_.withdraw(slot);
    p_.forget(slot);
  }
  p_.promises.machine_changed();
}

Result<std::vector<ReservationLoss>> MachineChanges::reserve(const ReservationSpec& spec) {
  p_.promises.pin_for_others();
  p_.start_due_jobs();
  auto losses =
      p_.reservations.table().add(spec, [this](const ReservedNodes& r) { revoke_conflicting(r); });
  reservations_changed();
  p_.start_due_jobs();
  return losses;
}

Result<std::vector<ReservationLoss>> MachineChanges::change_reservation(
    const ReservationSpec& spec) {
  p_.promises.pin_for_others();
  p_.start_due_jobs();
  auto losses = p_.reservations.table().change(
      spec, [this](const ReservedNodes& r) { revoke_conflicting(r); });
  reservations_changed();
  p_.start_due_jobs();
  if (losses) p_.freed_all();
  return losses;
}

Result<void> MachineChanges::cancel_reservation(std::string_view name) {
  if (auto ok = p_.reservations.remove(name); !ok) return ok;
  reservations_changed();
  p_.start_due_jobs();
  p_.freed_all();
  return {};
}

void MachineChanges::revoke_conflicting(const ReservedNodes& reserved) {
  p_.displace([&](const QueuedJob& job) {
    const Grant* grant = p_.engine.grant(job.id);
    return grant != nullptr && reserved.conflicts_with(p_.engine.graph(), *grant);
  });
}

void MachineChanges::reservations_changed() {
  ++p_.sequence;
  p_.changed = true;
  p_.note_reserved();
  for (const auto& [slot, why] : p_.reservations.take_orphaned()) {
    p_.sink.denied(p_.jobs[slot].id, {ErrorCode::invalid, why, {}});
    p_.forget(slot);
  }
}

}  // namespace copse::queue
