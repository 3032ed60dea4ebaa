// SPDX-License-Identifier: Apache-2.0
//
// SelectionWriter: what was chosen of nodes, as a selection in preorder.
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
  // Adds a whole node and what stands above it. REQUIRES preorder: nodes after begin() ascend.
  void add_node(PoolId node, Selection& out);
  // Adds the leaves of a node that `taken`, a mask of its kind, names. REQUIRES the same.
  // O(leaves taken × log of them).
  void add_leaves(PoolId node, const NodeKind& kind, const Word* taken, Selection& out);

 private:
  void open_above(PoolId pool, Selection& out);
  void add_runs(PoolId node, const std::vector<KindLeaf>& leaves, const Word* taken);

  const ResourceGraph& graph_;
  std::vector<PoolId> open_;  // the way from the root to what was added last
  std::vector<Taken> runs_;
};

}  // namespace copse
