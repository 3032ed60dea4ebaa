// SPDX-License-Identifier: Apache-2.0
//
// A policy: the order of preference among suitable pools.
//
// A policy is a small value. It gives every pool a score when the engine starts and when properties
// change. Matching then visits pools in the order of their scores. So a custom policy is as fast as
// the bundled ones.
//
//   copse::Policy coolest{.name = "coolest", .prefer_high = false, .score = my_score};
//
// Scores must be at least 1 to count: a pool with a score of 0 or less is never chosen. A slot
// scores 1 plus the sum of the scores of its pools. Pools of equal score are taken in the order of
// the graph. examples/policies has a template.
//
// Other combinations are written as words: high or low and three switches, as for -P of Fluxion's
// resource-query:
//
//   policy=low node_centric=true node_exclusive=true        the same as lonodex
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse {

using Score = std::int64_t;

struct Policy {
  std::string name;
  std::string summary{};    // one line for --help
  bool prefer_high = true;  // take the highest score first; else the lowest

  // The score of a pool; null: its id + 2. Called once per pool; may read properties.
  Score (*score)(const ResourceGraph&, PoolId) = nullptr;
  // Added to the score of every pool strictly below this pool of type `node`; null: nothing.
  Score (*below_node)(const ResourceGraph&, PoolId node) = nullptr;

  bool whole_nodes = false;  // a node of which anything is taken is taken whole
  // Explore by weight (unused pools first, then those with most free), and stop as soon as enough
  // is found instead of searching for the best: Fluxion's `first`.
  bool first_found = false;
  // At the top level, compare the runs of consecutive scores that candidates belong to: Fluxion's
  // `locality`.
  bool by_runs = false;
  // Pools for a slot are taken in the reverse order of preference; slots are compared in order. All
  // slots of a pool are formed: O(children). Fluxion's `variation`.
  bool slots_reversed = false;
  // Use few nodes, and nodes in use before idle ones: `compact`. The nodes are chosen before the
  // walk (match/simple/node_choice.hpp). O(nodes) a match.
  bool few_nodes = false;
  // With few_nodes: of the nodes with room, those with most free first (worst fit), as Flux's
  // sched-simple.
  bool most_free_first = false;
};

// low, high, lonode, hinode, lonodex, hinodex, first, firstnodex, locality, variation; compact.
[[nodiscard]] std::span<const Policy> bundled_policies();

// A policy from words `key=value`, separated by blanks, in any order, each key once:
//   policy=high|low           highest or lowest scores first; required
//   node_centric=true|false   compare nodes before their contents: lonode, hinode
//   node_exclusive=true|false nodes are taken whole
//   stop_on_1_matches=true|false  first_found (also spelled set_stop_on_1_matches)
// Its name is the text. Errors: invalid, naming the first bad word. O(length of the text).
[[nodiscard]] Result<Policy> parse_policy(std::string_view words);

// The policy of that name, of `own` first, then of those bundled; an unknown name with a "=" is
// read by parse_policy(). Errors: not_found, and those of parse_policy().
[[nodiscard]] Result<Policy> find_policy(std::string_view name, std::span<const Policy> own = {});

}  // namespace copse
