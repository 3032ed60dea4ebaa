// SPDX-License-Identifier: Apache-2.0
//
// GrowthLedger: resources that were attached while changes were planned (only with
// EngineOptions::growth_waits). They are ignored for future starts until the last of these changes.
//
// It also knows how many nodes the machine lost. Fluxion goes on counting removed nodes as up, so a
// request that may wait is found to be unsatisfiable only by a later test.
//
// Fluxion's planners raise the total of a pool at the first of their times only, not at later ones
// that are known when the machine grows. A recorded session pins the consequence: a job that needs
// the new pools waits until the last of these times.
//
// Cost: nothing while nothing grows; else O(entries × types) for each time a start is tried.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "copse/graph.hpp"
#include "engine/pool_index.hpp"
#include "match/compile/compiled.hpp"
#include "state/state.hpp"

namespace copse {

// Attached pools, their units, and the changes that were planned when they were attached and still
// are. The pools do not count from the first of these to the last.
struct Growth {
  std::vector<PoolId> pools;
  std::vector<TypeTotal> units;
  std::deque<std::int64_t> changes;
};

class GrowthLedger {
 public:
  // The entry for a subtree that will be attached, without its pools; nullopt if no change is
  // planned.
  [[nodiscard]] static std::optional<Growth> entry_of(const ResourceGraph& graph,
                                                      const State& state,
                                                      const NewSubtree& subtree);
  void add(Growth growth) { entries_.push_back(std::move(growth)); }
  // Forgets pools that are going to be removed.
  void forget_pools(const ResourceGraph& graph, const PoolMarks& gone);
  // Forgets changes that are no longer planned: after grants were removed, or the clock moved.
  void forget_changes(const ResourceGraph& graph, const State& state);
  void renumber(const std::vector<PoolId>& to);  // `to`: new numbers by old pool number
  // Whether the request's totals fit over [start, end) without the pools that do not count yet.
  [[nodiscard]] bool counts(const ResourceGraph& graph, const State& state,
                            const CompiledRequest& request, std::int64_t start,
                            std::int64_t end) const;
  [[nodiscard]] std::span<const Growth> entries() const { return entries_; }

  // The usable nodes that were removed, less those that were attached.
  [[nodiscard]] std::int64_t nodes_lost() const { return nodes_lost_; }
  void note_nodes(std::int64_t before, std::int64_t after);  // usable ones around one change
  void restore_nodes_lost(std::int64_t nodes) { nodes_lost_ = nodes; }

 private:
  std::vector<Growth> entries_;
  std::int64_t nodes_lost_ = 0;
};

}  // namespace copse
