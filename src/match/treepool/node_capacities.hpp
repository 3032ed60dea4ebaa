// SPDX-License-Identifier: Apache-2.0
//
// NodeCapacities: how many units of a demand nodes have room for, over the window of one select;
// and which nodes those are.
//
// The masks of nodes are those of FreeNodes where nothing but now matters. Where a node has later
// grants, or the window does not start now, its mask is made from the state's holds and the node
// stands in a sorted list instead of the index.
//
// Cost: a node placed on, at most, for each capacity(); begin for now: O(nodes with later grants),
// else O(nodes × words + holds). Thread safety: none.
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

  // What nodes draw from; nullptr, or no layers in it: nothing.
  void set_availability(Availability* availability) {
    availability_ = availability != nullptr && availability->layered() ? availability : nullptr;
  }
  [[nodiscard]] bool layered() const { return availability_ != nullptr; }
  // The request, view and window of all that is asked next. The nodes must be renewed.
  void begin(const CompiledRequest& request, StateView view, std::int64_t start, std::int64_t end);

  // Finds how many units, up to `most`, empty nodes of each kind have room for. candidates() and
  // capacity() of a demand for whole nodes REQUIRE that it was called for the same.
  void measure_kinds(const NodeDemand& demand, std::int64_t most, bool spill);
  [[nodiscard]] std::int64_t of_empty(std::uint32_t node) const {
    return of_kind_[nodes_.kind_number(node)];
  }
  // Nodes in order that may have room for so many units, of `index` or those now free.
  [[nodiscard]] NodeCandidates candidates(const NodeDemand& demand, std::int64_t units,
                                          const NodeIndex* index = nullptr);
  // How many units, up to `most`, the node has room for.
  [[nodiscard]] std::int64_t capacity(const NodeDemand& demand, const NodeCandidate& at,
                                      std::int64_t most, bool spill);
  // How many nodes have room for what the demand has on each; or, if it is not by node, how many
  // units there are in all. Never more than the supply serves. O(candidates) of them placed on;
  // StateView::empty: O(kinds), and O(nodes) with a supply or a constraint.
  [[nodiscard]] std::int64_t available(const NodeDemand& demand);
  [[nodiscard]] bool enough(const NodeDemand& demand) {
    return available(demand) >= (demand.by_node ? demand.nodes : demand.units);
  }

  // Whether nothing at all of a node is in use over the window.
  [[nodiscard]] bool untouched(std::uint32_t node) const {
    return !state_.touched(nodes_.pool(node), start_, end_);
  }
  [[nodiscard]] bool allowed(std::uint32_t node) const {
    return !request_->constrained() || request_->allowed[nodes_.pool(node).v];
  }
  // Whether the supply has what one more node needs: takes it.
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
  std::vector<NodeCandidate> window_;  // nodes that the index does not show, in order
  std::vector<Word> window_words_;
  std::vector<std::int64_t> of_kind_;  // capacity of an empty node of each kind
  SlotPlacer placer_;
  std::vector<Word> scratch_;
};

}  // namespace copse
