// SPDX-License-Identifier: Apache-2.0
//
// TwoTrees: which nodes can be had together if two resources of mode 3 count them at once.
//
// Taking nodes one after the other finds a largest set in one tree of layers; in two it may not.
// But nodes in the same leaves of both are equivalent, so the problem is a maximum flow: from the
// root of one tree down to its leaves, over the kinds of nodes to the leaves of the other, and up
// to its root. The capacity of a layer is the number of nodes for which it has enough left.
//
// Cost: largest() is Dinic's algorithm, O(edges · sqrt(edges)) on graphs of this kind in practice,
// edges ≤ 2 · (layers + kinds of nodes); choose() runs it once for each node taken and each kind
// given up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace copse {

class TwoTrees {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // A layer: how many nodes fit in it, and the layer above in the same tree; kNone: a root.
  struct Layer {
    std::int64_t nodes;
    std::uint32_t above;
  };

  // Layers of both trees by number; the first `first_tree` are those of the first tree.
  TwoTrees(std::vector<Layer> layers, std::uint32_t first_tree);

  // Nodes of a kind are in these leaves; kNone: in no layer of that tree, which then does not bound
  // them.
  std::uint32_t add_kind(std::uint32_t first_leaf, std::uint32_t second_leaf);
  void add_node(std::uint32_t kind) { ++kinds_[kind].nodes; }

  // The largest number of nodes that can be had together, at most `wanted`.
  [[nodiscard]] std::int64_t largest(std::int64_t wanted);

  // Of nodes in order of preference, given by their kinds: the lexicographically first set of
  // `wanted` nodes that can be had together; false: there is none. REQUIRES that they were added.
  [[nodiscard]] bool choose(std::span<const std::uint32_t> kinds_of_nodes, std::int64_t wanted,
                            std::vector<bool>& out);

 private:
  struct Kind {
    std::uint32_t leaves[2];
    std::int64_t nodes = 0;
  };
  struct Edge {
    std::uint32_t to;
    std::int64_t left;
  };

  void take(std::uint32_t kind, int sign);
  void add_edge(std::uint32_t from, std::uint32_t to, std::int64_t nodes);
  bool set_depths();
  std::int64_t push();

  std::vector<Layer> layers_;
  std::uint32_t first_tree_;
  std::vector<Kind> kinds_;
  // The flow's graph: the source, the sink, layers, kinds.
  std::vector<std::vector<std::uint32_t>> edges_of_;
  std::vector<Edge> edges_;  // an edge and its reverse are adjacent
  std::vector<std::int32_t> depths_;
  std::vector<std::uint32_t> next_;
};

}  // namespace copse
