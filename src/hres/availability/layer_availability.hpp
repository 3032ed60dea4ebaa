// SPDX-License-Identifier: Apache-2.0
//
// LayerAvailability: which nodes hierarchical resources serve for one request over one window, with those
// that were taken.
//
// A node is eligible if, by itself, it could be the job's: in mode 1 some layer over it has enough
// all the time, in mode 2 every one has, in mode 3 every one on its path. Taking a node takes, in
// mode 3, from every account on its path; the ledger gives back. LayerCharger says what layers are
// charged for the nodes that were chosen in the end.
//
// Invariants: nothing is written but this and the ledger. Cost: begin O(needs); eligible and take
// O(layers of the node's path), the first time for each class and layer a query of the layer's
// planner. Size: 16 bytes per node, 8 a class and need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hres/availability/charge_ledger.hpp"
#include "hres/availability/layer_needs.hpp"
#include "hres/hres_table.hpp"

namespace copse {

class LayerAvailability {
 public:
  // Layers are accounts of the ledger by their numbers.
  LayerAvailability(const ResourceGraph& graph, const HresTable& hres, ChargeLedger& ledger)
      : graph_(graph), hres_(hres), ledger_(ledger), needs_(graph, hres) {}

  // Starts over, after ledger.begin(). `empty`: no grants and no reservations.
  void begin(std::span<const HresNeed> needs, HresTable::Job job, std::int64_t start,
             std::int64_t end, bool empty);

  // Whether a node could be among the job's, with those that were taken. Only nodes are.
  [[nodiscard]] bool eligible(PoolId node);
  // Takes it, if it is eligible and not taken yet. False: not eligible.
  bool take(PoolId node);

  // For walks that do not take what they choose: of `nodes`, in order of preference, takes as many
  // as fit together; the others are not eligible any more. False if all fit.
  bool refuse_excess(std::span<const PoolId> nodes);
  // Of what was taken, one that draws most is not eligible any more; if nothing is, all that draw
  // most. False if all draw the same.
  bool refuse_heaviest();
  // Of candidates in order of preference, the first set of so many nodes that two trees have
  // together; all others are not eligible any more. False: there is none, and nothing changed.
  // REQUIRES needs().trees() == 2, not needs().uneven(), and nothing taken. Cost: two_trees.hpp.
  bool keep_only_in_two_trees(std::span<const PoolId> candidates, std::int64_t wanted);
  // Only what lies below this pool is eligible; kNoPool: all.
  void confine(PoolId top) { top_ = top; }

  // Whether it is plain that no node serves some need, or that a tree's root has too little for so
  // many nodes. O(classes) at worst; where something serves, O(1).
  [[nodiscard]] bool cannot_serve(std::int64_t nodes);
  // Whether so many nodes can never be found, whatever else is asked of them: a proof, from what
  // this window has. O(nodes). REQUIRES nothing taken.
  [[nodiscard]] bool too_few(std::int64_t nodes);
  // How many of these nodes there are together, beside what is taken. O(nodes · their paths).
  [[nodiscard]] std::int64_t capacity(std::span<const PoolId> nodes);

  // With two or more trees, or where they are uneven, taking nodes in order may miss what another
  // choice would find.
  [[nodiscard]] const LayerNeeds& needs() const { return needs_; }
  // Whether a need is served on a node, or on the nodes of a class, by itself.
  [[nodiscard]] bool serves(std::size_t need, std::uint32_t node);
  [[nodiscard]] bool serves_class(std::size_t need, std::uint32_t node_class);
  // What a layer has over the window before anything was taken.
  [[nodiscard]] std::int64_t free(std::uint32_t layer) { return account(layer).free; }
  // Accounts of the ledger below this are layers.
  [[nodiscard]] std::uint32_t accounts() const {
    return static_cast<std::uint32_t>(hres_.layers().size());
  }

 private:
  [[nodiscard]] const ChargeLedger::Account& account(std::uint32_t layer);
  [[nodiscard]] std::uint32_t number(PoolId pool) const { return hres_.numbers().of(graph_, pool); }
  [[nodiscard]] bool covers(std::span<const std::uint32_t> layers, std::int64_t count);
  [[nodiscard]] bool served_somewhere(std::size_t need);
  [[nodiscard]] bool eligible_node(PoolId pool, std::uint32_t node);
  [[nodiscard]] bool taken(std::uint32_t node) const;
  [[nodiscard]] bool fits(std::size_t need, std::uint32_t node);
  void take(std::size_t need, std::uint32_t node);

  const ResourceGraph& graph_;
  const HresTable& hres_;
  ChargeLedger& ledger_;
  LayerNeeds needs_;
  HresTable::Job job_ = 0;
  std::int64_t start_ = 0, end_ = 0;
  bool empty_ = false, by_node_ = false;  // by_node_: some need is
  PoolId top_ = kNoPool;
  std::vector<std::vector<std::uint64_t>> verdicts_;  // by need and class: the stamp, and one bit
  std::vector<std::size_t> taken_at_;                 // by node: where the log has it, if it has
  std::vector<std::uint64_t> refused_;                // by node: the stamp
};

}  // namespace copse
