// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/restorations.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace copse::queue {

void Restorations::withdraw_from(const SharedParts& shared, QueueTable& queues, Slot first) {
  const std::size_t from = shared.jobs[first].waiting_queue;
  const QueuePosition position = shared.jobs[first].position;
  std::vector<Slot> withdrawn;
  for (std::size_t n = from; n < queues.size(); ++n) {
    queues[n].withdraw_from(n == from ? position : QueuePosition{INT64_MIN, INT64_MIN, 0},
                            withdrawn);
  }
  all_.insert(all_.end(), withdrawn.begin(), withdrawn.end());
}

bool Restorations::run(const SharedParts& shared, QueueTable& queues, WorkBudget& budget) {
  const auto order = [&](Slot slot) {
    return std::pair(shared.jobs[slot].waiting_queue, shared.jobs[slot].position);
  };
  if (!std::ranges::is_sorted(all_, std::greater<>(), order))
    std::ranges::sort(all_, std::greater<>(), order);
  while (!all_.empty()) {
    const Slot slot = all_.back();
    all_.pop_back();
    const QueuedJob& job = shared.jobs[slot];
    if (job.state != JobState::waiting || job.withdrawn_s < 0) continue;
    queues[job.waiting_queue].restore(slot);
    if (!all_.empty() && budget.spend()) return false;
  }
  return true;
}

}  // namespace copse::queue
