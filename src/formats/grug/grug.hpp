// SPDX-License-Identifier: Apache-2.0
//
// GRUG: generating a resource graph from a recipe.
//
// How a recipe becomes pools (numbers of pools are orders of creation, which become uniq_ids):
//   * The recipe is a forest. Its trees are walked depth-first in order of declaration, out-edges
//     likewise. Every edge makes or gathers all pools of its target before the walk goes below it.
//   * A root gets one pool with id 0, made with its first out-edge; a second root of the same
//     subsystem takes the existing pool.
//   * MULTIPLY makes multi_scale pools below every pool of the source (0 or less: none).
//   * ASSOCIATE_IN joins every pool of the source to every pool of the target's type made so far,
//     in any subsystem. ASSOCIATE_BY_PATH_IN does where the paths in as_tgt_subsystem are equal
//     once as_src_uplvl and as_tgt_uplvl names are taken off their ends; a path with no more names
//     than that becomes empty, and empty paths are equal. Paths are those before the edge.
//   * Ids: with id_scope < 0 none; with 0, id_start + i for the i-th pool below its parent (the
//     stride is not used); with n > 0, id_start + id_stride * k, where k counts on through the
//     pools of the n-th ancestor: the product of the multi_scale of the n MULTIPLY edges above the
//     edge.
//   * Ranks: pools of type `node` get 0, 1, 2, … as they are made.
//
// Cost: O(pools + edges); 8 bytes for each pool that an ASSOCIATE edge gathered, while its subtree
// is walked; 28 bytes for each pool of an as_tgt_subsystem, only if a recipe associates by path.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/grug/grug_recipe.hpp"
#include "graph/graph_builder.hpp"

namespace copse {

namespace grug {

// Adds the pools and edges of the recipe to the builder. After an error the builder has a part of them
// and must not be used.
// Errors, with the place in the recipe: invalid (no forest; no root, or a root without edges; edges
// that no root leads to; a type that is empty or, for an association, not made so far; a node's
// subsystem that is not its edge's; ids beyond ±2^53; a pool joined to itself), limit (the sentence
// has the bound; numbers of pools and edges are known before they are made).
[[nodiscard]] Result<void> generate(const Recipe& recipe, GraphBuilder& builder);

}  // namespace grug

// Parses and generates a recipe and builds its graph; `file` is only for messages.
// Errors: those of grug::parse_recipe(), grug::generate() and GraphBuilder::build().
[[nodiscard]] Result<ResourceGraph> read_grug(std::string_view text, std::string_view file = {},
                                              std::string_view dominant = "containment");

}  // namespace copse
