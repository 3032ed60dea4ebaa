// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/passes.hpp"

#include <cassert>
#include <optional>
#include <vector>

#include "queue/reservation/unbooked_occurrences.hpp"

namespace copse::queue {

bool Passes::work(WorkBudget& budget) {
  if (p_.passing) ++p_.sequence;  // decisions of the rest of a pass change answers, too
  const bool done = run(budget);
  p_.forget_denied();
  return done;
}

bool Passes::run(WorkBudget& budget) {
  while (p_.passing || p_.anything_freed || p_.changed || p_.restorations.any()) {
    if (p_.restorations.any() && !restore(budget)) return false;
    if (p_.passing) keep_form();
    if (!p_.passing) begin();
    if (!p_.reservations.run(budget)) return false;
    if (!p_.compression.run(p_.shared(), p_.queues, budget)) return false;
    for (; p_.at_queue < p_.queues.size(); ++p_.at_queue) {
      if (!p_.queues[p_.at_queue].run(budget)) return false;
    }
    p_.passing = false;
    for (const auto& queue : p_.queues) p_.changed |= queue->order_changed();
    p_.forget_denied();
    report_plans();
  }
  return true;
}

// In the form that promises are going to have. Jobs that are due are before these.
bool Passes::restore(WorkBudget& budget) {
  assert(!p_.passing);
  revoke_excess();
  p_.start_due_jobs();
  choose_form();
  return p_.restorations.run(p_.shared(), p_.queues, budget);
}

void Passes::begin() {
  ++p_.sequence;
  p_.promises.begin_pass();
  p_.at_queue = 0;
  revoke_excess();
  p_.start_due_jobs();
  prioritize();
  choose_form();
  p_.start_due_jobs();
  for (const auto& time : p_.freed_later) p_.freed_intervals.add(time);
  p_.freed_later.clear();
  revoke_excess();
  if (p_.anything_freed) {
    for (const auto& queue : p_.queues) queue->retry_unplaceable();
    p_.kinds.forget_failures();
  }
  p_.passing = true;
  p_.reservations.begin();
  p_.compression.begin(p_.freed_intervals.any());
  for (const auto& queue : p_.queues) queue->begin(p_.anything_freed);
  p_.anything_freed = p_.changed = false;
}

void Passes::revoke_excess() {
  for (const auto& queue : p_.queues) p_.anything_freed |= queue->revoke_excess();
}

// Once promises are counted, or in other groups, other starts are possible.
void Passes::choose_form() {
  if (!p_.promises.choose_form()) return;
  p_.anything_freed = true;
  p_.freed_later.push_back({p_.engine.now(), INT64_MAX});
}

// Jobs that joined between two budgets may not be in the groups, or cannot be counted at all.
void Passes::keep_form() {
  if (p_.promises.form_holds()) return;
  choose_form();
  p_.start_due_jobs();
}

void Passes::prioritize() {
  const auto due_s = p_.next_priorities();
  if (!due_s || *due_s > p_.engine.now()) return;
  p_.prioritized_s = p_.engine.now();
  if (p_.kept_changes) p_.kept_changes->reordered = true;
  for (const auto& queue : p_.queues) {
    queue->reorder([this](const QueuedJob& job) { return p_.minus_priority(job); });
  }
}

// A start that conflicts with an occurrence that is not booked yet is not reported.
void Passes::report_plans() {
  std::vector<Slot> slots = p_.promises.changed();
  std::optional<UnbookedOccurrences> unbooked;
  if (p_.reservations.table().any()) unbooked.emplace(p_.reservations.table().view());
  if (unbooked && unbooked->any()) {
    for (const auto& [start_s, position, slot] : p_.promises.due()) slots.push_back(slot);
  }
  for (const Slot slot : slots) {
    QueuedJob& job = p_.jobs[slot];
    if (p_.jobs.find(job.id) != slot || job.state == JobState::running) continue;
    const bool promised = job.state == JobState::promised;
    const Grant* grant = promised && unbooked ? p_.engine.grant(job.id) : nullptr;
    const bool firm = grant == nullptr || !unbooked->conflict(p_.engine.graph(), *grant);
    const std::int64_t start_s = promised && firm ? job.start_s : -1;
    if (start_s == job.reported_s) continue;
    job.reported_s = start_s;
    if (job.first_reported_s < 0) job.first_reported_s = start_s;
    if (start_s >= 0) {
      p_.sink.planned(job.id, start_s);
    } else {
      p_.sink.unplanned(job.id);
    }
  }
  p_.promises.clear_changed();
}

}  // namespace copse::queue
