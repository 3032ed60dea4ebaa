// SPDX-License-Identifier: Apache-2.0
#include "queue/waiting_queue.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace copse::queue {

namespace {

Waiter waiter_of(const QueuedJob& job, Slot slot) { return {job.position, slot, job.duration_s}; }

}  // namespace

void WaitingQueue::set_discipline(Discipline discipline, std::size_t depth) {
  discipline_ = std::move(discipline);
  depth_ = depth;
  unplaceable_.clear();  // the new discipline decides whether jobs may overtake them
  order_changed_ = order_changed_ || !promised_.empty();
  complete_ = false;
}

const Waiter* WaitingQueue::first_examined() const {
  for (const Waiter& waiter : order_) {
    if (!unplaceable_.contains(waiter)) return &waiter;
  }
  return nullptr;
}

bool WaitingQueue::blocked_by_first() const {
  const Waiter* first = first_examined();
  return first != nullptr && treat(*first, 0, 0) == Treatment::stop;
}

void WaitingQueue::insert(Slot slot) {
  const QueuedJob& job = shared_.jobs[slot];
  assert(job.state == JobState::waiting);
  const Waiter waiter = waiter_of(job, slot);
  order_.insert(waiter);
  shared_.kinds.insert(job.kind, waiter);
  new_jobs_.push_back(waiter);
  if (!promised_.empty() && waiter < promised_.back()) order_changed_ = true;
}

void WaitingQueue::resume(Slot slot) {
  const Waiter waiter = waiter_of(shared_.jobs[slot], slot);
  order_.insert(waiter);
  promised_.insert(waiter);
}

void WaitingQueue::erase(Slot slot) {
  const QueuedJob& job = shared_.jobs[slot];
  const Waiter waiter = waiter_of(job, slot);
  order_.erase(waiter);
  unplaceable_.erase(waiter);
  if (!promised_.erase(waiter)) shared_.kinds.erase(job.kind, job.position);
}

void WaitingQueue::set_position(Slot slot, const QueuePosition& position) {
  QueuedJob& job = shared_.jobs[slot];
  if (job.state == JobState::waiting) {
    erase(slot);
    job.position = position;
    insert(slot);
    return;
  }
  const Waiter old = waiter_of(job, slot);
  shared_.promises.reorder(slot, position);
  const Waiter waiter = waiter_of(job, slot);
  for (Waiters* set : {&order_, &promised_}) {
    set->erase(old);
    set->insert(waiter);
  }
  order_changed_ = true;
}

void WaitingQueue::drop_promises() {
  for (const Waiter& waiter : promised_) {
    shared_.promises.drop(waiter.slot);
    shared_.kinds.insert(shared_.jobs[waiter.slot].kind, waiter);
  }
  promised_.clear();
  complete_ = false;
}

void WaitingQueue::promise_ended(Slot slot) {
  const QueuedJob& job = shared_.jobs[slot];
  if (job.state == JobState::running) {
    started(slot);
    return;
  }
  const Waiter waiter = waiter_of(job, slot);
  promised_.erase(waiter);
  shared_.kinds.insert(job.kind, waiter);
  complete_ = false;
}

void WaitingQueue::withdraw_from(const QueuePosition& position, std::vector<Slot>& out) {
  const auto first = promised_.lower_bound({position, {}, {}});
  for (auto at = first; at != promised_.end(); ++at) {
    shared_.promises.withdraw(at->slot);
    shared_.kinds.insert(shared_.jobs[at->slot].kind, *at);
    out.push_back(at->slot);
  }
  promised_.erase_from(first);
  complete_ = false;
}

void WaitingQueue::restore(Slot slot) {
  QueuedJob& job = shared_.jobs[slot];
  const bool may = !stopped_ && !shared_.promises.is_limited(slot);
  const bool same = may && shared_.promises.restore(slot);
  const bool promised = job.state == JobState::promised;
  if (promised) has_promise(slot);
  // Other jobs may have come before it meanwhile.
  order_changed_ = order_changed_ || !promised_.empty();
  const std::int64_t was_s = std::exchange(job.withdrawn_s, -1);
  if (same) return;
  // An earlier start was tried only where the same one was not possible.
  if (promised && job.start_s != was_s) shared_.freed_intervals.note_tried(job);
  shared_.freed_intervals.add({was_s, was_s + std::min(job.duration_s, kEndless_s - was_s)});
}

void WaitingQueue::stop(bool stopped) {
  stopped_ = stopped;
  if (stopped) drop_promises();
  complete_ = false;  // no job was examined meanwhile
}

void WaitingQueue::reorder(const std::function<std::int64_t(const QueuedJob&)>& minus_priority) {
  assert(phase_ == Phase::over);
  bool other = false;
  for (const Waiter& waiter : order_) {
    QueuedJob& job = shared_.jobs[waiter.slot];
    QueuePosition position = job.position;
    position.minus_priority = minus_priority(job);
    if (position == job.position) continue;
    other = true;
    if (job.state == JobState::promised) {
      shared_.promises.reorder(waiter.slot, position);
    } else {
      job.position = position;
    }
  }
  if (!other) return;
  for (Waiter& waiter : new_jobs_) {
    const QueuedJob& job = shared_.jobs[waiter.slot];
    if (job.position.arrival == waiter.position.arrival) waiter.position = job.position;
  }
  for (Waiters* waiters : {&order_, &promised_, &unplaceable_}) {
    *waiters = reordered(*waiters, shared_.jobs);
  }
  shared_.kinds.reorder(number_, shared_.jobs);
  order_changed_ = order_changed_ || !promised_.empty();
}

