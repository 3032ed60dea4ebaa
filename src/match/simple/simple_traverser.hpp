// SPDX-License-Identifier: Apache-2.0
//
// SimpleTraverser: the simple walk. It finds what a request gets at one time; the engine decides at
// which times to ask and writes down what was found.
//
// The answer is that of Fluxion's exhaustive depth-first walk (boards of groups, whole groups in
// order of score), at the cost of the answer: candidates are visited in order of preference and the
// walk stops where nothing further can be chosen. What makes that safe:
//   * the score of a pool is known before it is visited; only that of a slot is not;
//   * children of a matched pool, and vertices of a wanted type at the top level, are visited best
//     first until the most that their count can ask for is covered;
//   * slots formed at different pools are compared by score: pools are visited in the order of a
//     bound on it, until no bound can beat the worst slot still needed;
//   * `locality` looks at every candidate of the top level; `first` explores in its own order and
//     stops by its own rule, which recorded sessions pin.
// If the policy wants few nodes, NodeChoice chooses them first, and the walk is kept to these; if it
// finds nothing there, it goes over all.
// Its parts: TopLevel (anywhere), PassThrough (levels that are not named), ChildSearch (below a
// matched pool), CandidateVisitor (one pool), SlotFormer. Requests with alternatives need the
// FlexibleTraverser; of a request with variants the first wins that gets something.
// Numbers of what is free (candidate lists, rows, planners) may only exclude a candidate.
//
// Invariants: the traverser writes nothing but its arenas and caches; a failed select leaves no
// trace. Thread safety: none.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "copse/selection.hpp"
#include "match/compile/compiled.hpp"
#include "match/flexible/flexible_traverser.hpp"
#include "match/shared/pool_shapes.hpp"
#include "match/shared/selection_builder.hpp"
#include "match/shared/walk_result.hpp"
#include "match/simple/candidate_visitor.hpp"
#include "match/simple/child_search.hpp"
#include "match/simple/node_choice.hpp"
#include "match/simple/pass_through.hpp"
#include "match/simple/simple_walk.hpp"
#include "match/simple/slot_former.hpp"
#include "match/simple/top_level.hpp"

namespace copse {

class SimpleTraverser {
 public:
  // `exhaustive`: every request is served by the FlexibleTraverser.
  SimpleTraverser(const ResourceGraph& graph, State& state, const Policy& policy,
                  const PruneFilters& filters, bool flexible_only = false);
  // The same for copies of graph, state and filters: scores and the exploration order are shared,
  // lists and frontiers made again on use. O(shapes).
  SimpleTraverser(const ResourceGraph& graph, State& state, const PruneFilters& filters,
                  const SimpleTraverser& other);

  // Finds what the request gets over [start, end). If nothing, `out` is empty.
  // REQUIRES that the request was compiled against this graph and is not impossible.
  [[nodiscard]] WalkResult select(const CompiledRequest& request, StateView view,
                                  std::int64_t start, std::int64_t end, Selection& out);

  // As FlexibleTraverser::may_select, after a select that found nothing where pools have several
  // parents, over the same time.
  [[nodiscard]] bool may_select(const CompiledRequest& request);

  // Later selects skip pools that `bounds` rules out at its last queried time; nullptr disables
  // this.
  void skip_closed(const StartBounds* bounds) { walk_.eligibility.bounds = bounds; }
  // Later selects draw from the offer; nullptr: they draw nothing. `taking`: pools take from it as
  // they are found, unless the policy compares more of them than it needs. Else they are only asked
  // whether they are eligible.
  void set_availability(Availability* availability, bool taking) {
    walk_.eligibility.availability = availability;
    walk_.taking = taking && !compares_all();
  }

  // The pools of a level's type that could be chosen for it by themselves, in order of preference.
  // `inside`: in a slot. O(pools).
  void candidates(const CompiledRequest& request, std::uint32_t level, bool inside, StateView view,
                  std::int64_t start, std::int64_t end, std::vector<PoolId>& out);
  // Puts pools in the policy's order of preference, as far as it is one of pools.
  void sort_by_preference(std::vector<PoolId>& pools) const {
    if (!walk_.policy.first_found) walk_.sort_by_preference(pools);
  }
  [[nodiscard]] bool some_shape_has(const CompiledRequest& request) const {
    return shapes_.some_has(request);
  }

  // After a match, committed or not: moves the exploration order of `first`.
  void explored(const Selection& selection, bool recorded) {
    if (walk_.policy.first_found) walk_.exploration.update(selection, recorded);
  }
  // After the graph changed, the state with it: caches take up what came. What went stays in them,
  // never open, until they are made again. O(what came × log n).
  void attached(const GraphChange& change);
  void removed(const GraphChange& change) { walk_.exploration.removed(change.parent); }
  [[nodiscard]] MultiParentPaths& paths() { return walk_.paths; }
  [[nodiscard]] Exploration& exploration() { return walk_.exploration; }
  [[nodiscard]] const Exploration& exploration() const { return walk_.exploration; }

  // Whether what the last select left is in order. O(what it found).
  [[nodiscard]] bool check() const { return walk_.arena.check(); }

 private:
  void select_one(const CompiledRequest& request, Selection& out);
  void select_on_few_nodes(Selection& out);
  void walk_everywhere(Selection& out);
  void forget_orders();
  [[nodiscard]] bool compares_all() const {
    return walk_.policy.by_runs || walk_.policy.slots_reversed;
  }

  SimpleWalk walk_;
  CandidateVisitor visitor_;
  ChildSearch children_;
  SlotFormer slots_;
  PassThrough passing_;
  TopLevel top_;
  FlexibleTraverser flexible_;
  PoolShapes shapes_;
  SelectionBuilder builder_;
  NodeChoice nodes_;
  const bool flexible_only_;
  std::uint64_t properties_version_;
};

}  // namespace copse
