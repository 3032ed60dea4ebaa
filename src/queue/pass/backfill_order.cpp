// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/backfill_order.hpp"

#include <algorithm>

namespace copse::queue {

std::optional<QueuePosition> last_within_depth(const std::set<Waiter>& order,
                                               const std::set<Waiter>& skipped,
                                               const QueuePosition& from, std::size_t positions) {
  std::optional<QueuePosition> last;
  auto at = order.lower_bound({from, {}, {}});
  for (std::size_t n = 0; n < positions && at != order.end(); ++at) {
    last = at->position;
    if (!skipped.contains(*at)) ++n;
  }
  return last;
}

void BackfillOrder::begin(const JobKindTable& kinds, std::uint16_t waiting_queue,
                          const QueuePosition& from, const std::optional<QueuePosition>& last) {
  heap_.clear();
  queue_number_ = waiting_queue;
  from_ = from;
  last_ = last;
  for (const std::uint32_t kind : kinds.waited_for(waiting_queue)) push(kinds, kind, nullptr);
}

void BackfillOrder::push(const JobKindTable& kinds, std::uint32_t kind,
                         const QueuePosition* after) {
  if (kinds[kind].waiting_queue != queue_number_ || !kinds.any_may_fit(kind)) return;
  const auto& list = kinds[kind].waiting;
  auto at = after == nullptr ? std::ranges::lower_bound(list, from_, {}, &Waiter::position)
                             : std::ranges::upper_bound(list, *after, {}, &Waiter::position);
  for (; at != list.end(); ++at) {
    if (last_ && *last_ < at->position) return;
    if (!kinds.may_fit(kind, at->duration_s)) continue;
    heap_.push_back({*at, kind});
    std::push_heap(heap_.begin(), heap_.end());
    return;
  }
}

std::optional<BackfillOrder::Candidate> BackfillOrder::take() {
  if (heap_.empty()) return std::nullopt;
  std::pop_heap(heap_.begin(), heap_.end());
  const Candidate out = heap_.back();
  heap_.pop_back();
  return out;
}

void BackfillOrder::tried(const JobKindTable& kinds, const Candidate& candidate) {
  push(kinds, candidate.kind, &candidate.waiter.position);
}

}  // namespace copse::queue
