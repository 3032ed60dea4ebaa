// SPDX-License-Identifier: Apache-2.0
//
// A policy: which of several pools that would do is preferred.
//
// A policy is a small value. It gives every pool a score, once, when the engine starts and when
// properties change; matching then walks pools in the order of their scores. So a policy written by
// you costs a match nothing, and is as fast as those that come with the library.
//
//   copse::Policy coolest{.name = "coolest", .prefer_high = false, .score = my_score};
//
// Scores must be at least 1 to count: a pool with a score of 0 or less is never chosen. A slot
// scores 1 plus the sum of what it takes. Pools of equal score are taken in the order of the graph.
// examples/policies has one to start from.
//
// Between the bundled policies there is room: words put one together from high or low and three
// switches, as Fluxion's resource-query takes them for -P:
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

  // The score of a pool; null: its id + 2. Called once a pool; may read properties.
  Score (*score)(const ResourceGraph&, PoolId) = nullptr;
  // What every pool strictly below a pool of type `node` gets on top; null: nothing.
  Score (*below_node)(const ResourceGraph&, PoolId node) = nullptr;

  bool whole_nodes = false;  // a node that is touched is taken whole, with everything in it
  // Explore in the order of weights (most free first, untouched before all) and stop as soon as
  // enough is found, instead of looking for the best: Fluxion's `first`.
  bool first_found = false;
  // Compare, where the whole request comes together, the run of consecutive scores that each
  // candidate is part of: Fluxion's `locality`.
  bool by_runs = false;
  // What a slot takes is taken in the reverse order of preference; slots themselves are compared in
  // order. All slots of a pool are formed then: O(children). Fluxion's `variation`.
  bool slots_reversed = false;
  // Requests are looked for on few nodes first, those in use before idle ones: `compact`. The
  // nodes are chosen before the walk (match/simple/node_choice.hpp). O(nodes) a match.
  bool few_nodes = false;
  // With few_nodes: of the nodes that have room, those with most free first (worst fit), as Flux's
  // sched-simple has it.
  bool most_free_first = false;
};

// low, high, lonode, hinode, lonodex, hinodex, first, firstnodex, locality, variation; compact.
[[nodiscard]] std::span<const Policy> bundled_policies();

// A policy from words `key=value`, separated by blanks, in any order, each key once:
//   policy=high|low           highest or lowest scores first; the one word that must be there
//   node_centric=true|false   nodes count before what is in them: lonode, hinode
//   node_exclusive=true|false nodes are taken whole
//   stop_on_1_matches=true|false  (or set_stop_on_1_matches) first_found
// Its name is the text. Errors: invalid, naming the first bad word. O(length of the text).
[[nodiscard]] Result<Policy> parse_policy(std::string_view words);

// The policy of that name, of `own` first, then of those bundled; a text with a "=" that is no name
// goes to parse_policy(). Errors: not_found, and those of parse_policy().
[[nodiscard]] Result<Policy> find_policy(std::string_view name, std::span<const Policy> own = {});

}  // namespace copse