// --- The pass

void WaitingQueue::begin(bool freed) {
  phase_ = stopped_ ? Phase::over : Phase::promise;
  freed_ = freed;
  phase_begun_ = false;
  position_ = promises_ = 0;
  pass_new_jobs_.clear();
  pass_new_jobs_.swap(new_jobs_);
}

bool WaitingQueue::run(WorkBudget& budget) {
  for (;;) {
    bool done = true;
    const Phase phase = phase_;
    switch (phase) {
      case Phase::promise: done = give_promises(budget); break;
      case Phase::new_jobs: done = start_new_jobs(budget); break;
      case Phase::backfill: done = backfill(budget); break;
      case Phase::over: complete_ = !order_changed_; return true;
    }
    if (!done) return false;
    phase_begun_ = false;
  }
}

// Unplaceable jobs are tried again as if they got promises. Promises of jobs behind them that would
// then be too many are revoked; they are made again if the try fails.
void WaitingQueue::retry_unplaceable() {
  const auto may = [&](const Waiter& waiter) { return !shared_.promises.is_limited(waiter.slot); };
  if (unplaceable_.erase_if(may) == 0) return;
  order_changed_ = !promised_.empty();
  (void)revoke_excess();
}

// Assumes that no job can start now: a start allows more promises, never fewer.
bool WaitingQueue::revoke_excess() {
  if (!order_changed_) return false;
  order_changed_ = false;
  bool out = false;
  std::size_t position = 0, promises = 0, left = promised_.size();
  bool none = false;
  for (auto at = order_.begin(); at != order_.end() && left > 0; ++at) {
    const bool promised = promised_.contains(*at);
    if (!promised && unplaceable_.contains(*at)) continue;
    none = none || position >= depth_;
    const Treatment treatment = none ? Treatment::all_wait : treat(*at, position, promises);
    none = treatment == Treatment::all_wait || treatment == Treatment::stop;
    ++position;
    if (treatment == Treatment::promise) ++promises;
    if (!promised) continue;
    --left;
    if (treatment == Treatment::promise) continue;
    const QueuedJob& job = shared_.jobs[at->slot];
    shared_.freed_intervals.add({job.start_s, job.end_s});
    shared_.promises.drop(at->slot);
    shared_.kinds.insert(job.kind, *at);
    promised_.erase(*at);
    out = true;
  }
  return out;
}

bool WaitingQueue::give_promises(WorkBudget& budget) {
  phase_ = Phase::over;
  if (promised_.size() + unplaceable_.size() == order_.size()) return true;
  for (auto at = phase_begun_ ? order_.upper_bound({cursor_, {}, {}}) : order_.begin();
       at != order_.end();) {
    const Waiter waiter = *at;
    const bool promised = shared_.jobs[waiter.slot].state == JobState::promised;
    if (!promised && shared_.promises.is_limited(waiter.slot)) unplaceable_.insert(waiter);
    if (promised || !unplaceable_.contains(waiter)) {
      if (position_ >= depth_) return true;
      const Treatment treatment = treat(waiter, position_, promises_);
      if (treatment == Treatment::all_wait) {
        if (order_changed_)
          return true;  // the new first job is examined before others may overtake it
        const bool all = freed_ || !complete_ || depth_ != SIZE_MAX;
        phase_ = all ? Phase::backfill : Phase::new_jobs;
        cursor_ = waiter.position;
        return true;
      }
      bool stays = promised;
      if (!promised && treatment == Treatment::promise) {
        stays = promise(waiter.slot);
      } else if (!promised) {
        stays = !may_fit(waiter.slot) || !try_now(waiter.slot);
        if (stays && treatment == Treatment::stop) return true;
      }
      if (stays) ++position_;
      if (shared_.jobs[waiter.slot].state == JobState::promised) ++promises_;
    }
    cursor_ = waiter.position;
    phase_begun_ = true;
    at = promised ? std::next(at) : order_.upper_bound({cursor_, {}, {}});  // the job may have left
    if (promised || !budget.spend()) continue;
    phase_ = Phase::promise;
    return false;
  }
  return true;
}

bool WaitingQueue::start_new_jobs(WorkBudget& budget) {
  if (!phase_begun_) std::ranges::sort(pass_new_jobs_, {}, &Waiter::position);
  phase_ = Phase::over;
  for (auto at = phase_begun_
                     ? std::ranges::upper_bound(pass_new_jobs_, cursor_, {}, &Waiter::position)
                     : pass_new_jobs_.begin();
       at != pass_new_jobs_.end(); ++at) {
    const QueuedJob& job = shared_.jobs[at->slot];
    cursor_ = at->position;
    phase_begun_ = true;
    const bool waits = job.state == JobState::waiting && job.position == at->position;
    if (!waits || !may_fit(at->slot) || shared_.promises.is_limited(at->slot)) continue;
    (void)try_now(at->slot);
    if (!budget.spend()) continue;
    phase_ = Phase::new_jobs;
    return false;
  }
  return true;
}

