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
};

// low, high, lonode, hinode, lonodex, hinodex, first, firstnodex, locality.
[[nodiscard]] std::span<const Policy> bundled_policies();

// The policy of that name, of `own` first, then of those bundled. Errors: not_found.
[[nodiscard]] Result<Policy> find_policy(std::string_view name, std::span<const Policy> own = {});

}  // namespace copse
