// SPDX-License-Identifier: Apache-2.0
//
// A recipe in the order in which it is generated, checked as a whole before any pool is made.
//
// Invariants of a plan:
//   1. the recipe is a forest, every edge of it is one step, and a step's source was made, gathered
//      or is a root by then;
//   2. the types that generate have a name, and no counted step exceeds kPoolsMax or kEdgesMax.
//
// Cost: O(vertices + edges of the recipe), whatever their scales are; no recursion.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "copse/error.hpp"
#include "formats/grug/grug_recipe.hpp"
#include "graph/graph_builder.hpp"

namespace copse::grug {

inline constexpr std::uint64_t kPoolsMax = GraphBuilder::Limits{}.pools_max;
inline constexpr std::uint64_t kEdgesMax = GraphBuilder::Limits{}.edges_max;

// One recipe edge's turn.
struct Step {
  std::uint32_t edge = 0;
  bool is_last_of_source = false;  // no later step has the same source
  bool target_has_edges = false;   // a later step has this step's target as its source
  // Product of the scales of the MULTIPLY edges that id_scope reaches over: ids of MULTIPLY repeat
  // after this many pools of the source. kForever if the product is larger than any graph.
  std::uint64_t period = 1;
};
inline constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

struct Plan {
  std::vector<Step> steps;
  // What the steps make together; edges of ASSOCIATE_BY_PATH_IN and what is below them are not
  // counted, as they depend on paths.
  std::uint64_t pools = 0;
  std::uint64_t edges = 0;
  bool associates = false;
  // Subsystems whose paths are compared, each once.
  std::vector<std::string_view> compared_subsystems;
};

// Checks the recipe as a whole and puts its edges in order. The plan refers to the recipe's texts.
[[nodiscard]] Result<Plan> make_plan(const Recipe& recipe);

// The sentences for a step that would make too much, also used once paths are known.
[[nodiscard]] std::string too_many_pools(const Recipe& recipe, const Edge& edge);
[[nodiscard]] std::string too_many_edges(const Recipe& recipe, const Edge& edge);

}  // namespace copse::grug
