// SPDX-License-Identifier: Apache-2.0
//
// PoolTypes: facts about the types of a graph: the sizes of their pools, and which types are below
// which. Pools of size 0 are ignored, because they are never taken. Cost: O(pools), once.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

class PoolTypes {
 public:
  explicit PoolTypes(const ResourceGraph& graph);

  // types with pools have lower numbers
  [[nodiscard]] std::size_t count() const { return sizes_.size(); }
  // The size of every pool of the type; -1 if they differ, or there is none.
  [[nodiscard]] std::int64_t size(TypeId type) const {
    return type.v < sizes_.size() && sizes_[type.v] > 0 ? sizes_[type.v] : -1;
  }
  [[nodiscard]] bool differ(TypeId type) const {
    return type.v < sizes_.size() && sizes_[type.v] < 0;
  }
  // Whether some pool of type `above` has pools of type `below` below it.
  [[nodiscard]] bool nests(TypeId above, TypeId below) const {
    return nests_.contains(std::uint32_t{above.v} << 16 | below.v);
  }

 private:
  std::vector<std::int64_t> sizes_;          // by type; 0: no pool, -1: they differ
  std::unordered_set<std::uint32_t> nests_;  // type above, type below
};

}  // namespace copse
