// SPDX-License-Identifier: Apache-2.0
//
// TreepoolTraverser: the walk of the treepool traverser (spec of the answers: RFC 49 and
// flux-core's TreePool). Nodes are tried by how little is free of them: (free cores, free GPUs,
// rank); the slots of a node are placed by SlotPlacer.
//
// A node serves on its own. So a request is met by going over the nodes in that order and taking
// what each gives: so many units on each of so many nodes, or units until there are enough. Slots
// without GPUs are first placed without spilling (see SlotPlacer); where that does not find enough,
// all is placed again with it.
//
// Its parts: FreeNodes has the nodes and what is free of them now; NodeCapacities says what nodes
// have room for over a window; FitLists remember which nodes pass what counts do not tell;
// SelectionWriter writes down what was chosen.
//
// Cost: select, now, nothing planned: the nodes looked at; those that a count rules out are not. At
// other times: O(nodes × words + holds). Thread safety: none.
#pragma once

#include <memory>
#include <vector>

#include "match/treepool/free_nodes.hpp"
#include "match/treepool/node_capacities.hpp"
#include "match/treepool/selection_writer.hpp"

namespace copse {

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

  // Finds what the request gets over [start, end). `out` is empty if nothing is found, and for
  // StateView::empty, which only answers whether something would be.
  [[nodiscard]] Answer select(const CompiledRequest& request, StateView view, std::int64_t start,
                              std::int64_t end, Selection& out);
  // What the next selects draw from: they take the nodes that they choose; nullptr: nothing.
  void set_availability(Availability* availability) { capacities_.set_availability(availability); }

  // The nodes, to be told what happens.
  [[nodiscard]] FreeNodes& nodes() { return nodes_; }
  [[nodiscard]] const FreeNodes& nodes() const { return nodes_; }

 private:
  struct Chosen {
    std::uint32_t node;
    std::size_t taken_at;  // of the mask of what is taken, in taken_; whole nodes: none
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

  // The select under way
  const CompiledRequest* request_ = nullptr;
  bool now_ = true;  // candidates come from the index
  std::uint64_t visits_ = 0;
  SlotPlacer placer_;
  std::vector<Chosen> chosen_;
  std::vector<Word> taken_;
  std::int64_t units_ = 0;  // placed
};

}  // namespace copse
