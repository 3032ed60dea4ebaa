// SPDX-License-Identifier: Apache-2.0
//
// SubtreeClasses: classes of interior pools with equal contents. Pools of one class are equivalent
// for every request, as long as nothing in them is used.
//
// Size: 4 bytes per interior pool. make: O(pools · log classes), once.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "copse/graph.hpp"
#include "copse/policy.hpp"

namespace copse {

class SubtreeClasses {
 public:
  explicit SubtreeClasses(const ResourceGraph& graph) : graph_(graph) {}

  // Computes the classes, unless done already. A policy that may exclude one of two equal pools
  // gets none.
  void make(const Policy& policy);
  [[nodiscard]] bool any() const { return !classes_.empty(); }
  // The class of an interior pool. REQUIRES any().
  [[nodiscard]] std::uint32_t of(PoolId pool) const {
    assert(any());
    return classes_[graph_.interior(pool)];
  }

 private:
  const ResourceGraph& graph_;
  std::vector<std::uint32_t> classes_;  // by interior pool
  bool made_ = false;
};

}  // namespace copse
