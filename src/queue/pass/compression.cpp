// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/compression.hpp"

#include <algorithm>
#include <cassert>

namespace copse::queue {

void Compression::begin(bool wanted) {
  rounds_left_ = wanted ? kRoundsMax : 0;
  looks_left_ = kLooksMax;
  first_ = true;
  at_line_ = 0;
  cursor_.reset();
}

bool Compression::go_on(const SharedParts& shared, Lines& lines, WorkBudget& budget) {
  while (rounds_left_ > 0) {
    if (!round(shared, lines, budget)) return false;
    const bool again = looks_left_ > 0 && shared.chances.next_round();
    rounds_left_ = again ? rounds_left_ - 1 : 0;
    first_ = false;
    at_line_ = 0;
    cursor_.reset();
  }
  return true;
}

// Nothing was given back since a job was tried: nor since those minus_priority it were. Whom a round does
// not come to has the same chances in the next pass.
bool Compression::round(const SharedParts& shared, Lines& lines, WorkBudget& budget) {
  for (; at_line_ < lines.size(); ++at_line_, cursor_.reset()) {
    Line& line = lines[at_line_];
    const std::set<Waiter>& promised = line.promised();
    auto at = cursor_ ? promised.upper_bound({*cursor_, {}, {}}) : promised.begin();
    while (at != promised.end()) {
      const Slot slot = at->slot;
      cursor_ = at->position;
      if (shared.chances.none_since(shared.jobs[slot])) return true;
      if (!first_ && looks_left_ == 0) return true;
      if (!first_) --looks_left_;
      ++at;
      move(shared, line, slot);
      if (budget.spend()) return false;
    }
  }
  return true;
}

// To its earliest start, if that is earlier.
void Compression::move(const SharedParts& shared, Line& line, Slot slot) {
  QueuedJob& job = shared.jobs[slot];
  Kind& kind = shared.kinds[job.kind];
  if (shared.promises.counting()) {
    move_counted(shared, job, slot);
  } else {
    move_held(shared, job, kind, slot);
  }
  shared.chances.settled(job, kind, job.start_s);
  shared.chances.tried(job);
  if (job.start_s > shared.engine.now()) return;
  [[maybe_unused]] const Slot due = shared.promises.start_due();
  assert(due == slot);
  line.began(slot);
}

void Compression::move_counted(const SharedParts& shared, const QueuedJob& job, Slot slot) {
  const std::int64_t start_s = job.start_s, end_s = job.end_s;
  if (shared.promises.hasten(slot)) shared.chances.give_back({start_s, end_s});
}

void Compression::move_held(const SharedParts& shared, const QueuedJob& job, const Kind& kind,
                            Slot slot) {
  const std::int64_t now_s = shared.engine.now(), start_s = job.start_s, end_s = job.end_s;
  const auto times = shared.chances.of(job, kind, now_s);
  if (times.empty()) return;
  const std::int64_t from_s = shared.chances.none_before(job, kind, now_s);
  for (const StartChances::Interval& time : times) {
    if (!shared.promises.hasten(slot, std::max(from_s, time.from_s), time.until_s)) continue;
    shared.chances.give_back({start_s, end_s});
    return;
  }
}

}  // namespace copse::queue
