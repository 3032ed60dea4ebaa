// SPDX-License-Identifier: Apache-2.0
//
// TreepoolTraverser: the walk of the treepool traverser (specification: RFC 49 and flux-core's
// TreePool). Nodes with least free are tried first: (free cores, free GPUs, rank); the slots of a
// node are placed by SlotPlacer.
//
// Nodes are independent. So a request is served by visiting the nodes in that order and taking
// units from each: a fixed number on each of a number of nodes, or units until there are enough.
// Slots without GPUs are first placed without spilling (see SlotPlacer); if that does not find
// enough, all are placed again with it.
//
// Its parts: FreeNodes has the nodes and what is free of them now; NodeCapacities computes the room
// of nodes over a window; FitLists cache which nodes meet a condition; SelectionWriter writes the
// selection.
//
// Cost: select now, without later grants: O(nodes visited); nodes that counts exclude are not
// visited. At other times: O(nodes × words + spans). Thread safety: none.
#pragma once

#include <memory>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "match/treepool/free_nodes.hpp"
#include "match/treepool/node_capacities.hpp"
#include "match/treepool/node_kind.hpp"

namespace copse {

// SelectionWriter: writes chosen nodes and leaves as a selection, in preorder.
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

class TreepoolTraverser {
 public:
  struct Answer {
    bool found = false;
    std::int64_t nslots = 0;
    std::uint64_t visits = 0;  // nodes tried
  };

  // The graph, state and layouts must outlive it, and the graph must not change.
  // Errors: limit (masks). O(pools + kinds of nodes).
  [[nodiscard]] static Result<std::unique_ptr<TreepoolTraverser>> create(const ResourceGraph& graph,
                                                                         const State& state,
                                                                         const Layouts& layouts);

  // The same for copies of graph and state; the layouts must outlive it as well. Nodes and kinds
  // are shared. O(nodes): their masks and the index are copied.
  TreepoolTraverser(const ResourceGraph& graph, const State& state, const TreepoolTraverser& other)
      : TreepoolTraverser(graph, state, FreeNodes(graph, state, other.nodes_)) {}

  // Finds pools for the request over [start, end). `out` is empty if there are none, and for
  // StateView::empty, which only tells whether there are any.
  [[nodiscard]] Answer select(const CompiledRequest& request, StateView view, std::int64_t start,
                              std::int64_t end, Selection& out);
  // Sets the availability for later selects, which take the amounts for the nodes that they choose;
  // nullptr: no charges.
  void set_availability(Availability* availability) { capacities_.set_availability(availability); }

  // The nodes, which must be notified of events.
  [[nodiscard]] FreeNodes& nodes() { return nodes_; }
  [[nodiscard]] const FreeNodes& nodes() const { return nodes_; }

 private:
  struct Chosen {
    std::uint32_t node;
    std::size_t taken_at;  // index of the mask of taken bits in taken_; kWhole: a whole node
  };

  TreepoolTraverser(const ResourceGraph& graph, const State& state, FreeNodes nodes)
      : nodes_(std::move(nodes)), capacities_(nodes_, state), writer_(graph) {}

  bool grow(const TreepoolRequest& request, NodeDemand& demand);
  bool fill(const NodeDemand& demand);
  bool fill(const NodeDemand& demand, bool spill);
  bool choose(const NodeDemand& demand, bool spill, const NodeCandidate& at);
  void take_up(const NodeDemand& demand, bool spill, NodeIndex& fits, std::uint32_t node);
  void write(Selection& out);

  FreeNodes nodes_;
  NodeCapacities capacities_;
  SelectionWriter writer_;

  // State of the current select
  const CompiledRequest* request_ = nullptr;
  bool now_ = true;  // candidates come from the index
  std::uint64_t visits_ = 0;
  SlotPlacer placer_;
  std::vector<Chosen> chosen_;
  std::vector<Word> taken_;
  std::int64_t units_ = 0;  // placed
};

}  // namespace copse
