// SPDX-License-Identifier: Apache-2.0
//
// Eligibility: whether a pool may be chosen for a request over a window, and why not. All walks and
// explanations use it. It reads graph, state and request, and writes nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "copse/graph.hpp"
#include "copse/ids.hpp"
#include "hres/availability/availability.hpp"
#include "match/compile/learned_request.hpp"
#include "match/shared/multi_parent_paths.hpp"
#include "match/shared/scores.hpp"
#include "match/shared/start_bounds.hpp"
#include "state/state.hpp"

namespace copse {

// ChosenNodes: a set of nodes to which a walk is restricted.
//
// Invariant: a pool is in the set exactly if it is listed. Size: a bit per pool of the machine.
class ChosenNodes {
 public:
  // Empties the set, for a machine with this many pools. O(size of the set), or O(pools) once.
  void clear(std::size_t pools) {
    for (PoolId p : listed_) chosen_[p.v] = false;
    listed_.clear();
    if (chosen_.size() < pools) chosen_.resize(pools);
  }
  void add(PoolId p) {
    chosen_[p.v] = true;
    listed_.push_back(p);
  }
  void sort() { std::sort(listed_.begin(), listed_.end()); }  // by number
  [[nodiscard]] bool has(PoolId p) const { return chosen_[p.v]; }
  [[nodiscard]] const std::vector<PoolId>& listed() const { return listed_; }

 private:
  std::vector<bool> chosen_;
  std::vector<PoolId> listed_;
};

// A chosen pool with charges to channels.
struct ChargedPool {
  PoolId pool;
  std::uint32_t level;
  std::span<const ChannelNeed> needs;  // of the compiled request
};
using ChargedPools = std::vector<ChargedPool>;

enum class StateView : std::uint8_t {
  now,    // from the present on: candidate lists and rows are bounds
  later,  // a later time: only planners and exclusive spans count
  empty,  // an empty machine, ignoring status (satisfiability)
};

// The first reason that excludes a pool; none: it may be taken.
enum class Rejection : std::uint8_t {
  none,
  too_small,  // it has no units, or never as many as needed
  excluded,   // by the constraint
  down,       // unusable
  allocated,  // exclusively, to a job
  busy,       // a job uses it or a pool below it
  lacking,    // too little of it is free
  low_score,  // the policy never chooses it, or not in this walk
};

struct Eligibility {
  const ResourceGraph& graph;
  const State& state;
  const Scores& scores;
  TypeId node;                        // the type `node` of the graph
  MultiParentPaths* paths = nullptr;  // set if pools have several parents

  // The query: set before a walk.
  const CompiledRequest* request = nullptr;
  LearnedPlaces* places = nullptr;  // of the request; nullptr: for walks that form no slots
  StateView view = StateView::now;
  std::int64_t start = 0, end = 0;
  Availability* availability =
      nullptr;  // of layers and channels over this window; nullptr: no charges
  const ChosenNodes* nodes = nullptr;   // only these; nullptr: all
  const StartBounds* bounds = nullptr;  // facts about pools over this window; nullptr: none
  const NearDomain* near = nullptr;     // in which slots are formed; nullptr: anywhere

  // Sets the query except for availability. O(1).
  void set_query(const CompiledRequest& of_request, StateView seen, std::int64_t from,
                 std::int64_t until) {
    request = &of_request;
    view = seen;
    start = from;
    end = until;
  }

  // Why a job may not pass through u or take from it, except for availability: no units, the
  // constraint, its status, exclusive spans; jobs below it, if its type is taken whole. O(1).
  [[nodiscard]] Rejection rejection(PoolId u) const;
  [[nodiscard]] bool passable(PoolId u) const { return rejection(u) == Rejection::none; }
  // Passable; and if u is a node, layers have enough. O(layers over the node).
  [[nodiscard]] bool open(PoolId u) const {
    return passable(u) &&
           (availability == nullptr || graph.type(u) != node || availability->eligible(u));
  }
  // Whether no job uses u or pools below it, or u is divisible: its free units count. REQUIRES
  // open(u).
  [[nodiscard]] bool idle(PoolId u) const {
    if (view == StateView::empty || graph.divisible(u)) return true;
    return (graph.leaf(u) || !state.touched(u, start, end)) &&
           (paths == nullptr || paths->idle(state, u, start, end));
  }
  // The units that u provides: its size or, of a divisible pool, what is free over the window.
  [[nodiscard]] std::int64_t units_of(PoolId u) const {
    if (view == StateView::empty || !graph.divisible(u)) return graph.size(u);
    return state.free_units(u, start, end);
  }
  // Whether nodes are charged to layers, so that each has to be checked.
  [[nodiscard]] bool layered() const { return availability != nullptr && availability->layered(); }
  // Whether u has at least these units free below it over the window. O(needs).
  [[nodiscard]] bool has_free(PoolId u, const std::vector<Need>& needs) const;
  // Whether auxiliary subsystems have enough for u if it is chosen for a level. O(pools on its
  // paths).
  [[nodiscard]] bool can_charge(PoolId u, const Level& level) const {
    if (availability == nullptr || level.charges.empty()) return true;
    const auto number = static_cast<std::uint32_t>(&level - request->levels.data());
    return availability->eligible(u, number, level.charges);
  }
  // Whether all pools strictly between u and `below`, and `below` itself, are open.
  [[nodiscard]] bool path_open(PoolId u, PoolId below) const;
  // Whether pools of p's type are taken whole.
  [[nodiscard]] bool taken_whole(PoolId p) const { return request->takes_whole(graph.type(p)); }
  // Whether the level may have u in the domain where slots are formed. O(log ranges).
  [[nodiscard]] bool is_near(PoolId u, const Level& level) const {
    return near == nullptr || level.near == nullptr || (near->*level.near).contains(graph.id(u));
  }
  // Whether a slot can be formed at u: it has a child of every type that the slot lists.
  [[nodiscard]] bool resolves(PoolId u, const Level& slot) const;
  // Whether the level's pools may be somewhere below u.
  [[nodiscard]] bool may_hold(PoolId u, const Level& level) const;
  // The term that is added to the score of u: that of the node strictly above u. O(depth).
  [[nodiscard]] Score enclosing_term(PoolId u) const;
  // The term that is added to the scores below u, if `term` is added to that of u.
  [[nodiscard]] Score term_below(PoolId u, Score term) const {
    return scores.node_centric() && graph.type(u) == node ? scores.below_node(u) : term;
  }
};

}  // namespace copse
