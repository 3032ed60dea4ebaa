// SPDX-License-Identifier: Apache-2.0
//
// LoopAwareTraverser: the walk that may visit a subtree more than once. It handles requests whose
// siblings compete for the same pools, which the simple walk refuses, by searching for an
// assignment of pools to all of them.
//
// A request is placed at a time if each of its lists is placed: the top level, and below each
// chosen pool the `with` of its vertex. A list is placed at a pool u by choosing pools for each of
// its vertices such that
//   * a vertex has children of u of its type (at the top level any pools with an open path to the
//       root) whose sizes sum to at least the minimum of its count; each is usable, free as the
//     request demands, of a score above 0, and has its own list placed below it;
//   * a slot is formed as often as the minimum of its count: at u, if u has children of all types
//     that the slot lists, else at the highest pools below u that have them. Its contents are children
//     of the pool where it is formed, and exclusive, as is everything below an exclusive pool;
//   * all pools chosen for one list differ, and none lies below another.
// So pools chosen for one list are in disjoint subtrees, and whether a pool fits a vertex does not
// depend on the pools of its siblings. ListPlacer places a list. Then counts that are ranges are
// raised, list by list from the top (CountGrowth), in the policy's order, to the largest number of
// the range for which enough is left; all slots of one vertex get the same counts.
//
// Some lists take exponential time at worst. Every visit of a pool counts against a budget, so that
// a select ends, and ends with the same answer every time. If the budget is used up, the outcome is
// `limit_reached`: it is unknown whether there is a selection.
//
// Policies: pools are tried in the policy's order (`first`: the latest created first), and the
// first placement that is found is used; placements are not compared by total score.
//
// Cost: select, unit sizes, no nesting: O(pools of the requested types) visits. Invariant: writes
// nothing but its own memory (and lists that show what is free). Thread safety: none.
#pragma once

#include "match/loop_aware/list_placer.hpp"
#include "match/shared/selection_builder.hpp"

namespace copse {

class LoopAwareTraverser {
 public:
  enum class Outcome : std::uint8_t { yes, no, limit_reached };
  struct Answer {
    Outcome outcome = Outcome::no;
    std::uint64_t visits = 0;  // pools visited
    std::int64_t slots = 0;    // slots formed
  };

  LoopAwareTraverser(const ResourceGraph& graph, State& state, const Policy& policy)
      : placer_(graph, state, policy) {}

  // Whether a search may find a selection that the simple walk does not. O(vertices of the
  // request).
  [[nodiscard]] bool may_help(const CompiledRequest& request) const;

  // As SimpleTraverser::select, with at most `visits_max` visits of pools to find a placement, and
  // twice as many to raise its counts and to record it.
  [[nodiscard]] Answer select(const CompiledRequest& request, StateView view, std::int64_t start,
                              std::int64_t end, std::uint64_t visits_max, Selection& out);
  // As SimpleTraverser::set_availability; it only checks eligibility and takes nothing.
  void set_availability(Availability* availability) {
    placer_.eligibility().availability = availability;
  }
  [[nodiscard]] const ChargedPools& charged() const {
    return charged_;
  }  // the chosen pools with charges

 private:
  void grow(const ListAt& list, std::size_t first, std::uint64_t visits_max);
  void place_below(std::uint64_t growth_max);
  void count_slots(std::size_t first);
  void write(Selection& out);

  ListPlacer placer_;
  SelectionBuilder picked_;
  ChargedPools charged_;
  std::int64_t slots_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slot_copies_;  // (slot, copy) of one list
};

}  // namespace copse
