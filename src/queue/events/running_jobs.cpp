// SPDX-License-Identifier: Apache-2.0
#include "queue/events/running_jobs.hpp"

#include <algorithm>

namespace copse::queue {

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

Result<bool> RunningJobs::ended_part(JobId id, std::span<const PoolId> pools) {
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
  return run_until(*slot, end_s, !p_.reservations.overlap(id, p_.jobs[*slot].end_s, end_s));
}

Result<void> RunningJobs::run_until(Slot slot, std::int64_t end_s, bool may_drop_promises) {
  const std::int64_t old_s = p_.jobs[slot].end_s;
  auto ok = p_.promises.set_end(slot, end_s);
  if (!ok && ok.error().code == ErrorCode::insufficient && may_drop_promises) {
    p_.drop_promises_before(end_s);
    ok = p_.promises.set_end(slot, end_s);
  }
  if (!ok) return ok;
  if (end_s > old_s && overdrawn(slot, old_s, end_s)) p_.drop_promises_before(end_s);
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
  p_.promises.choose_form();
  p_.promises.start_granted(slot);
  p_.priorities.started(job.user, p_.kinds[job.kind].cores, p_.engine.now());
}

void RunningJobs::overrun(std::int64_t now_s) {
  const std::int64_t end_s = std::min(now_s + kOverrun_s, p_.engine.options().horizon);
  for (Slot slot = p_.promises.overdue(now_s); slot != kNoSlot; slot = p_.promises.overdue(now_s)) {
    const auto keep = [&] { return run_until(slot, end_s, true); };
    [[maybe_unused]] const auto kept = p_.reservations.extend(p_.jobs[slot].id, end_s, keep);
  }
}

}  // namespace copse::queue
