// SPDX-License-Identifier: Apache-2.0
//
// GraphGrowth: attaches and removes subtrees. An attached subtree gets numbers at the end, and the
// pools on its path to the root get their own shapes. Removed pools keep their numbers and get size
// 0, so that stale references never take them. Both changes are logged (graph.changes()); a refused
// change has no effect.
#pragma once

#include <span>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse {

class GraphGrowth {
 public:
  explicit GraphGrowth(ResourceGraph& graph) : g_(graph) {}

  // Attaches a subtree as the last child of a pool. New words are interned in names() before.
  // Errors, nothing changed: unsupported (`parent` is a leaf, or outside of the dominant tree:
  // rebuild the graph), invalid (a list that is not a subtree, a size below 0), limit. Cost:
  // O(pools of the subtree + depth × types + children of `parent` / 64).
  [[nodiscard]] Result<PoolId> attach(PoolId parent, std::span<const NewPool> pools);
  [[nodiscard]] Result<void> may_attach(PoolId parent, std::span<const NewPool> pools) const;
  // Removes a pool and all pools below it; the numbers of other pools stay. Errors: invalid (the
  // root; a removed pool), unsupported (a pool with edges outside of the dominant tree). Cost: as
  // attach, and the children of its parent are moved up.
  [[nodiscard]] Result<void> remove(PoolId top);
  [[nodiscard]] Result<void> may_remove(PoolId top) const;

 private:
  void begin();
  void add_columns(PoolId parent, std::span<const NewPool> pools);
  void add_interiors(PoolId first, std::span<const NewPool> pools);
  void add_child(PoolId parent, PoolId child);
  void drop_child(PoolId parent, PoolId child);
  void forget(PoolId p);

  ResourceGraph& g_;
};

}  // namespace copse
