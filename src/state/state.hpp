// SPDX-License-Identifier: Apache-2.0
//
// State: the use and the status of a machine's pools over time. Only the engine writes it; matches
// read it.
//
// Exclusive use of a pool is a span in ExclusiveSpans, which covers everything below it: pools
// below have no span. Shared use, and units taken below, are amounts over time in the planner of
// each interior pool on the path: dimension 0 counts the jobs that use the pool or pools below it,
// the others are the units taken below it, by the types of its shape. Units of a divisible pool are
// in a planner of that pool (divided_pools.hpp), which never has an exclusive span. A *row* has the same amounts
// at present; candidate lists show it.
//
// Invariants
//   1. row(i)[k] equals the sum over grants that are active now. Below exclusive pools there are
//      rows, too (the exploration order of `first` needs them), but neither planners nor spans.
//   2. blocked(i) counts the strict ancestors of i that are allocated exclusively now, and those
//       that are not usable (one that is both counts twice).
//   3. A planner exists only while a span is in it; that of the root has every grant.
//   4. Candidate lists are updated with every change of an interior pool (watched_lists.hpp).
//   5. apply(s, start, end, g, +1) and then the same with -1 restore everything bit for bit.
//
// A copy for the same machine shares spans, rows and planners, by chunks (copy on write). It
// rebuilds candidate lists on use.
//
// Size: 4 bytes and a bit per pool; an interior pool 20 bytes and 8 for each type below it and one;
// shared use of a pool: see planner.hpp; exclusive use: see exclusive_spans.hpp. A copy: 2 bits per
// pool, 16 bytes for each 1,024 pools, 64 interior pools and 64 records of spans. apply: O(entries
// + for each interior entry its types and one planner update). Equal neighbours that are taken
// whole cost about 20 ns each (bench/engine_nodes_bench.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/shared_chunks.hpp"
#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "copse/shared.hpp"
#include "copse/status.hpp"
#include "state/divided_pools.hpp"
#include "state/exclusive_spans.hpp"
#include "state/pool_statuses.hpp"
#include "state/watched_lists.hpp"
#include "time/planner.hpp"

namespace copse {

// The use of consecutive interior pools, now and over time.
struct PoolsInUse {
  static constexpr std::uint32_t kPools = 64;
  struct Pool {
    std::uint32_t row = 0;  // index of its first cell
    std::uint32_t blocked = 0, later_spans = 0;
  };
  Pool pools[kPools];
  Shared<Planner> planner[kPools];
  std::vector<std::int64_t> cells;
};

class State {
 public:
  State(const ResourceGraph& graph, std::int64_t now);
  // The same state of another graph, which is a copy of other.graph().
  State(const ResourceGraph& graph, const State& other);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] const ResourceGraph& graph() const { return graph_; }
  [[nodiscard]] std::int64_t now() const { return now_; }

  // --- What a match reads
  [[nodiscard]] bool usable(PoolId p) const { return statuses_.usable(p); }
  [[nodiscard]] bool all_usable() const { return statuses_.all_usable(); }
  [[nodiscard]] bool allocated(PoolId p, std::int64_t start, std::int64_t end) const {
    return exclusive_spans_.allocated(p, start, end);
  }
  [[nodiscard]] const ExclusiveSpans& exclusive_spans() const { return exclusive_spans_; }
  // Usable and not allocated exclusively now, and so is every ancestor.
  [[nodiscard]] bool available_now(PoolId p) const;
  // Largest amount of dimension k in use at interior pool i over [start, end).
  [[nodiscard]] std::int64_t most_used(std::uint32_t i, std::uint32_t k, std::int64_t start,
                                       std::int64_t end) const {
    const PoolsInUse& use = use_of(i);
    const std::uint32_t at = i % PoolsInUse::kPools;
    const PoolsInUse::Pool& pool = use.pools[at];
    if (start == now_ && pool.later_spans == 0) return use.cells[pool.row + k];
    return use.planner[at] ? use.planner[at]->max_used(k, start, end) : 0;
  }
  [[nodiscard]] const DividedPools& divided() const { return divided_; }
  // Units of a divisible pool that no job has at any time of [start, end), if nothing above it is
  // allocated.
  [[nodiscard]] std::int64_t free_units(PoolId p, std::int64_t start, std::int64_t end) const {
    return graph_.size(p) - divided_.most_used(p, start, end);
  }
  // Whether some grant begins later.
  [[nodiscard]] bool has_later() const {
    if (graph_.leaf(graph_.root())) return false;
    const std::uint32_t root = graph_.interior(graph_.root());
    return use_of(root).pools[root % PoolsInUse::kPools].later_spans > 0;
  }
  // Whether a job uses p or a pool below it at some time of [start, end).
  [[nodiscard]] bool touched(PoolId p, std::int64_t start, std::int64_t end) const {
    if (exclusive_spans_.allocated(p, start, end)) return true;
    if (graph_.divisible(p)) return divided_.most_used(p, start, end) > 0;
    return !graph_.leaf(p) && most_used(graph_.interior(p), 0, start, end) > 0;
  }
  // Amounts in use now: jobs, then units by type of the shape.
  [[nodiscard]] std::span<const std::int64_t> row(std::uint32_t i) const {
    return {first_cell(i), graph_.shape_of_interior(i).totals.size() + 1};
  }
  [[nodiscard]] const Planner* planner(std::uint32_t i) const {
    return use_of(i).planner[i % PoolsInUse::kPools].get();
  }

