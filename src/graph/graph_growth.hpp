// SPDX-License-Identifier: Apache-2.0
//
// GraphGrowth: how a graph grows and shrinks. A subtree that comes gets numbers at the end, and the
// pools on the path from it to the root shapes of their own. What is removed keeps its numbers and
// has size 0, so that nobody takes it who still knows of it. Both are logged (graph.changes()), and
// refuse as a whole.
#pragma once

#include <cstdint>
#include <span>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse {

class GraphGrowth {
 public:
  explicit GraphGrowth(ResourceGraph& graph) : g_(graph) {}

  // Attaches a subtree as the last child of a pool. New words are interned in names() before.
  // Errors, nothing changed: unsupported (`parent` is a leaf, or outside of the dominant tree:
  // build the graph again), invalid (a list that is no subtree, a size below 0), limit. Cost:
  // O(pools of the subtree + depth × types + children of `parent` / 64).
  [[nodiscard]] Result<PoolId> attach(PoolId parent, std::span<const NewPool> pools);
  [[nodiscard]] Result<void> may_attach(PoolId parent, std::span<const NewPool> pools) const;
  // Takes a pool and all that is below it out of the machine; the numbers of others stay. Errors:
  // invalid (the root; a removed pool), unsupported (a pool with edges outside of the dominant
  // tree). Cost: as attach, and the children of its parent are moved up.
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
