// SPDX-License-Identifier: Apache-2.0
//
// FlexibleTraverser: the walk of -T flexible, which visits all candidates. It is depth first: each
// pool reports to its parent, as groups on a board, what it can give; a matched pool chooses from
// its board what it must have, and the root what the request needs. It is Fluxion's walk in
// Fluxion's order, so it handles what the SimpleTraverser cannot: alternative slots, where the
// slots at a pool depend on everything the pool has, and pools with several paths from the root,
// where the first path counts.
//
// A board is a range of the arena's groups, in order of discovery: for each child what it passed
// up, then the child itself. A pool where slots are formed or groups are chosen replaces its range
// by the result. Subtrees without anything that is requested, by their totals and by the amounts in
// use, are skipped; pools outside them are visited once each.
//
// Invariants: writes nothing but its arenas, and lists of the exploration; a failed select leaves
// no trace. Recursion is as deep as the graph, at most kDepthMax.
//
// A visiting policy (copse/policy/visit.hpp) is called for each matched pool, for each slot and at the end. Then
// its scores count, and groups that it picked are taken first.
//
// Cost: O(pools that may have something requested below), and sorting the groups of each type on
// each board. Nothing is allocated once the arenas are large enough.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "copse/selection.hpp"
#include "match/compile/compiled.hpp"
#include "match/flexible/or_slots.hpp"
#include "match/shared/choice_arena.hpp"
#include "match/shared/eligibility.hpp"
#include "match/shared/first_exploration.hpp"
#include "match/shared/multi_parent_paths.hpp"
#include "match/shared/selection_builder.hpp"
#include "match/shared/slot_packer.hpp"
#include "match/shared/walk_result.hpp"
#include "match/visiting/policy_visits.hpp"
#include "state/exploration.hpp"
#include "state/state.hpp"

namespace copse {

class FlexibleTraverser {
 public:
  static constexpr std::uint32_t kDepthMax = 1024;
  static constexpr std::uint64_t kRevisitsMax = 1'000'000;

  FlexibleTraverser(const Eligibility& eligibility, State& state, const Policy& policy,
                    Exploration& exploration);

  // Finds the pools for the query; if there are none, `out` is empty. Adds to the result. With
  // several parents a failure is not a proof: a pool that was visited below one parent is not
  // visited for the other.
  void select(Selection& out, WalkResult& result);
  // Whether the request might succeed if pools were visited in another order: a walk that visits
  // each pool for all of its parents finds something, or is too long. Fixed counts only. O(paths),
  // at most kRevisitsMax.
  [[nodiscard]] bool may_select() {
    WalkResult result;
    return walk(Again::always, result).has_value() || result.visits >= kRevisitsMax;
  }

  void set_visit_sources(const VisitSources* sources) { visits_.set_sources(sources); }

  // Whether the arena is consistent after the last select. O(its size).
  [[nodiscard]] bool check() const { return arena_.check(); }

 private:
  // When a pool with several parents is visited for a further parent.
  enum class Again : std::uint8_t {
    never,    // the first visit counts, as in the reference
    in_vain,  // if the previous visit found nothing
    always,   // always; units may be counted twice
  };
  // The query to a pool.
  struct Query {
    std::uint32_t list;   // of the request
    bool pristine;        // no vertex is matched above: any pool may be skipped
    bool slots_only;      // skipped below a match, on the path to a slot
    bool exclusive;       // pools that are found are taken exclusively
    Score term;           // added to the scores
    std::uint32_t depth;  // edges to the root
    PoolId way;           // the parent through which it was reached, if not the one in the tree
  };

  [[nodiscard]] const Siblings& list(std::uint32_t number) const {
    return eligibility_.request->lists[number];
  }
  [[nodiscard]] std::span<const Level> levels(const Siblings& siblings) const {
    return std::span(eligibility_.request->levels).subspan(siblings.first, siblings.count);
  }
  [[nodiscard]] std::uint32_t number(const Level& level) const {
    return static_cast<std::uint32_t>(&level - eligibility_.request->levels.data());
  }

  // The beginning of the choice for the top level in the arena's chosen items, at whose end it is;
  // nullopt: nothing is found.
  std::optional<std::size_t> walk(Again again, WalkResult& result);

  // --- One pool
  void visit(PoolId u, const Query& query);
  void visit_open(PoolId u, const Query& query);
  void enter(PoolId u, const Query& query);
  void visit_match(PoolId u, const Query& query, const Level& level);
  bool choose_below(PoolId u, const Query& query, const Level& level, bool exclusive,
                    ChoiceItem& item, Score& score);
  void pass_through(PoolId u, const Query& query);
  [[nodiscard]] Score visited(PoolId u, const Query& query, const Level& level, std::size_t first);
  [[nodiscard]] bool agrees(PoolId u, const Level& level, bool exclusive);
  [[nodiscard]] const Level* match(PoolId u, const Query& query) const;
  [[nodiscard]] bool slot_resolves(PoolId u, const Siblings& siblings) const;
  [[nodiscard]] bool slot_possible(PoolId u, const Siblings& siblings) const;
  [[nodiscard]] bool may_hold(PoolId u, const Query& query) const;
  // The totals of a pool are those of the tree: if there are further edges below, they are no bound.
  [[nodiscard]] bool has_free(PoolId u, const std::vector<Need>& needs) const {
    return (paths_ != nullptr && graph_.further_below(u)) || eligibility_.has_free(u, needs);
  }
  [[nodiscard]] bool leaf(PoolId u) const {
    return graph_.leaf(u) && (paths_ == nullptr || graph_.further_children(u).empty());
  }

  // --- Children
  void explore(PoolId u, const Query& below, std::int64_t shares);
  void explore_further(PoolId u, const Query& below);
  void visit_child(PoolId u, PoolId v, Query below);
  [[nodiscard]] bool wanted(TypeId type, const Query& below) const;

  // --- From groups to slots and to what is taken
  void order_type(TypeId type, std::size_t first, bool top);
  bool choose(const Siblings& siblings, std::size_t first, bool top);
  void form(PoolId u, const Query& query, const Siblings& siblings);
  void form_slots(PoolId u, const Siblings& siblings, const ChoiceArena::Marks& m);
  bool form_slot(PoolId u, const Level& slot);
  void list_alternatives(const Siblings& siblings);
  void form_alternatives(PoolId u, const Siblings& siblings);

  const Eligibility& eligibility_;
  const ResourceGraph& graph_;
  const Policy& policy_;

  // State of the current select
  WalkResult* result_ = nullptr;
  ChoiceArena arena_;
  ListSearch lists_;
  FirstExploration first_;
  std::vector<PoolId> pools_;  // stack of children
  PolicyVisits visits_;        // used if the policy has them
  SelectionBuilder builder_;
  MultiParentPaths* const paths_;  // of the query; nullptr: no pool has several parents
  SelectionBuilder::Moved moved_;  // pools entered through an edge outside the tree, and its parent
  std::vector<PoolId> entered_;    // with paths_, in this order
  Again again_ = Again::never;
  bool met_again_ = false;  // a pool was skipped because it had been visited

  // Scratch of forming slots and choosing, which never nest
  std::vector<std::uint32_t> order_;  // groups of a type, in order of preference
  SlotPacker packer_;
  std::vector<std::int64_t> sizes_;         // of groups
  std::vector<const Level*> alternatives_;  // slots that may be formed
  OrSlots or_slots_;
};

}  // namespace copse