  // --- Status
  [[nodiscard]] Status status(PoolId p) const { return statuses_.status(p); }
  // Of the pools that are not up.
  [[nodiscard]] const std::map<std::uint32_t, Status>& statuses() const {
    return statuses_.not_up();
  }
  void set_status(PoolId p, Status status);
  // Units of pools of a type that are usable with all their ancestors.
  [[nodiscard]] std::int64_t usable_units(TypeId type) const {
    return statuses_.usable_units(graph_, type);
  }

  // --- Grants. REQUIRES start < end, and that the selection is free over [start, end).
  void apply(const Selection& selection, std::int64_t start, std::int64_t end, std::uint32_t grant,
             int sign);

  // Moves the present. REQUIRES that no applied grant ends by then. Afterwards, call begin() for
  // each grant that starts by then, before anything else.
  void set_now(std::int64_t now) {
    now_ = now;
    exclusive_spans_.set_now(now);
  }
  // A grant that was applied for a later time becomes active.
  void begin(const Selection& selection, std::int64_t start, std::int64_t end, std::uint32_t grant);

  // --- Growing and shrinking, after the graph changed. REQUIRES that no applied grant has a pool
  // above the changed subtree exclusively, or any pool of a removed one; and that no grant is
  // applied if a pool gained types below it (GraphChange::widened). O(interior pools of the subtree
  // + depth).
  void grow(const GraphChange& change);
  void shrink(const GraphChange& change);

  // --- Candidate lists: caches of this state, not part of it.
  [[nodiscard]] WatchedLists& lists() { return lists_; }

  // Equal states have equal fingerprints: spans, planners, rows, blocked counts, status. `names`
  // has a name for each grant number, because numbers depend on the order of grants; empty: numbers
  // are used.
  [[nodiscard]] std::uint64_t fingerprint(std::span<const std::uint64_t> names = {}) const;
  [[nodiscard]] std::uint64_t bytes() const;
  // Invariants of the exclusive spans, statuses, divided pools and the chunks. O(pools + intervals).
  [[nodiscard]] bool check() const {
    return exclusive_spans_.check() && use_.check() && statuses_.check() && divided_.check(graph_);
  }

 private:
  struct Open;  // an interior entry of a selection while its descendants are applied
  struct Fold;

  [[nodiscard]] const PoolsInUse& use_of(std::uint32_t i) const {
    return use_[i / PoolsInUse::kPools];
  }
  [[nodiscard]] PoolsInUse& own_use_of(std::uint32_t i) { return use_.own(i / PoolsInUse::kPools); }
  [[nodiscard]] const std::int64_t* first_cell(std::uint32_t i) const {
    const PoolsInUse& use = use_of(i);
    return use.cells.data() + use.pools[i % PoolsInUse::kPools].row;
  }
  [[nodiscard]] std::int64_t* own_cells(std::uint32_t i) {
    PoolsInUse& use = own_use_of(i);
    return use.cells.data() + use.pools[i % PoolsInUse::kPools].row;
  }
  [[nodiscard]] std::uint32_t blocked(std::uint32_t i) const {
    return use_of(i).pools[i % PoolsInUse::kPools].blocked;
  }
  void add_row(std::uint32_t i);

  void apply_exclusive(std::span<const ExclusiveSpans::Range> ranges, const Fold& fold);
  void apply_exclusive(const ExclusiveSpans::Range& range, const Fold& fold) {
    apply_exclusive({&range, 1}, fold);
  }
  void apply_interior(PoolId p, std::span<const std::int64_t> amounts, bool planned, bool held,
                      const Fold& fold);
  void plan(std::uint32_t interior, std::span<const std::int64_t> amounts, const Fold& fold);
  void block_below(PoolId p, int sign);
  void refresh_path(PoolId from);

  const ResourceGraph& graph_;
  std::int64_t now_;
  ExclusiveSpans exclusive_spans_;
  DividedPools divided_;
  std::uint32_t interiors_;          // pools of use_
  SharedChunks<PoolsInUse, 1> use_;  // by interior number / kPools
  PoolStatuses statuses_;
  WatchedLists lists_;
  // Scratch of apply
  std::vector<std::int64_t> folded_;
  std::vector<std::uint32_t> interiors_alike_;
  std::vector<ExclusiveSpans::Range> ranges_alike_;
};

}  // namespace copse
