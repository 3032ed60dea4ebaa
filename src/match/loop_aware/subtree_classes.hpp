// SPDX-License-Identifier: Apache-2.0
//
// SubtreeClasses: interior pools by what is in them. Pools of one class look the same to every
// request, as long as nothing in them is used.
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

  // Sorts the pools into classes, if that was not done. A policy that may exclude one of two pools
  // that look the same gets none.
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
