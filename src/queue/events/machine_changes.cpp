// SPDX-License-Identifier: Apache-2.0
#include "queue/events/machine_changes.hpp"

#include <algorithm>

namespace copse::queue {

void MachineChanges::set_status(std::span<const PoolId> pools, Status status) {
  ++p_.sequence;
  for (const auto& queue : p_.queues) queue->drop_promises();
  p_.abandon_pass();
  if (pools.empty()) p_.kinds.recheck_refused();  // a property may have been added
  for (const PoolId pool : pools) p_.engine.set_status(pool, status);
  p_.promises.recount();
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
  machine_changed();
  std::erase_if(*lost, [this](JobId id) { return !p_.runs(id); });
  return lost;
}

void MachineChanges::layers_changed() {
  ++p_.sequence;
  for (const auto& queue : p_.queues) queue->drop_promises();
  p_.abandon_pass();
  p_.freed_all();
}

void MachineChanges::machine_changed() {
  ++p_.sequence;
  for (const auto& queue : p_.queues) queue->drop_promises();
  p_.abandon_pass();
  p_.freed_all();
  p_.kinds.prepare_again();
  p_.reservations.machine_changed();
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
  p_.promises.pin_for_reservations(true);
  p_.start_due_jobs();
  auto losses =
      p_.reservations.table().add(spec, [this](const ReservedNodes& r) { revoke_conflicting(r); });
  reservations_changed();
  p_.start_due_jobs();
  return losses;
}

Result<std::vector<ReservationLoss>> MachineChanges::change_reservation(
    const ReservationSpec& spec) {
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
  std::vector<Slot> conflicting;
  for (const auto& [start_s, position, slot] : p_.promises.due()) {
    const Grant* grant = p_.engine.grant(p_.jobs[slot].id);
    if (grant != nullptr && reserved.conflicts_with(p_.engine.graph(), *grant))
      conflicting.push_back(slot);
  }
  for (const Slot slot : conflicting) {
    p_.freed(p_.jobs[slot].start_s, p_.jobs[slot].end_s);
    p_.queues[p_.jobs[slot].waiting_queue].drop_promise(slot);
  }
  if (!conflicting.empty()) p_.abandon_pass();
}

void MachineChanges::reservations_changed() {
  ++p_.sequence;
  p_.changed = true;
  p_.promises.pin_for_reservations(p_.reservations.table().any());
  for (const auto& [slot, why] : p_.reservations.take_orphaned()) {
    p_.sink.denied(p_.jobs[slot].id, {ErrorCode::invalid, why, {}});
    p_.forget(slot);
  }
}

}  // namespace copse::queue
