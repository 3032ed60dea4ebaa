// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/compression.hpp"

#include <algorithm>
#include <cassert>

namespace copse::queue {

void Compression::begin(bool wanted) {
  rounds_left_ = wanted ? kRoundsMax : 0;
  jobs_left_ = kJobsMax;
  first_ = true;
  at_queue_ = 0;
  cursor_.reset();
}

bool Compression::run(const SharedParts& shared, QueueTable& queues, WorkBudget& budget) {
  while (rounds_left_ > 0) {
    if (!round(shared, queues, budget)) return false;
    const bool again = jobs_left_ > 0 && shared.freed_intervals.next_round();
    rounds_left_ = again ? rounds_left_ - 1 : 0;
    first_ = false;
    at_queue_ = 0;
    cursor_.reset();
  }
  return true;
}

// If no interval was freed since a job was tried, none was since the jobs behind it were. Jobs that
// the round does not reach have the same chances in the next pass.
bool Compression::round(const SharedParts& shared, QueueTable& queues, WorkBudget& budget) {
  for (; at_queue_ < queues.size(); ++at_queue_, cursor_.reset()) {
    WaitingQueue& queue = queues[at_queue_];
    const Waiters& promised = queue.promised();
    auto at = cursor_ ? promised.upper_bound({*cursor_, {}, {}}) : promised.begin();
    while (at != promised.end()) {
      const Slot slot = at->slot;
      cursor_ = at->position;
      if (shared.freed_intervals.none_since(shared.jobs[slot])) return true;
      if (!first_ && jobs_left_ == 0) return true;
      if (!first_) --jobs_left_;
      move(shared, queue, slot);
      if (budget.spend()) return false;
      const bool stays = shared.jobs[slot].state == JobState::promised;
      at = stays ? std::next(at) : promised.upper_bound({*cursor_, {}, {}});
    }
  }
  return true;
}

// Moves the job to its earliest start, if that is earlier.
void Compression::move(const SharedParts& shared, WaitingQueue& queue, Slot slot) {
  QueuedJob& job = shared.jobs[slot];
  JobKind& kind = shared.kinds[job.kind];
  if (shared.promises.counting()) {
    move_counted(shared, job, slot);
  } else {
    move_pinned(shared, job, kind, slot);
  }
  shared.freed_intervals.note_no_earlier_start(job, kind, job.start_s);
  shared.freed_intervals.note_tried(job);
  if (job.start_s > shared.engine.now()) return;
  [[maybe_unused]] const Slot due = shared.promises.start_due();
  assert(due == slot);
  queue.promise_ended(slot);
}

void Compression::move_counted(const SharedParts& shared, const QueuedJob& job, Slot slot) {
  const std::int64_t start_s = job.start_s, end_s = job.end_s;
  if (shared.promises.move_earlier(slot)) shared.freed_intervals.add({start_s, end_s});
}

void Compression::move_pinned(const SharedParts& shared, const QueuedJob& job, const JobKind& kind,
                              Slot slot) {
  const std::int64_t now_s = shared.engine.now(), start_s = job.start_s, end_s = job.end_s;
  const auto times = shared.freed_intervals.candidate_starts(job, kind, now_s);
  if (times.empty()) return;
  const std::int64_t from_s = shared.freed_intervals.none_before(job, kind, now_s);
  for (const FreedIntervals::Interval& time : times) {
    if (!shared.promises.move_earlier(slot, std::max(from_s, time.from_s), time.until_s)) continue;
    shared.freed_intervals.add({start_s, end_s});
    return;
  }
}

}  // namespace copse::queue
