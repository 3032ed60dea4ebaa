// SPDX-License-Identifier: Apache-2.0
#include "state/divided_pools.hpp"

#include <algorithm>
#include <cassert>

namespace copse {

const Planner* DividedPools::planner(PoolId p) const {
  const std::size_t part = p.v / kPools;
  if (part >= parts_.size()) return nullptr;
  const std::vector<Used>& used = parts_[part].used;
  const auto at = std::ranges::lower_bound(used, p, {}, &Used::pool);
  return at == used.end() || at->pool != p ? nullptr : at->planner.get();
}

void DividedPools::apply(PoolId p, std::int64_t units, std::int64_t start, std::int64_t end,
                         int sign) {
  assert(units > 0 && start < end && p.v / kPools < parts_.size());
  std::vector<Used>& used = parts_.own(p.v / kPools).used;
  auto at = std::ranges::lower_bound(used, p, {}, &Used::pool);
  if (at == used.end() || at->pool != p) {
    assert(sign > 0);
    at = used.insert(at, {p, Shared<Planner>::make(1U)});
  }
  Planner& times = at->planner.own();
  if (sign > 0) return times.add(start, end, {&units, 1});
  times.remove(start, end, {&units, 1});
  if (times.empty()) used.erase(at);
}

std::uint64_t DividedPools::bytes() const {
  std::uint64_t n = parts_.bytes();
  for (std::size_t i = 0; i < parts_.size(); ++i) n += parts_[i].used.capacity() * sizeof(Used);
  return n;
}

bool DividedPools::check(const ResourceGraph& graph) const {
  bool good = parts_.check();
  for_each([&](PoolId p, const Planner& times) {
    good = good && graph.divisible(p) && !graph.removed(p) && !times.empty();
    times.for_each_step([&](std::int64_t /*time*/, Planner::Amounts amounts) {
      good = good && amounts[0] >= 0 && amounts[0] <= graph.size(p);
    });
  });
  return good;
}

}  // namespace copse
