// SPDX-License-Identifier: Apache-2.0
//
// SelectionWriter: writes chosen nodes and leaves as a selection, in preorder.
#pragma once

#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "match/treepool/node_kind.hpp"

namespace copse {

class SelectionWriter {
 public:
  explicit SelectionWriter(const ResourceGraph& graph) : graph_(graph) {}

  void begin() { open_.clear(); }
  // Adds a whole node and the pools above it. REQUIRES preorder: nodes after begin() ascend.
  void add_node(PoolId node, Selection& out);
  // Adds the leaves of a node that are in `taken`, a mask of its kind. REQUIRES the same. O(leaves
  // taken × log of them).
  void add_leaves(PoolId node, const NodeKind& kind, const Word* taken, Selection& out);

 private:
  void open_above(PoolId pool, Selection& out);
  void add_runs(PoolId node, const std::vector<KindLeaf>& leaves, const Word* taken);

  const ResourceGraph& graph_;
  std::vector<PoolId> open_;  // the path from the root to the last added pool
  std::vector<SelectedPools> runs_;
};

}  // namespace copse
