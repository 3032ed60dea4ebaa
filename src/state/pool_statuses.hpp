// SPDX-License-Identifier: Apache-2.0
//
// PoolStatuses: the status of each pool of a machine, and whether matches may use it.
//
// Size: a bit per pool, and an entry for each that is not up. Cost: usable() O(1), without a lookup
// while all pools are usable; status() and set() O(log entries), and O(entries) if a pool becomes
// usable.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "copse/graph.hpp"
#include "copse/status.hpp"

namespace copse {

class PoolStatuses {
 public:
  explicit PoolStatuses(std::uint32_t pools) { resize(pools); }

  [[nodiscard]] bool usable(PoolId p) const {
    return !any_unusable_ || !((unusable_[p.v / 64] >> (p.v % 64)) & 1);
  }
  [[nodiscard]] bool all_usable() const { return !any_unusable_; }
  [[nodiscard]] Status status(PoolId p) const;
  [[nodiscard]] const std::map<std::uint32_t, Status>& not_up() const { return not_up_; }

  // Returns whether usable() of the pool changed.
  bool set(PoolId p, Status status);
  // The machine has that many pools now; new ones are up.
  void resize(std::uint32_t pools) { unusable_.resize((pools + 63) / 64, 0); }
  // Pools that the graph has no more are up. O(entries).
  void erase_removed(const ResourceGraph& graph);

  // Units of pools of a type that are usable with all their ancestors. O(entries · depth).
  [[nodiscard]] std::int64_t usable_units(const ResourceGraph& graph, TypeId type) const;

  [[nodiscard]] std::uint64_t bytes() const { return unusable_.capacity() * 8; }
  // Whether bits and entries agree. O(pools).
  [[nodiscard]] bool check() const;

 private:
  void set_usable(std::uint32_t pool);
  void find_unusable();

  std::map<std::uint32_t, Status> not_up_;
  std::vector<std::uint64_t> unusable_;  // bits
  bool any_unusable_ = false;
};

}  // namespace copse
