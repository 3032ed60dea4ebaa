// SPDX-License-Identifier: Apache-2.0
//
// SimpleWalk: the data that the parts of the simple walk share during one select: the query, the
// arena, and the amounts taken so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "match/shared/choice_arena.hpp"
#include "match/shared/eligibility.hpp"
#include "match/shared/first_exploration.hpp"
#include "match/shared/list_search.hpp"
#include "match/shared/scores.hpp"
#include "match/shared/walk_result.hpp"
#include "state/exploration.hpp"
#include "state/state.hpp"

namespace copse {

struct SimpleWalk {
  SimpleWalk(const ResourceGraph& on, State& with, const Policy& by, const PruneFilters& filters)
      : graph(on),
        state(with),
        policy(by),
        scores(on, policy),
        exploration(on, with, filters),
        paths(on),
        eligibility{on, with, scores, on.find_type("node"), paths.any() ? &paths : nullptr},
        lists(eligibility, with),
        first(eligibility, exploration, lists, arena) {}
  // For copies of graph, state and filters: scores and the exploration order are shared.
  SimpleWalk(const ResourceGraph& on, State& with, const PruneFilters& filters,
             const SimpleWalk& other)
      : graph(on),
        state(with),
        policy(other.policy),
        scores(on, policy, other.scores),
        exploration(on, with, filters, other.exploration),
        paths(on),
        eligibility{on, with, scores, other.eligibility.node, paths.any() ? &paths : nullptr},
        lists(eligibility, with),
        first(eligibility, exploration, lists, arena) {}
  SimpleWalk(const SimpleWalk&) = delete;
  SimpleWalk& operator=(const SimpleWalk&) = delete;

  const ResourceGraph& graph;
  State& state;
  const Policy policy;
  Scores scores;
  Exploration exploration;

  MultiParentPaths paths;
  Eligibility eligibility;
  bool taking = false;  // take amounts as pools are found
  ChoiceArena arena;
  ListSearch lists;
  FirstExploration first;
  WalkResult result;

  struct Marks {
    ChoiceArena::Marks arena;
    std::size_t taken;
  };
  void begin() {
    arena.groups.clear();
    arena.items.clear();
    arena.chosen.clear();
    lists.clear();
    first.clear();
  }
  [[nodiscard]] Marks marks() const {
    return {arena.marks(),
            eligibility.availability == nullptr ? 0 : eligibility.availability->mark()};
  }
  void rewind(const Marks& m) {
    arena.rewind(m.arena);
    if (eligibility.availability != nullptr) eligibility.availability->undo_to(m.taken);
  }
  [[nodiscard]] const Level& level(std::uint32_t number) const {
    return eligibility.request->levels[number];
  }
  // The score of a pool with the term of the node above it.
  [[nodiscard]] Score full_score(PoolId p) const {
    return scores.own(p) + eligibility.enclosing_term(p);
  }
  // Puts pools in the policy's order of preference.
  void sort_by_preference(std::vector<PoolId>& pools) const {
    std::stable_sort(pools.begin(), pools.end(), [&](PoolId a, PoolId b) {
      return scores.better(full_score(a), full_score(b));
    });
  }
  // Puts groups of [from, to) in order of preference; equal scores keep the order of discovery.
  void sort_groups(std::size_t from, std::size_t to) {
    const auto begin = arena.groups.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = arena.groups.begin() + static_cast<std::ptrdiff_t>(to);
    auto better = [&](const ChoiceGroup& a, const ChoiceGroup& b) {
      return scores.better(a.score, b.score);
    };
    if (!std::is_sorted(begin, end, better)) std::stable_sort(begin, end, better);
  }
};

}  // namespace copse
