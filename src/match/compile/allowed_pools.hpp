// SPDX-License-Identifier: Apache-2.0
//
// AllowedPools: which pools of type node and storage_node a constraint allows; all others are
// allowed, except for devices of other types than the constraint names: if it names a property that
// some pools of a type have in a node, such as h200, of that node's only these are. Or which pools
// of one type have some properties. Variants of a request share it. A bit per pool.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse {

class AllowedPools {
 public:
  AllowedPools() = default;  // no constraint
  // Evaluates the constraint against every pool. O(pools), unless it is empty; where devices have
  // the properties, times log(nodes).
  AllowedPools(const Constraint& constraint, const ResourceGraph& graph);

  // The pools of a type with all of these properties ("^name": without it), and all of other types.
  // O(pools).
  AllowedPools(TypeId type, std::span<const std::string> properties, const ResourceGraph& graph);

  // Those that `other` allows, without these. O(pools / 64 + without).
  AllowedPools(const AllowedPools& other, std::span<const PoolId> without,
               const ResourceGraph& graph);

  // Whether pools of the type are compared. O(types compared).
  [[nodiscard]] bool compares(TypeId type) const {
    return std::find(types_.begin(), types_.end(), type) != types_.end();
  }
  [[nodiscard]] bool empty() const { return pools_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return empty() ? 0 : pools_->size(); }
  // REQUIRES a constraint.
  [[nodiscard]] bool operator[](std::uint32_t pool) const { return (*pools_)[pool]; }
  [[nodiscard]] const std::shared_ptr<const std::vector<bool>>& pools() const { return pools_; }

 private:
  std::shared_ptr<const std::vector<bool>> pools_;
  std::vector<TypeId> types_;
};

}  // namespace copse
