// SPDX-License-Identifier: Apache-2.0
//
// SimpleTraverser: the simple walk, a single pass. It finds the pools for a request over one
// window; StartSearch decides which windows to try, and the engine records the result.
//
// The answer is that of Fluxion's exhaustive depth-first walk (boards of groups, whole groups in
// order of score), but the cost depends on the size of the answer: candidates are visited in order
// of preference, and the walk stops when nothing further can be chosen. This is correct because:
//   * the score of a pool is known before it is visited; only that of a slot is not;
//   * children of a matched pool, and vertices of a wanted type at the top level, are visited best
//     first until their maximum count is covered;
//   * slots formed at different pools are compared by score: pools are visited in the order of a
//     bound on it, until no bound can beat the worst slot still needed;
//   * `locality` visits every candidate of the top level; `first` explores in its own order and
//     stops by its own rule, which recorded sessions pin.
// If the policy wants few racks or nodes, RackChoice chooses nodes first (NodeChoice, for those with
// most free), and the walk is restricted to these; if it finds nothing there, it uses all. Its parts: TopLevel (anywhere), PassThrough
// (levels that are not named), ChildSearch (below a matched pool), CandidateVisitor (one pool),
// SlotFormer. Requests with alternatives need the FlexibleTraverser; of a request with variants the
// first one that succeeds is used. Free amounts (candidate lists, rows, planners) may only exclude
// a candidate.
//
// Invariants: the traverser writes nothing but its arenas and caches; a failed select leaves no
// trace. Thread safety: none.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "copse/selection.hpp"
#include "match/compile/learned_request.hpp"
#include "match/few_racks/rack_choice.hpp"
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
  // `flexible_only`: every request is served by the FlexibleTraverser.
  SimpleTraverser(const ResourceGraph& graph, State& state, const Policy& policy,
                  const PruneFilters& filters, bool flexible_only = false);
  // The same for copies of graph, state and filters: scores and the exploration order are shared,
  // lists and frontiers are rebuilt on use. O(shapes).
  SimpleTraverser(const ResourceGraph& graph, State& state, const PruneFilters& filters,
                  const SimpleTraverser& other);

  // Finds pools for the request over [start, end). If there are none, `out` is empty.
  // REQUIRES that the request was compiled against this graph and is not impossible.
  [[nodiscard]] WalkResult select(LearnedRequest& request, StateView view, std::int64_t start,
                                  std::int64_t end, Selection& out);

  // As FlexibleTraverser::may_select. To be called after a select over the same window that found
  // nothing, if pools have several parents.
  [[nodiscard]] bool may_select(const CompiledRequest& request);

  // Later selects skip pools that `bounds` rules out at its last queried time; nullptr disables
  // this.
  void skip_closed(const StartBounds* bounds) { walk_.eligibility.bounds = bounds; }
  // Sets the availability of layers and channels for later selects; nullptr: no charges. `taking`:
  // pools take amounts as they are found, unless the policy compares more pools than it needs. Else
  // their eligibility is only checked.
  void set_availability(Availability* availability, bool taking) {
    walk_.eligibility.availability = availability;
    walk_.taking = taking && !compares_all();
  }

  // What visiting policies may ask about; nullptr: nothing.
  void set_visit_sources(const VisitSources* sources) { flexible_.set_visit_sources(sources); }

  // The pools of a level's type that could each be chosen for it alone, in order of preference.
  // `inside`: in a slot. O(pools).
  void candidates(const CompiledRequest& request, std::uint32_t level, bool inside, StateView view,
                  std::int64_t start, std::int64_t end, std::vector<PoolId>& out);
  // Puts pools in the policy's order of preference, if it is an order of pools.
  void sort_by_preference(std::vector<PoolId>& pools) const {
    if (!walk_.policy.first_found) walk_.sort_by_preference(pools);
  }
  [[nodiscard]] bool some_shape_has(const CompiledRequest& request) const {
    return shapes_.some_has(request);
  }

  // Which pools the request may have over a window, without layers and channels. Valid until the next
  // select.
  [[nodiscard]] const Eligibility& eligibility(const CompiledRequest& request, StateView view,
                                               std::int64_t start, std::int64_t end) {
    walk_.eligibility.set_query(request, view, start, end);
    return walk_.eligibility;
  }

  // After a match, granted or not: updates the exploration order of `first`.
  void explored(const Selection& selection, bool recorded) {
    if (walk_.policy.first_found) walk_.exploration.update(selection, recorded);
  }
  // After the graph and the state changed: adds attached pools to caches. Removed pools stay in
  // them, never open, until the caches are rebuilt. O(attached pools × log n).
  void attached(const GraphChange& change);
  void removed(const GraphChange& change) { walk_.exploration.removed(change.parent); }
  [[nodiscard]] MultiParentPaths& paths() { return walk_.paths; }
  [[nodiscard]] Exploration& exploration() { return walk_.exploration; }
  [[nodiscard]] const Exploration& exploration() const { return walk_.exploration; }

  // Whether the arena is consistent after the last select. O(its size).
  [[nodiscard]] bool check() const { return walk_.arena.check(); }

 private:
  void select_one(const CompiledRequest& request, LearnedPlaces& places, Selection& out);
  void select_on_few_nodes(Selection& out);
  bool select_on(const ChosenNodes* chosen, Selection& out);
  void walk_everywhere(Selection& out);
  void forget_orders();
  [[nodiscard]] bool compares_all() const {
    return walk_.policy.by_runs || walk_.policy.slots_reversed || walk_.policy.visit != nullptr;
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
  RackChoice racks_;
  NodeChoice nodes_;
  const bool flexible_only_;
  std::uint64_t properties_version_;
};

}  // namespace copse
