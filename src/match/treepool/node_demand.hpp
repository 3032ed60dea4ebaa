// SPDX-License-Identifier: Apache-2.0
//
// NodeDemand: a treepool request with fixed counts and resolved names: a number of units on each of
// a number of nodes, or a total number of units.
#pragma once

#include <optional>

#include "match/treepool/node_kinds.hpp"
#include "match/treepool/slot_placer.hpp"
#include "match/treepool/treepool_request.hpp"

namespace copse {

struct NodeDemand {
  bool by_node = false, whole = false;
  std::int64_t nodes = 0, units = 0;  // of each node; by_node false: in all
  Unit unit;
  std::int64_t cores_min = 0, gpus_min = 0;  // least free amounts of a node for one unit

  // With all ranges at their minimum; nullopt if no node has one of the domains. O(request ×
  // kinds).
  [[nodiscard]] static std::optional<NodeDemand> of(const TreepoolRequest& request,
                                                    const NodeKinds& kinds);
  // Sets cores_min and gpus_min, after the unit changed. O(parts × domains of kinds).
  void set_least(const NodeKinds& kinds);

  // The number of units for which a node must have room.
  [[nodiscard]] std::int64_t units_of_node() const { return by_node ? units : 1; }
  // Whether a unit has nothing but cores and GPUs.
  [[nodiscard]] bool plain() const { return unit.parts.empty() && !unit.has_stocks(); }
};

}  // namespace copse