// --- Backfill: all jobs without a promise

// A job that starts leaves room within the depth for another one, which is tried in another round.
bool WaitingQueue::backfill(WorkBudget& budget) {
  for (;;) {
    if (!phase_begun_) {
      phase_begun_ = true;
      any_left_ = false;
      const std::size_t positions = depth_ - std::min(depth_, position_);
      backfill_order_.begin(shared_.kinds, number_, cursor_,
                            depth_ == SIZE_MAX
                                ? std::nullopt
                                : last_within_depth(order_, unplaceable_, cursor_, positions));
    }
    while (const auto at = backfill_order_.take()) {
      const QueuedJob& job = shared_.jobs[at->waiter.slot];
      const bool waits = job.state == JobState::waiting && job.position == at->waiter.position;
      const bool tried = waits && shared_.kinds.may_fit(at->kind, at->waiter.duration_s) &&
                         !shared_.promises.is_limited(at->waiter.slot);
      if (tried) any_left_ |= try_now(at->waiter.slot);
      backfill_order_.tried(shared_.kinds, *at);
      if (tried && budget.spend()) return false;
    }
    if (!any_left_ || depth_ == SIZE_MAX) break;
    phase_begun_ = false;
  }
  phase_ = Phase::over;
  return true;
}

// --- One job

bool WaitingQueue::may_fit(Slot slot) const {
  return shared_.kinds.may_fit(shared_.jobs[slot].kind, shared_.jobs[slot].duration_s);
}

// Returns whether the job left the queue. A failure is recorded; if the numbers of free nodes alone
// decided it, for every duration.
bool WaitingQueue::try_now(Slot slot) {
  const auto answer = shared_.promises.start(slot);
  if (answer.outcome == Promises::Outcome::started) {
    started(slot);
    return true;
  }
  if (answer.outcome == Promises::Outcome::refused) {
    deny(slot, answer.error);
    return true;
  }
  const QueuedJob& job = shared_.jobs[slot];
  const JobKind& kind = shared_.kinds[job.kind];
  if (!kind.fixed || !answer.longer_too) return false;
  // If pools are reserved for later, fewer may be free for its whole duration than for a shorter
  // one.
  const bool by_numbers =
      answer.error.visits == 0 && !kind.windowed && !shared_.promises.pins_later();
  shared_.kinds.note_failure(job.kind, by_numbers ? 0 : job.duration_s);
  return false;
}

// Returns whether the job has a promise now.
bool WaitingQueue::promise(Slot slot) {
  const auto answer = shared_.promises.promise(slot);
  QueuedJob& job = shared_.jobs[slot];
  switch (answer.outcome) {
    case Promises::Outcome::started: started(slot); return false;
    case Promises::Outcome::refused: deny(slot, answer.error); return false;
    case Promises::Outcome::waits:
      unplaceable_.insert(waiter_of(job, slot));
      shared_.sink.unplaceable(job.id, answer.error);
      return false;
    case Promises::Outcome::promised:
      has_promise(slot);
      shared_.freed_intervals.note_tried(job);
      return true;
  }
  return false;
}

void WaitingQueue::has_promise(Slot slot) {
  const QueuedJob& job = shared_.jobs[slot];
  shared_.kinds.erase(job.kind, job.position);
  const Waiter waiter = waiter_of(job, slot);
  // For instance a job that was unplaceable: there may be too many promises behind it now.
  if (!promised_.empty() && waiter < promised_.back()) order_changed_ = true;
  promised_.insert(waiter);
}

void WaitingQueue::started(Slot slot) {
  const QueuedJob& job = shared_.jobs[slot];
  erase(slot);
  if (job.first_reported_s >= 0) shared_.errors.add(shared_.engine.now() - job.first_reported_s);
  shared_.priorities.started(job.user, shared_.kinds[job.kind].cores, shared_.engine.now());
  shared_.sink.started(job.id, *shared_.engine.grant(job.id));
}

void WaitingQueue::deny(Slot slot, const Error& error) {
  const JobId id = shared_.jobs[slot].id;
  erase(slot);
  shared_.denied_slots.push_back(slot);
  shared_.sink.denied(id, error);
}

void WaitingQueue::check() const {
  for (const Waiters* waiters : {&order_, &promised_, &unplaceable_}) waiters->check();
  std::size_t promised = 0;
  for (const Waiter& waiter : order_) {
    const QueuedJob& job = shared_.jobs[waiter.slot];
    assert(job.position == waiter.position);
    assert((job.state == JobState::promised) == promised_.contains(waiter));
    promised += job.state == JobState::promised ? 1 : 0;
  }
  assert(promised == promised_.size());
  (void)promised;
}

}  // namespace copse::queue
