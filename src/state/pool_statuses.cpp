// SPDX-License-Identifier: Apache-2.0
#include "state/pool_statuses.hpp"

#include <algorithm>
#include <bit>

namespace copse {

Status PoolStatuses::status(PoolId p) const {
  const auto it = not_up_.find(p.v);
  return it == not_up_.end() ? Status::up : it->second;
}

bool PoolStatuses::set(PoolId p, Status status) {
  const bool was_usable = usable(p);
  if (status == Status::up) {
    not_up_.erase(p.v);
  } else {
    not_up_[p.v] = status;
  }
  if (copse::usable(status) == was_usable) return false;
  if (was_usable) {
    unusable_[p.v / 64] |= UINT64_C(1) << (p.v % 64);
    any_unusable_ = true;
  } else {
    set_usable(p.v);
    find_unusable();
  }
  return true;
}

void PoolStatuses::set_usable(std::uint32_t pool) {
  unusable_[pool / 64] &= ~(UINT64_C(1) << (pool % 64));
}

void PoolStatuses::find_unusable() {
  any_unusable_ =
      std::ranges::any_of(not_up_, [](const auto& entry) { return !copse::usable(entry.second); });
}

void PoolStatuses::erase_removed(const ResourceGraph& graph) {
  std::erase_if(not_up_, [&](const auto& entry) {
    if (!graph.removed(PoolId{entry.first})) return false;
    set_usable(entry.first);
    return true;
  });
  find_unusable();
}

std::int64_t PoolStatuses::usable_units(const ResourceGraph& graph, TypeId type) const {
  const auto units_of = [&](PoolId p) {
    return (graph.type(p) == type ? graph.size(p) : 0) + graph.shape(p).total(type);
  };
  std::int64_t lost = 0;
  for (const auto& [pool, status] : not_up_) {
    const PoolId p{pool};
    if (copse::usable(status) || !graph.in_tree(p)) continue;
    bool counted = false;  // together with a pool above it
    for (PoolId up = graph.parent(p); up != kNoPool && !counted; up = graph.parent(up)) {
      counted = !usable(up);
    }
    if (!counted) lost += units_of(p);
  }
  return units_of(graph.root()) - lost;
}

bool PoolStatuses::check() const {
  std::uint64_t unusable = 0, bits = 0;
  for (const auto& [pool, status] : not_up_) {
    if (status == Status::up || usable(PoolId{pool}) != copse::usable(status)) return false;
    unusable += copse::usable(status) ? 0 : 1;
  }
  for (const std::uint64_t word : unusable_)
    bits += static_cast<std::uint64_t>(std::popcount(word));
  return bits == unusable && any_unusable_ == (unusable > 0);
}

}  // namespace copse
