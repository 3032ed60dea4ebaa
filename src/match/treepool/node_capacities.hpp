// SPDX-License-Identifier: Apache-2.0
//
// NodeCapacities: the number of units of a demand for which nodes have room over the window of one
// select, and which nodes these are.
//
// If only the present matters, the masks of nodes are those of FreeNodes. If a node has later
// grants, or the window does not start now, its mask is computed from the exclusive spans of the
// state, and the node is in a sorted list instead of the index.
//
// Cost: capacity(): at most one placement on the node; begin for now: O(nodes with later grants),
// else O(nodes × words + spans). Thread safety: none.
#pragma once

#include <vector>

#include "match/shared/eligibility.hpp"
#include "match/treepool/node_candidates.hpp"
#include "match/treepool/node_demand.hpp"
#include "match/treepool/slot_placer.hpp"

namespace copse {

class NodeCapacities {
 public:
  NodeCapacities(const FreeNodes& nodes, const State& state) : nodes_(nodes), state_(state) {}

  // Sets the layers to which nodes are charged; nullptr, or without layers: none.
  void set_availability(Availability* availability) {
    availability_ = availability != nullptr && availability->layered() ? availability : nullptr;
  }
  [[nodiscard]] bool layered() const { return availability_ != nullptr; }
  // Sets the request, view and window for the following calls. REQUIRES that the nodes were
  // renewed.
  void begin(const CompiledRequest& request, StateView view, std::int64_t start, std::int64_t end);

  // Computes for how many units, up to `most`, empty nodes of each kind have room. candidates() and
  // capacity() of a demand for whole nodes REQUIRE a call for the same demand.
  void measure_kinds(const NodeDemand& demand, std::int64_t most, bool spill);
  [[nodiscard]] std::int64_t of_empty(std::uint32_t node) const {
    return of_kind_[nodes_.kind_number(node)];
  }
  // Nodes, in order, that may have room for this many units; of `index`, or of those free now.
  [[nodiscard]] NodeCandidates candidates(const NodeDemand& demand, std::int64_t units,
                                          const NodeIndex* index = nullptr);
  // The number of units, up to `most`, for which the node has room.
  [[nodiscard]] std::int64_t capacity(const NodeDemand& demand, const NodeCandidate& at,
                                      std::int64_t most, bool spill);
  // The number of nodes with room for the demand per node or, if it is not by node, the total
  // number of units. Limited by what layers have. O(candidates) placements; StateView::empty:
  // O(kinds), and O(nodes) with layers or a constraint.
  [[nodiscard]] std::int64_t available(const NodeDemand& demand);
  [[nodiscard]] bool enough(const NodeDemand& demand) {
    return available(demand) >= (demand.by_node ? demand.nodes : demand.units);
  }

  // Whether a node is completely unused over the window.
  [[nodiscard]] bool untouched(std::uint32_t node) const {
    return !state_.touched(nodes_.pool(node), start_, end_);
  }
  [[nodiscard]] bool allowed(std::uint32_t node) const {
    return !request_->constrained() || request_->allowed[nodes_.pool(node).v];
  }
  // Takes the amounts for one more node from layers, if they have enough.
  bool take_layers(std::uint32_t node) {
    return availability_ == nullptr || availability_->layers().take(nodes_.pool(node));
  }
  void return_layers() {
    if (availability_ != nullptr) availability_->undo_to(0);
  }

 private:
  void list_window(bool all);

  const FreeNodes& nodes_;
  const State& state_;
  const CompiledRequest* request_ = nullptr;
  Availability* availability_ = nullptr;
  StateView view_ = StateView::now;
  std::int64_t start_ = 0, end_ = 0;
  std::vector<NodeCandidate> window_;  // nodes that are not in the index, in order
  std::vector<Word> window_words_;
  std::vector<std::int64_t> of_kind_;  // capacity of an empty node of each kind
  SlotPlacer placer_;
  std::vector<Word> scratch_;
};

}  // namespace copse
