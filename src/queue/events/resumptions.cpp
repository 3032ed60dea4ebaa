// SPDX-License-Identifier: Apache-2.0
#include "queue/events/resumptions.hpp"

#include <algorithm>

namespace copse::queue {

void Resumptions::settle() {
  for (const One& one : all_) {
    const QueuedJob& job = p_.jobs[one.slot];
    p_.promises.outside_released(job.id);
    if (const Grant* grant = p_.engine.grant(job.id)) p_.outside_ends.erase({grant->end, job.id});
  }
  std::ranges::stable_sort(all_, {}, [](const One& one) { return one.was->start_s; });
  settle_running();
  p_.promises.choose_form();
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

}  // namespace copse::queue
