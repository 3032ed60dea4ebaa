// SPDX-License-Identifier: Apache-2.0
//
// TreePool: the walker of the treepool traverser (spec of the answers: RFC 49 and flux-core's
// TreePool). Nodes are tried by how little is free of them: (free cores, free GPUs, rank); the
// slots of a node are placed by Placer.
//
// A node serves on its own, so that a request is met by going over the nodes in that order and
// taking what each gives: so many units on each of so many nodes, or units until there are enough.
// Slots without GPUs are first placed without spilling (see Placer); where that does not find
// enough, all is placed again with it.
//
// What is free of each node now is kept as masks, and nodes are kept in a NodeIndex: the engine
// tells what it applies, and a grant's own bits change; where more can have changed (status, plans
// of a later time, an exclusive pool above nodes) the node is looked at again before the next
// match. For times other than now, and for nodes with later grants, masks are made from the state's
// holds over the window.
//
// Invariants, once renew() has run
//   1. free_ of a node has the bits of its cores and GPUs that are usable, not held now, and not
//      below what is held or unusable; later_ says whether any grant holds some of it later.
//   2. Nodes without cores are none: an R could not say that they are given.
//   3. index_ has the nodes that are usable with all above them and have no later grants, under
//      the numbers of bits of free_; later_nodes_ has those that have.
//
// Sketch: per node 20 bytes, its masks (24 bytes for 120 cores and 8 GPUs) and what NodeIndex
// takes. select, now, nothing planned: the nodes looked at; those that a count rules out are not.
// At other times: O(nodes × words + holds). Thread safety: none.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "match/compile/compiled.hpp"
#include "match/shared/probe.hpp"
#include "match/treepool/treepool_fits.hpp"
#include "match/treepool/treepool_kind.hpp"
#include "match/treepool/treepool_place.hpp"
#include "match/treepool/treepool_request.hpp"
#include "state/node_index.hpp"
#include "state/state.hpp"

namespace copse {

class TreePool {
 public:
  // The graph, state and layouts must outlive it, and the graph must not change.
  // Errors: limit (masks). O(pools + kinds of nodes).
  [[nodiscard]] static Result<std::unique_ptr<TreePool>> create(const ResourceGraph& graph,
                                                                const State& state,
                                                                const Layouts& layouts);

  // Finds what the request gets over [start, end), and how many slots that are. `out` is empty
  // if nothing is found, and for View::empty, which only answers whether something would be.
  [[nodiscard]] bool select(const CompiledRequest& request, View view, std::int64_t start,
                            std::int64_t end, Selection& out, std::int64_t& nslots);
  [[nodiscard]] std::uint64_t visits() const { return visits_; }  // nodes the last select tried
  // What the supply offers for the next selects, which take from it the nodes that they choose;
  // nullptr: no hierarchical resources are asked for.
  void set_offer(Offer* offer) { offer_ = offer; }

  // --- Events, after the state has them.
  void applied(const Selection& selection, std::int64_t start, std::int64_t end, int sign);
  void begun(const Selection& selection);  // what was planned for later runs now
  void status_changed(PoolId pool);

 private:
  struct Node {
    PoolId pool;
    std::uint32_t kind;
    std::size_t free_at;  // of its masks, in free_
  };
  // A node over the window asked for.
  struct Candidate {
    std::uint32_t node, cores, gpus;
    const Word* free;
  };
  // What is asked for, numbers fixed.
  struct Ask {
    bool by_node = false, whole = false;
    std::int64_t nodes = 0, units = 0;  // nodes 0: so many units in all
    Unit unit;
    std::int64_t cores_min = 0, gpus_min = 0;  // free of a node for a unit, at least
  };
  struct Chosen {
    std::uint32_t node;
    std::size_t taken_at;  // of the mask of what is taken, in taken_; whole nodes: none
    bool whole;
  };
  class Candidates;

  TreePool(const ResourceGraph& graph, const State& state) : graph_(graph), state_(state) {}

