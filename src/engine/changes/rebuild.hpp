// SPDX-License-Identifier: Apache-2.0
//
// Rebuilding a graph: if a subtree cannot be attached in place, and if most numbers belong to
// removed pools.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/parts.hpp"

namespace copse {

// Whether attaching brings a type to a pool on the path to the root that has none of it below.
// O(pools + depth × types).
[[nodiscard]] bool widens(const ResourceGraph& graph, PoolId parent,
                          std::span<const NewPool> pools);

// Engine parts for a graph without some pools and with others attached, without grants.
struct Rebuilt {
  std::unique_ptr<EngineParts> parts;
  std::vector<PoolId> to;  // by pool number of the old graph; kNoPool: removed
};
// Does not change `parts`: everything that can fail is done before.
// Errors: invalid, limit. O(machine).
[[nodiscard]] Result<Rebuilt> build_again(const EngineParts& parts,
                                          std::span<const NewSubtree> subtrees,
                                          const PoolMarks& without);
// Moves grants, status, clock and hierarchical resources to the new parts, which replace the old
// ones.
// REQUIRES that no grant has a removed pool. O(machine + grants).
void move_to(Rebuilt rebuilt, std::unique_ptr<EngineParts>& parts);
// build_again() and move_to().
[[nodiscard]] Result<void> rebuild(std::unique_ptr<EngineParts>& parts,
                                   std::span<const NewSubtree> subtrees);

}  // namespace copse
