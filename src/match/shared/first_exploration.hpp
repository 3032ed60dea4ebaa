// SPDX-License-Identifier: Apache-2.0
//
// FirstExploration: how the policy `first` visits the children of a pool on the path to the
// requested pools.
//
// Children are visited in the order of their weights (state/exploration.hpp). Each pool counts
// separately what its children report. A child does not know what its siblings found, and searches
// for the full count. So more than needed may be reported; the walk chooses the best of that.
//
// Invariants: explorations nest; each has its own counts and pools on the stacks.
// Cost: O(children log children), or through a watched list O(those visited).
#pragma once

#include <vector>

#include "match/shared/choice_arena.hpp"
#include "match/shared/eligibility.hpp"
#include "match/shared/list_search.hpp"
#include "state/exploration.hpp"

namespace copse {

class FirstExploration {
 public:
  // Levels [first, first + count) of the request are wanted.
  struct Wanted {
    std::uint32_t first, count;
    bool slots_only;      // only the slots among them
    bool passes;          // interior pools of other types may be passed
    std::int64_t shares;  // of each type, this many times the count is enough
  };

  FirstExploration(const Eligibility& eligibility, Exploration& order, ListSearch& lists,
                   const ChoiceArena& arena)
      : eligibility_(eligibility), order_(order), lists_(lists), arena_(arena) {}

  void clear() {
    counts_.clear();
    pools_.clear();
  }
  // visit(child) pushes groups, which are counted. Children of types with enough are skipped; when
  // every type has enough, all others are.
  template <class Visit>
  void run(PoolId u, const Wanted& wanted, Visit visit) {
    const std::size_t first_count = counts_.size();
    begin_counts(wanted);
    const std::size_t first_pool = pools_.size();
    auto child = [&](PoolId v) {
      if (enough_of(eligibility_.graph.type(v), first_count)) return false;
      const std::size_t before = arena_.groups.size();
      visit(v);
      return count(before, first_count);
    };
    if (listed(u, wanted)) {
      const Level& level = eligibility_.request->levels[wanted.first];
      const std::span<const Need> needs =
          wanted.count == 1 ? std::span<const Need>(level.needs) : std::span<const Need>();
      lists_.run(order_.list(u), WatchedList::kAvailable, needs, only_wanted(u, wanted), child);
    } else {
      push_children(u, wanted);
      const std::size_t end = pools_.size();
      for (std::size_t i = first_pool; i < end; ++i) {
        if (child(pools_[i])) break;
      }
      pools_.resize(first_pool);
    }
    counts_.resize(first_count);
  }

 private:
  struct TypeCount {
    TypeId type;
    ShareCount shares;
  };

  void begin_counts(const Wanted& wanted);
  [[nodiscard]] bool wants(TypeId type, const Wanted& wanted) const;
  [[nodiscard]] bool listed(PoolId u, const Wanted& wanted) const;
  [[nodiscard]] std::uint32_t only_wanted(PoolId u, const Wanted& wanted) const;
  [[nodiscard]] bool has_further(PoolId u) const {
    return eligibility_.graph.has_further_edges() &&
           !eligibility_.graph.further_children(u).empty();
  }
  [[nodiscard]] bool enough_of(TypeId type, std::size_t first_count) const;
  // Counts the groups from `before` on; true if every type has enough.
  bool count(std::size_t before, std::size_t first_count);
  void push_children(PoolId u, const Wanted& wanted);

  const Eligibility& eligibility_;
  Exploration& order_;
  ListSearch& lists_;
  const ChoiceArena& arena_;
  std::vector<TypeCount> counts_;  // stack
  std::vector<PoolId> pools_;      // stack
};

}  // namespace copse
