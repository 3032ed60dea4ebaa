// SPDX-License-Identifier: Apache-2.0
//
// The machine of a case while events change it, by plain lists: which pools exist, and where.
//
// Invariants: a pool keeps its number, which is its uniq_id in the graph; the machine's list of pools
// only grows.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "copse/graph_change.hpp"
#include "property/generator.hpp"

namespace copse::property {

class LiveMachine {
 public:
  explicit LiveMachine(Machine machine);

  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  // Takes the graph's numbers of pools; needed after each change of the graph.
  void number_pools(const ResourceGraph& graph);
  [[nodiscard]] bool has(Number v) const { return v < pools_.size() && pools_[v] != kNoPool; }
  [[nodiscard]] PoolId pool(Number v) const { return pools_[v]; }
  [[nodiscard]] std::span<const PoolId> pools() const { return pools_; }  // kNoPool: not there

  // Adds the pools of an event, and returns them for the engine.
  [[nodiscard]] NewSubtree attach(const Event& e, Names& names);
  // REQUIRES that it is not the root.
  void remove(Number top) { std::erase(children_[parents_[top]], top); }
  // Whether a pool of `other` is one that `holder` has alone, or below one. Values: exclusive.
  [[nodiscard]] bool meet(const std::map<Number, bool>& holder,
                          const std::map<Number, bool>& other) const;
  // The machine as it is now, as if it had been read so. `types`: in the order of the graph.
  [[nodiscard]] Machine now(const Interner& types) const;

 private:
  static constexpr Number kNone = UINT32_MAX;

  void mark(Number v, std::vector<bool>& marked) const;

  Machine machine_;
  std::vector<PoolId> pools_;  // by number
  std::vector<std::vector<Number>> children_;
  std::vector<Number> parents_;
};

}  // namespace copse::property
