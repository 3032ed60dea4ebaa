// SPDX-License-Identifier: Apache-2.0
//
// GrowthLedger: resources that were attached while changes were planned, with
// EngineOptions::growth_waits. They are ignored for future starts until the last of these changes.
//
// Fluxion's planners raise what a pool has at the first of their times only, not at those further
// on that are known when the machine grows. A recorded session pins what follows from it: a job
// that needs what came waits until the last of them.
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

// Pools that came, their units, and the changes that were planned when they did and still are.
// From the first of these to the last the pools do not count.
struct Growth {
  std::vector<PoolId> pools;
  std::vector<TypeTotal> units;
  std::deque<std::int64_t> changes;
};

class GrowthLedger {
 public:
  // The entry of what is going to be attached, without its pools; nothing if no change is planned.
  [[nodiscard]] static std::optional<Growth> entry_of(const ResourceGraph& graph,
                                                      const State& state,
                                                      const NewSubtree& subtree);
  void add(Growth growth) { entries_.push_back(std::move(growth)); }
  // Forgets pools that are going to be removed.
  void forget_pools(const ResourceGraph& graph, const PoolMarks& gone);
  // Forgets changes that are no longer planned: after grants were taken back, or the clock moved.
  void forget_changes(const ResourceGraph& graph, const State& state);
  void renumber(const std::vector<PoolId>& to);  // `to`: by pool number as it was
  // Whether the request's totals fit over [start, end) without what does not count yet.
  [[nodiscard]] bool counts(const ResourceGraph& graph, const State& state,
                            const CompiledRequest& request, std::int64_t start,
                            std::int64_t end) const;
  [[nodiscard]] std::span<const Growth> entries() const { return entries_; }

 private:
  std::vector<Growth> entries_;
};

}  // namespace copse
