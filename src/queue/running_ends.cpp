// SPDX-License-Identifier: Apache-2.0
#include "queue/running_ends.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

namespace copse::queue {

namespace {

constexpr std::size_t kEndsMin = 1'024;  // fewer are not worth cleaning up

}  // namespace

bool RunningEnds::is_over(const End& end) const {
  const Slot slot = jobs_.find(end.second);
  return slot == kNoSlot || jobs_[slot].state != JobState::running ||
         jobs_[slot].end_s != end.first;
}

void RunningEnds::add(Slot slot, std::size_t running) {
  if (ends_.size() > kEndsMin && ends_.size() > 4 * running) {
    std::erase_if(ends_, [this](const End& end) { return is_over(end); });
    std::ranges::make_heap(ends_, std::greater<>());
  }
  const QueuedJob& job = jobs_[slot];
  assert(job.state == JobState::running);
  if (job.end_s >= engine_.options().horizon) return;
  ends_.emplace_back(job.end_s, job.id);
  std::ranges::push_heap(ends_, std::greater<>());
}

Slot RunningEnds::first_by(std::int64_t time_s) {
  while (!ends_.empty() && ends_.front().first <= time_s) {
    const Slot slot = is_over(ends_.front()) ? kNoSlot : jobs_.find(ends_.front().second);
    if (slot != kNoSlot && engine_.grant(jobs_[slot].id) != nullptr) return slot;
    drop_first();
  }
  return kNoSlot;
}

void RunningEnds::drop_first() {
  assert(!ends_.empty());
  std::ranges::pop_heap(ends_, std::greater<>());
  ends_.pop_back();
}

}  // namespace copse::queue
