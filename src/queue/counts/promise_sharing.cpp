// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/promise_sharing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "queue/counts/node_sharing.hpp"

namespace copse::queue {

std::optional<CountedUse> PromiseSharing::share_out(JobTable& jobs, CountedJobs& counted,
                                                    const DuePromises& due, const Wish& wish) {
  if (left_ == 0) return std::nullopt;
  NodeSharing sharing(counted.counts());
  std::vector<std::pair<Slot, CountedUse>> others;
  std::optional<CountedUse> own;
  const auto choose = [&](Slot slot, std::int64_t start_s, std::int64_t end_s) {
    left_ -= std::min<std::uint64_t>(left_, 1);
    return sharing.next(start_s, end_s, counted.need(jobs[slot].kind));
  };
  const auto choose_own = [&] {
    own = choose(wish.slot, wish.start_s, wish.end_s);
    return own.has_value();
  };
  const DuePromise then{wish.start_s, jobs[wish.slot].position, wish.slot};
  for (const DuePromise& each : due) {
    const Slot slot = std::get<2>(each);
    if (slot == wish.slot) continue;
    if (!own && then < each && !choose_own()) return std::nullopt;
    auto use = choose(slot, jobs[slot].start_s, jobs[slot].end_s);
    if (!use) return std::nullopt;
    if (*use != jobs[slot].counted) others.emplace_back(slot, std::move(*use));
  }
  if (!own && !choose_own()) return std::nullopt;
  for (auto& [slot, use] : others) counted.exchange(jobs[slot], std::move(use));
  ++times_;
  return own;
}

}  // namespace copse::queue
