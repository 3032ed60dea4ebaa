// SPDX-License-Identifier: Apache-2.0
#include "queue/events/kept_usage.hpp"

#include <algorithm>

namespace copse::queue {

namespace {

void add_priorities(const QueueParts& parts, KeptUsage& out) {
  const auto add = [&](const QueuedJob& job) {
    if (job.state == JobState::running) return;
    out.priorities.emplace_back(job.id, -job.position.minus_priority);
  };
  if (parts.kept_changes->reordered) {
    out.prioritized_s = parts.prioritized_s;
    parts.jobs.each(add);
    return;
  }
  for (const JobId id : parts.kept_changes->priorities) {
    if (const Slot slot = parts.jobs.find(id); slot != kNoSlot) add(parts.jobs[slot]);
  }
}

}  // namespace

KeptUsage take_usage_changes(QueueParts& parts) {
  KeptUsage out;
  for (const Priorities::User user : parts.priorities.take_changed()) {
    out.users.push_back({std::string(parts.priorities.name(user)), parts.priorities.used(user)});
  }
  if (!out.users.empty()) out.all = parts.priorities.used_by_all();
  if (!parts.kept_changes) return out;
  for (const JobId id : parts.kept_changes->outside_users) {
    const auto use = parts.outside_users.find(id);
    if (use == parts.outside_users.end()) {
      out.grants.push_back({.id = id, .ended = true});
    } else {
      out.grants.push_back({.id = id,
                            .user = std::string(parts.priorities.name(use->second.user)),
                            .cores = use->second.cores,
                            .size = use->second.size});
    }
  }
  add_priorities(parts, out);
  parts.kept_changes.emplace();
  return out;
}

void resume_usage(QueueParts& parts, const KeptUsage& kept) {
  for (const auto& [user, used] : kept.users) {
    parts.priorities.resume(parts.priorities.user(user), used);
  }
  if (kept.all) parts.priorities.resume_all(*kept.all);
  for (const KeptUsage::OfGrant& grant : kept.grants) {
    const Grant* const has = parts.engine.grant(grant.id);
    if (has == nullptr) continue;
    const Priorities::User user = parts.priorities.user(grant.user);
    parts.priorities.started(user, grant.cores, std::min(has->start, parts.engine.now()));
    parts.promises.mutable_limits().add(grant.user, "", grant.size);
    parts.outside_users.emplace(grant.id, OutsideUse{user, grant.cores, grant.size});
  }
  if (kept.prioritized_s) parts.prioritized_s = *kept.prioritized_s;
  parts.kept_changes.emplace();
}

}  // namespace copse::queue
