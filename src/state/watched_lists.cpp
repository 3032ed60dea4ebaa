// SPDX-License-Identifier: Apache-2.0
#include "state/watched_lists.hpp"

#include <algorithm>

#include "state/state.hpp"

namespace copse {

// A list of one parent's children gets a pool of another parent: from now on it is registered by
// type.
void WatchedLists::watch_type(WatchedList& watched, PoolId p) {
  std::vector<std::uint32_t>& of_parent = by_parent_[watched.parent.v];
  const auto it = std::find_if(of_parent.begin(), of_parent.end(),
                               [&](std::uint32_t n) { return lists_[n].get() == &watched; });
  by_type_[graph_.type(p).v].push_back(*it);
  of_parent.erase(it);
  watched.parent = kNoPool;
}

WatchedList& WatchedLists::add(std::span<const PoolId> pools) {
  std::uint32_t first = UINT32_MAX, last = 0;
  bool one_parent = true;
  for (PoolId p : pools) {
    first = std::min(first, graph_.interior(p));
    last = std::max(last, graph_.interior(p));
    one_parent &= graph_.parent(p) == graph_.parent(pools[0]);
  }
  std::vector<std::uint32_t> keys;
  keys.reserve(pools.size());
  for (PoolId p : pools) keys.push_back(graph_.interior(p) - first);
  const std::uint32_t key_end = pools.empty() ? 0 : last - first + 1;
  lists_.push_back(std::make_unique<WatchedList>(CandidateList(pools, keys, key_end), first,
                                                 std::vector<TypeId>{}));
  WatchedList& watched = *lists_.back();
  const auto number = static_cast<std::uint32_t>(lists_.size() - 1);
  if (!pools.empty() && one_parent && graph_.parent(pools[0]) != kNoPool) {
    watched.parent = graph_.parent(pools[0]);
    by_parent_[watched.parent.v].push_back(number);
  } else {
    std::vector<bool> noted(by_type_.size(), false);
    for (PoolId p : pools) {
      if (!noted[graph_.type(p).v]) by_type_[graph_.type(p).v].push_back(number);
      noted[graph_.type(p).v] = true;
    }
  }
  watched.list.add_column();  // kAvailable
  watched.list.add_column();  // kIdle
  for (PoolId p : pools) show(watched, graph_.interior(p));
  return watched;
}

void WatchedLists::clear() {
  lists_.clear();
  by_parent_.clear();
  for (auto& of_type : by_type_) of_type.clear();
}

std::uint32_t WatchedLists::watch(WatchedList& watched, TypeId type) {
  for (std::uint32_t k = 0; k < watched.types.size(); ++k) {
    if (watched.types[k] == type) return 2 + k;
  }
  watched.types.push_back(type);
  const std::uint32_t column = watched.list.add_column();
  for (std::uint32_t i = watched.first_interior; i < graph_.interior_count(); ++i) {
    if (watched.list.contains(watched.key(i))) show(watched, i);
  }
  return column;
}

void WatchedLists::show(WatchedList& watched, std::uint32_t i) {
  const std::uint32_t key = watched.key(i);
  const bool available = state_.available_now(graph_.interior_pool(i));
  const std::span<const std::int64_t> row = state_.row(i);
  watched.list.set(key, WatchedList::kAvailable, available);
  watched.list.set(key, WatchedList::kIdle, available && row[0] == 0);
  const Shape& shape = graph_.shape_of_interior(i);
  for (std::uint32_t c = 0; c < watched.types.size(); ++c) {
    const int k = shape.total_index(watched.types[c]);
    std::int64_t free = 0;
    if (available && k >= 0) {
      const auto at = static_cast<std::size_t>(k);
      free = shape.totals[at].total - row[at + 1];
    }
    watched.list.set(key, 2 + c,
                     static_cast<CandidateList::Value>(std::min<std::int64_t>(free, INT32_MAX)));
  }
}

void WatchedLists::refresh(std::span<const std::uint32_t> interiors) {
  for (const std::uint32_t i : interiors) {
    const std::uint32_t block = i / kStamped;
    if (block >= stamps_.size()) stamps_.resize(block + 1);
    ++stamps_[block];
  }
  if (changes_.size() >= kChangesMax) {  // the last half is kept
    const std::size_t old = changes_.size() - kChangesMax / 2;
    changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(old));
    forgotten_ += old;
  }
  changes_.insert(changes_.end(), interiors.begin(), interiors.end());
  if (lists_.empty()) return;
  auto refresh_all = [&](const std::vector<std::uint32_t>& numbers) {
    for (const std::uint32_t n : numbers) {
      WatchedList& watched = *lists_[n];
      for (const std::uint32_t i : interiors) {
        if (i >= watched.first_interior && watched.list.contains(watched.key(i))) show(watched, i);
      }
    }
  };
  const PoolId p = graph_.interior_pool(interiors.front());
  refresh_all(by_type_[graph_.type(p).v]);
  if (by_parent_.empty() || graph_.parent(p) == kNoPool) return;
  const auto it = by_parent_.find(graph_.parent(p).v);
  if (it != by_parent_.end()) refresh_all(it->second);
}

std::uint64_t WatchedLists::bytes() const {
  std::uint64_t n = 0;
  for (const auto& l : lists_) n += l->list.bytes();
  return n;
}

}  // namespace copse
