// SPDX-License-Identifier: Apache-2.0
//
// LayerAvailability: for which nodes hierarchical resources have enough, for one request over one
// window, in addition to the nodes that were taken.
//
// A node is eligible if the job could have it alone: in mode 1 some layer over it has enough at all
// times, in mode 2 every layer, in mode 3 every layer on its path. In mode 3, taking a node charges
// every account on its path; the ledger undoes it. LayerCharger computes the charges for the nodes
// that were finally chosen.
//
// Invariants: writes nothing but itself and the ledger. Cost: begin O(needs); eligible and take
// O(layers on the node's path), the first time for each class and layer a query of the layer's
// planner. Size: 16 bytes per node, 8 per class and need.
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

  // Whether the job could have a node in addition to those that were taken. False for other pools.
  [[nodiscard]] bool eligible(PoolId node);
  // Takes it, if it is eligible and not taken yet. False: not eligible.
  bool take(PoolId node);

  // For walks that do not take nodes as they choose: takes as many of `nodes`, in order of
  // preference, as fit together, and makes the others ineligible. False if all fit.
  bool refuse_excess(std::span<const PoolId> nodes);
  // Makes one of the taken nodes with the largest needs ineligible; if none was taken, all nodes
  // with the largest needs. False if all need the same.
  bool refuse_heaviest();
  // Finds the first set of `wanted` candidates, in order of preference, for which two trees have
  // enough together, and makes all others ineligible. False: there is none; nothing changed.
  // REQUIRES needs().trees() == 2, not needs().uneven(), and nothing taken. Cost: two_trees.hpp.
  bool keep_only_in_two_trees(std::span<const PoolId> candidates, std::int64_t wanted);
  // Makes only pools below `top` eligible; kNoPool: all.
  void confine(PoolId top) { top_ = top; }

  // A quick check: whether no node has enough for some need, or the root of a tree has too little
  // for this many nodes. O(classes) at worst; O(1) if there is enough.
  [[nodiscard]] bool cannot_serve(std::int64_t nodes);
  // Whether this many nodes cannot be found in this window, whatever the rest of the request: a
  // proof. O(nodes). REQUIRES nothing taken.
  [[nodiscard]] bool too_few(std::int64_t nodes);
  // How many of these nodes can be had together, in addition to those taken. O(nodes · their
  // paths).
  [[nodiscard]] std::int64_t capacity(std::span<const PoolId> nodes);

  // With two or more trees, or uneven needs, taking nodes in order may fail where another choice
  // would succeed.
  [[nodiscard]] const LayerNeeds& needs() const { return needs_; }
  // Whether layers have enough for a need on one node, or on one node of a class.
  [[nodiscard]] bool serves(std::size_t need, std::uint32_t node);
  [[nodiscard]] bool serves_class(std::size_t need, std::uint32_t node_class);
  // The free amount of a layer over the window, before anything was taken.
  [[nodiscard]] std::int64_t free(std::uint32_t layer) { return account(layer).free; }
  // The number of accounts that are layers: these come first in the ledger.
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
  bool empty_ = false, by_node_ = false;  // by_node_: whether some need is by node
  PoolId top_ = kNoPool;
  std::vector<std::vector<std::uint64_t>> verdicts_;  // by need and class: the stamp, and one bit
  std::vector<std::size_t> taken_at_;   // by node: index of its charge in the log, if it has one
  std::vector<std::uint64_t> refused_;  // by node: the stamp
};

}  // namespace copse
