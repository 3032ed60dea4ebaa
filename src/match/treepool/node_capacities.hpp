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

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "match/compile/compiled.hpp"
#include "match/shared/eligibility.hpp"
#include "match/treepool/free_nodes.hpp"
#include "match/treepool/node_kinds.hpp"
#include "match/treepool/slot_placer.hpp"
#include "match/treepool/treepool_request.hpp"

namespace copse {

// NodeDemand: a treepool request with fixed counts and resolved names: a number of units on each of
// a number of nodes, or a total number of units.
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

// A node over the window of the query.
struct NodeCandidate {
  std::uint32_t node, cores, gpus;
  const Word* free;
  [[nodiscard]] bool before(const NodeCandidate& other) const {
    return std::tie(cores, gpus, node) < std::tie(other.cores, other.gpus, other.node);
  }
};

// NodeCandidates: iterates over the nodes that a request may use, with at least given amounts free,
// in the order in which the treepool traverser tries them: by (free cores, free GPUs, number).
//
// They come from an index (of all nodes, or a FitLists list), and from a sorted list of nodes that
// are not in the index. Neither must change meanwhile. next: O(1) and that of NodeIndex.
class NodeCandidates {
 public:
  // `index` nullptr: only nodes of the list.
  NodeCandidates(const FreeNodes& nodes, const AllowedPools& allowed, const NodeIndex* index,
                 std::span<const NodeCandidate> list, std::int64_t cores_min, std::int64_t gpus_min)
      : nodes_(nodes),
        allowed_(allowed),
        list_(list),
        cores_(bounded(cores_min)),
        gpus_(bounded(gpus_min)),
        index_(index == nullptr ? nodes.index() : *index),
        walk_(index_, cores_, gpus_) {
    if (index != nullptr) indexed_ = walk_.next();
  }

  bool next(NodeCandidate& out) {
    for (;;) {
      while (!list_.empty() && (list_.front().cores < cores_ || list_.front().gpus < gpus_)) {
        list_ = list_.subspan(1);
      }
      if (indexed_ == NodeIndex::kNone && list_.empty()) return false;
      if (indexed_ != NodeIndex::kNone) {
        out = {indexed_, index_.cores_of(indexed_), index_.gpus_of(indexed_),
               nodes_.mask(indexed_)};
      }
      if (!list_.empty() && (indexed_ == NodeIndex::kNone || list_.front().before(out))) {
        out = list_.front();
        list_ = list_.subspan(1);
      } else {
        indexed_ = walk_.next();
      }
      ++passed_;
      if (allowed_.empty() || allowed_[nodes_.pool(out.node).v]) return true;
    }
  }

  [[nodiscard]] std::uint64_t passed() const { return passed_; }  // nodes visited so far

 private:
  static std::uint32_t bounded(std::int64_t n) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(n, UINT32_MAX));
  }
  const FreeNodes& nodes_;
  const AllowedPools& allowed_;
  std::span<const NodeCandidate> list_;  // the rest of it
  std::uint32_t cores_, gpus_;
  const NodeIndex& index_;
  NodeIndex::Walk walk_;
  std::uint32_t indexed_ = NodeIndex::kNone;  // the next one of the index
  std::uint64_t passed_ = 0;
};

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
