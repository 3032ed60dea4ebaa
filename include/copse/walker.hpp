// SPDX-License-Identifier: Apache-2.0
//
// A walk over a ResourceGraph with a pruning and an evaluating filter (RFC 4). It has no state
// outside the call: filters may start another walk, in any subsystem.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

struct Visited {
  PoolId pool;
  std::uint32_t depth = 0;  // edges from the start
  PoolId parent = kNoPool;  // through which it was reached; kNoPool: the start
};

// Visits `start` and the pools below it in a subsystem, each once, children in edge order.
// prune(const Visited&) → bool is called before the pools below. If it returns false, the pool is
// not evaluated, and nothing below it is visited. evaluate(const Visited&) is called after all
// pools below.
//
// The dominant subsystem is walked as the graph's tree, in which a pool has one parent, or, with
// Paths::all, by all of its edges. By those, as in other subsystems, a pool may have several
// parents, and is visited below the first one reached. REQUIRES that start and subsystem are of the graph.
// Cost: O(visits), in other subsystems O(visits + edges · log edges). Memory: 12 bytes per pool on
// the way and its siblings, in other subsystems O(visits). No recursion.
enum class Paths : std::uint8_t { tree, all };
template <class Prune, class Evaluate>
void walk(const ResourceGraph& graph, PoolId start, SubsystemId subsystem, Prune prune,
          Evaluate evaluate, Paths paths = Paths::tree) {
  struct Step {
    Visited at;
    bool entered = false;
  };
  std::vector<Step> todo{{{start}}};  // a stack
  std::unordered_set<std::uint32_t> met;
  const bool in_tree =
      subsystem == graph.dominant() && (paths == Paths::tree || !graph.has_further_edges());
  std::vector<PoolId> all;
  auto add = [&](std::span<const PoolId> children, const Visited& up) {
    for (std::size_t i = children.size(); i-- > 0;) {
      todo.push_back({{children[i], up.depth + 1, up.pool}});
    }
  };
  while (!todo.empty()) {
    const Visited at = todo.back().at;
    if (std::exchange(todo.back().entered, true)) {
      todo.pop_back();
      evaluate(at);
      continue;
    }
    if ((!in_tree && !met.insert(at.pool.v).second) || !prune(at)) {
      todo.pop_back();
      continue;
    }
    if (in_tree) {
      add(graph.children(at.pool), at);
    } else if (subsystem == graph.dominant()) {
      all.clear();
      graph.append_children(at.pool, all);
      add(all, at);
    } else {
      add(graph.children(at.pool, subsystem), at);
    }
  }
}

}  // namespace copse
