// SPDX-License-Identifier: Apache-2.0
//
// Eligibility: whether one pool may serve one request over one time, and why not. Every walk and
// every explanation asks it. It reads graph, state and request, and writes nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/graph.hpp"
#include "hres/availability/availability.hpp"
#include "match/compile/compiled.hpp"
#include "match/shared/chosen_nodes.hpp"
#include "match/shared/multi_parent_paths.hpp"
#include "match/shared/scores.hpp"
#include "match/shared/start_bounds.hpp"
#include "state/state.hpp"

namespace copse {

// A chosen pool that draws something, and what.
struct ChargedPool {
  PoolId pool;
  std::uint32_t level;
  std::span<const ChannelNeed> needs;  // of the compiled request
};
using ChargedPools = std::vector<ChargedPool>;

enum class StateView : std::uint8_t {
  now,    // the state at this moment and on: candidate lists and rows are bounds
  later,  // the state at a later time: only planners and exclusive spans count
  empty,  // an empty machine, its health ignored (satisfiability)
};

// The first reason that keeps a pool from a request; none: it may be taken.
enum class Rejection : std::uint8_t {
  none,
  too_small,  // it has no units, or never as many as are needed
  excluded,   // by the constraint
  down,       // unusable
  allocated,  // by a job alone
  busy,       // a job touches it or something below it
  lacking,    // what is free of it is too little
  low_score,  // the policy never chooses it, or not this time
};

struct Eligibility {
  const ResourceGraph& graph;
  const State& state;
  const Scores& scores;
  TypeId node;  // the type `node` of the graph
  MultiParentPaths* paths =
      nullptr;  // of a graph where pools have several parents; none: the tree is all

  // The question: set before a walk.
  const CompiledRequest* request = nullptr;
  StateView view = StateView::now;
  std::int64_t start = 0, end = 0;
  Availability* availability =
      nullptr;                          // what supplies have over this time; none: nothing is drawn
  const ChosenNodes* nodes = nullptr;   // only on these; none: on all
  const StartBounds* bounds = nullptr;  // what is known of pools over this time; none: nothing

  // Sets the question but for the supply. O(1).
  void set_query(const CompiledRequest& of_request, StateView seen, std::int64_t from,
                 std::int64_t until) {
    request = &of_request;
    view = seen;
    start = from;
    end = until;
  }

  // What keeps a job from passing through u or beginning to take it, but for the supply: no units,
  // the constraint, its status, holds; jobs below it, if its type is taken whole. O(1).
  [[nodiscard]] Rejection rejection(PoolId u) const;
  [[nodiscard]] bool passable(PoolId u) const { return rejection(u) == Rejection::none; }
  // Passable; and if u is a node, the supply has what is asked for. O(layers over the node).
  [[nodiscard]] bool open(PoolId u) const {
    return passable(u) &&
           (availability == nullptr || graph.type(u) != node || availability->eligible(u));
  }
  // Whether no job touches u, itself or below. REQUIRES open(u).
  [[nodiscard]] bool idle(PoolId u) const {
    if (view == StateView::empty) return true;
    return (graph.leaf(u) || !state.touched(u, start, end)) &&
           (paths == nullptr || paths->idle(state, u, start, end));
  }
  // Whether nodes draw from layers, so that each is asked for.
  [[nodiscard]] bool layered() const { return availability != nullptr && availability->layered(); }
  // Whether u has, over the time asked for, at least these units free below it. O(needs).
  [[nodiscard]] bool has_free(PoolId u, const std::vector<Need>& needs) const;
  // Whether auxiliary subsystems have what u draws if it is chosen for a level. O(stops on its
  // way).
  [[nodiscard]] bool can_charge(PoolId u, const Level& level) const {
    if (availability == nullptr || level.charges.empty()) return true;
    const auto number = static_cast<std::uint32_t>(&level - request->levels.data());
    return availability->eligible(u, number, level.charges);
  }
  // Whether all pools strictly between u and `below`, and `below` itself, let a job through.
  [[nodiscard]] bool path_open(PoolId u, PoolId below) const;
  // Whether pools of p's type are taken with everything in them.
  [[nodiscard]] bool taken_whole(PoolId p) const { return request->takes_whole(graph.type(p)); }
  // Whether a slot can be formed at u: it has a child of every type that the slot lists.
  [[nodiscard]] bool resolves(PoolId u, const Level& slot) const;
  // Whether what the level asks for may be somewhere below u.
  [[nodiscard]] bool may_hold(PoolId u, const Level& level) const;
  // What is added to the score of u: the term of the node that u lies strictly below. O(depth).
  [[nodiscard]] Score enclosing_term(PoolId u) const;
  // What is added to the scores below u, if `term` is added to that of u.
  [[nodiscard]] Score term_below(PoolId u, Score term) const {
    return scores.node_centric() && graph.type(u) == node ? scores.below_node(u) : term;
  }
};

}  // namespace copse
