// SPDX-License-Identifier: Apache-2.0
//
// Machine: the generator's machine, from which both the engine and the oracle are built: a plain
// list of pools, numbered in order of creation, and the edges between them. It shares nothing with
// the engine's graph, so that defects of the builder are found as well.
//
// Invariants: `edges` is a tree over the pools that are not padding; names of pools of one parent
// may be equal; pools of type node have ranks 0, 1, 2, … in order of creation.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse::property {

struct MachinePool {
  std::string type;
  std::string basename;
  std::string unit;
  std::int64_t size = 1;
  std::int64_t id = 0;
  std::int32_t rank = -1;
  std::map<std::string, std::string> properties;

  [[nodiscard]] std::string name() const {
    return id == -1 ? basename : basename + std::to_string(id);
  }
};

// A pool that is attached: its parent is an earlier one of the list, or (UINT32_MAX) the pool to
// which the list is attached.
struct ComingPool {
  MachinePool pool;
  std::uint32_t parent = UINT32_MAX;
  bool down = false;
};

using Number = std::uint32_t;  // of a pool, in order of creation; its uniq_id in the graph

struct Machine {
  std::vector<MachinePool> pools;
  std::vector<std::pair<Number, Number>> edges;  // containment, in edge order
  std::vector<std::pair<Number, Number>> power;  // a second subsystem over the same pools
  Number root = 0;
  std::string prune_filters = "ALL:core,ALL:node";
  std::int64_t now = 0;
  std::int64_t horizon = 3'153'600'000;
  std::vector<std::string> types;   // interned first, in this order
  std::set<std::string> divisible;  // types of leaves
  std::string grug;  // the recipe that creates the same pools, if the machine is regular

  [[nodiscard]] std::vector<std::vector<Number>> children() const;  // by pool, in edge order
  [[nodiscard]] Result<ResourceGraph> build() const;
};

// A recipe of a regular machine: `count` pools below each pool of the recipe above.
struct Recipe {
  std::string type;
  std::int64_t count = 1;
  std::int64_t size = 1;
  std::int64_t id_scope = 0, id_start = 0, id_stride = 1;
  std::vector<Recipe> below;
};

// The pools that a recipe creates, in GRUG's order of creation, and its text. O(pools).
[[nodiscard]] Machine expand_recipe(const Recipe& root);
[[nodiscard]] std::string grug_text(const Recipe& root);

}  // namespace copse::property