  // --- treepool_nodes.cpp
  Result<void> make(const Layouts& layouts);
  Result<std::uint32_t> kind_of(PoolId node, const Layout* layout);
  void renew();
  void renew_node(std::uint32_t node);
  void mark(std::uint32_t node);
  void mark_below(PoolId pool);
  [[nodiscard]] std::uint32_t node_above(PoolId leaf) const;
  [[nodiscard]] bool usable(PoolId pool) const;
  // The bits free over [start, end); false if the node is not to be had at all. `later`: whether
  // anything is held from after `start` on.
  bool free_over(std::uint32_t node, std::int64_t start, std::int64_t end, Word* mask,
                 bool* later = nullptr) const;
  void change_bits(std::uint32_t node, const Taken& taken, bool take);
  void set_index(std::uint32_t node);

  // --- treepool.cpp, treepool_grow.cpp, treepool_write.cpp
  void begin(const CompiledRequest& request, View view, std::int64_t start, std::int64_t end);
  void list_window(bool all);
  bool name_parts(const std::vector<SlotPart>& parts, std::vector<NamedPart>& out);
  void least_of(const std::vector<NamedPart>& parts, std::int64_t& cores, std::int64_t& gpus) const;
  [[nodiscard]] Ask ask_of(const TreepoolRequest& request);
  void set_least(Ask& ask);
  bool grow(const TreepoolRequest& request, Ask& ask);
  bool fill(const Ask& ask, bool spill);
  [[nodiscard]] Candidates candidates(const NodeIndex& index, const Ask& ask, std::int64_t units,
                                      bool spill);
  [[nodiscard]] bool counts_tell(const Ask& ask, bool spill) const;
  void take_up(const Ask& ask, bool spill, NodeIndex& fits, std::uint32_t node);
  [[nodiscard]] std::int64_t capacity(const Ask& ask, const Candidate& at, std::int64_t most,
                                      bool spill);
  [[nodiscard]] std::int64_t capacity_of_kind(const Ask& ask, std::uint32_t kind, std::int64_t most,
                                              bool spill);
  [[nodiscard]] std::int64_t total_capacity(const Ask& ask);
  [[nodiscard]] std::int64_t nodes_with(const Ask& ask);
  [[nodiscard]] bool allowed(std::uint32_t node) const {
    return !request_->constrained() || request_->allowed[nodes_[node].pool.v];
  }
  // Whether the supply has what one more node needs: takes it.
  bool take_supply(std::uint32_t node) {
    return offer_ == nullptr || offer_->take(nodes_[node].pool);
  }
  [[nodiscard]] std::size_t supply_mark() const { return offer_ == nullptr ? 0 : offer_->mark(); }
  void undo_supply(std::size_t mark) {
    if (offer_ != nullptr) offer_->undo_to(mark);
  }
  void write(Selection& out);
  void write_node(const Chosen& chosen, Selection& out);

  const ResourceGraph& graph_;
  const State& state_;
  LeafTypes types_;
  TypeId node_type_;
  std::vector<NodeKind> kinds_;
  std::vector<PoolId> kind_nodes_;  // the first node of each kind
  std::unordered_multimap<std::size_t, std::uint32_t> kinds_by_hash_;
  std::set<std::pair<const Layout*, std::uint32_t>> also_of_;  // further layouts of kinds
  std::size_t words_left_ = NodeKind::kWordsMax;
  std::unordered_map<std::string, std::uint32_t> names_;  // of localities
  std::vector<Node> nodes_;                               // by rank
  std::vector<std::uint32_t> node_of_;                    // by interior number
  std::vector<Word> free_;
  std::vector<bool> later_, marked_, up_;
  std::vector<std::uint32_t> marked_nodes_;
  std::vector<std::uint32_t> later_nodes_;  // may have some that are no more
  std::unique_ptr<NodeIndex> index_;
  std::uint32_t cores_max_ = 0;  // of a node
  Fits fits_;
  std::vector<std::uint32_t> kind_counts_;  // nodes of each kind

  // The select under way
  const CompiledRequest* request_ = nullptr;
  Offer* offer_ = nullptr;
  View view_ = View::now;
  std::int64_t start_ = 0, end_ = 0;
  std::uint64_t visits_ = 0;
  std::vector<Candidate> window_;  // nodes that the index does not show, in order
  std::vector<Word> window_words_;
  std::vector<std::int64_t> of_kind_;  // capacity of an empty node of each kind
  Placer placer_;
  std::vector<Chosen> chosen_;
  std::vector<Word> taken_, scratch_;
  std::int64_t units_ = 0;  // placed
  std::vector<Taken> runs_;
  std::vector<PoolId> open_;
};

}  // namespace copse
