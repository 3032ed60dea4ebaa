// SPDX-License-Identifier: Apache-2.0
//
// FreeNodes: the nodes of a machine and what is free of each, as masks.
//
// The engine reports what it applies. If only the grant's own bits change, they are changed at
// once. If more may have changed (status, grants of later times, an exclusive pool above nodes),
// the node is marked and recomputed by renew(). Masks for other times are computed from the
// exclusive spans of the state.
//
// Invariants, once renew() has run
//   1. The mask of a node has the bits of its cores and GPUs that are usable and not allocated now,
//       and neither are pools above them; later_ tells whether a grant has some of it later.
//    2. Nodes without cores are left out: an R cannot represent them (RFC 20).
//   3. index() has the nodes that are usable, with all pools above them, and have no later grants,
//       by the numbers of bits of their masks; later_nodes() has those with later grants.
//
// Size: per node 20 bytes, its masks (24 bytes for 120 cores and 8 GPUs) and what NodeIndex takes.
// applied: O(pools of the selection). renew: O(leaves and exclusive spans of the marked nodes).
// Thread safety: none.
#pragma once

#include <span>
#include <vector>

#include "copse/shared.hpp"
#include "match/treepool/fit_lists.hpp"
#include "match/treepool/node_kinds.hpp"
#include "state/node_index.hpp"
#include "state/state.hpp"

namespace copse {

class FreeNodes {
 public:
  // The graph, state and layouts must outlive it, and the graph must not change.
  // Errors: limit (masks). O(pools + kinds of nodes).
  [[nodiscard]] static Result<FreeNodes> create(const ResourceGraph& graph, const State& state,
                                                const Layouts& layouts);

  // The same for copies of graph and state; the layouts must outlive it as well. O(nodes).
  FreeNodes(const ResourceGraph& graph, const State& state, const FreeNodes& other);

  // --- Events, to be reported after the state has changed.
  void applied(const Selection& selection, std::int64_t start, std::int64_t end, int sign);
  void started(const Selection& selection);  // a reservation became an allocation
  void status_changed(PoolId pool) { mark_below(pool); }
  // Recomputes marked nodes. The functions below REQUIRE this.
  void renew();

  [[nodiscard]] const NodeKinds& kinds() const { return kinds_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] std::uint32_t count(std::uint32_t kind) const { return counts_[kind]; }
  [[nodiscard]] std::uint32_t cores_max() const { return cores_max_; }  // of a node
  [[nodiscard]] PoolId pool(std::uint32_t node) const { return nodes_[node].pool; }
  [[nodiscard]] std::uint32_t kind_number(std::uint32_t node) const { return nodes_[node].kind; }
  [[nodiscard]] const NodeKind& kind(std::uint32_t node) const { return kinds_[nodes_[node].kind]; }
  // The free cores and GPUs of a node now.
  [[nodiscard]] const Word* mask(std::uint32_t node) const {
    return words_.data() + nodes_[node].mask_at;
  }
  [[nodiscard]] const NodeIndex& index() const { return index_; }
  [[nodiscard]] std::span<const std::uint32_t> later_nodes() const { return later_nodes_; }
  // Lists of nodes by condition; they are notified of every change.
  [[nodiscard]] FitLists& fits() { return fits_; }

  // The bits that are free over [start, end); false if the node cannot be used at all. `later`:
  // whether any grant has some of it after `start`. O(leaves + spans). REQUIRES room for its kind's
  // words.
  bool free_over(std::uint32_t node, std::int64_t start, std::int64_t end, Word* mask,
                 bool* later = nullptr) const;

  // Whether the invariants hold. O(leaves + spans).
  [[nodiscard]] bool check() const;

 private:
  struct Node {
    PoolId pool;
    std::uint32_t kind;
    std::size_t mask_at;  // in words_
  };

  FreeNodes(const ResourceGraph& graph, const State& state, bool stocks)
      : graph_(graph), state_(state), kinds_(graph, stocks), index_(0, 0) {}
  Result<void> make(const Layouts& layouts);
  void renew_node(std::uint32_t node);
  void mark(std::uint32_t node);
  void mark_below(PoolId pool);
  [[nodiscard]] std::uint32_t node_above(PoolId leaf) const;
  [[nodiscard]] bool usable(PoolId pool) const;
  void change_bits(std::uint32_t node, const SelectedPools& taken, bool take);
  void set_index(std::uint32_t node);

  const ResourceGraph& graph_;
  const State& state_;
  NodeKinds kinds_;
  std::vector<std::uint32_t> counts_;    // nodes of each kind
  SharedColumn<Node> nodes_;             // by rank
  SharedColumn<std::uint32_t> node_of_;  // by interior number
  std::vector<Word> words_;
  std::vector<bool> up_, later_, marked_;  // up: usable, and all above it
  std::vector<std::uint32_t> marked_nodes_;
  std::vector<std::uint32_t> later_nodes_;  // may have outdated entries until renew()
  NodeIndex index_;
  std::uint32_t cores_max_ = 0;
  FitLists fits_;
};

}  // namespace copse
