// SPDX-License-Identifier: Apache-2.0
//
// LoopAwareTraverser: the walk that goes over a subtree more than once. It serves requests whose
// siblings want the same pools, which a simple walk must refuse, by searching for pools that all of
// them can have together.
//
// A request is placed at a time if every list of it is: the top level, and below each chosen pool
// the `with` of what it was chosen for. A list is placed at a pool u by choosing pools for each of
// its vertices such that
//   * a vertex has children of u of its type (at the top level any pools with an open way to the
//     root) whose sizes sum to at least the minimum of its count; each is usable, free as the
//     request demands, of a score above 0, and has its own list placed below it;
//   * a slot is formed as often as the minimum of its count: at u, if u has children of all types
//     that the slot lists, else at the highest pools below u that have. Its contents are children
//     of the pool where it is formed, and exclusive, as is everything below an exclusive pool;
//   * all pools chosen for one list differ, and none lies below another.
// So pools chosen for one list lie in disjoint subtrees, and whether a pool serves a vertex does
// not depend on what its siblings got. ListPlacer says how a list is placed. Counts that may grow
// then do, list by list from the top (CountGrowth), in the policy's order, to the largest number of
// the range that what is left allows; all slots of one vertex grow alike.
//
// Some lists take exponential time at worst. Every look at a pool counts against a budget, so that
// a select ends, and ends at the same answer every time. When the budget is used up the answer is
// `ended`: it is not known whether there is a selection.
//
// Policies: pools are tried in the policy's order (`first`: the youngest first), and the first
// placing that works is taken; no placing is preferred for its score as a whole.
//
// Cost: select, unit sizes, no nesting: O(pools of the types asked for) looks. Invariant: writes
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
    std::uint64_t visits = 0;  // looks at pools
  };

  LoopAwareTraverser(const ResourceGraph& graph, State& state, const Policy& policy)
      : placer_(graph, state, policy) {}

  // Whether a search may find what a simple walk does not. O(vertices of the request).
  [[nodiscard]] bool may_help(const CompiledRequest& request) const;

  // As SimpleTraverser::select, at the cost of at most `visits_max` looks at pools to find a placing, and
  // twice as many again to let its counts grow and to write it down.
  [[nodiscard]] Answer select(const CompiledRequest& request, StateView view, std::int64_t start,
                              std::int64_t end, std::uint64_t visits_max, Selection& out);
  // As SimpleTraverser::set_availability; pools are only asked whether they are eligible.
  void set_availability(Availability* availability) {
    placer_.eligibility().availability = availability;
  }
  [[nodiscard]] const ChargedPools& charged() const {
    return charged_;
  }  // as SimpleTraverser::drawn

 private:
  void grow(const ListAt& list, std::size_t first, std::uint64_t visits_max);
  void place_below(std::uint64_t growth_max);
  void write(Selection& out);

  ListPlacer placer_;
  SelectionBuilder picked_;
  ChargedPools charged_;
};

}  // namespace copse
