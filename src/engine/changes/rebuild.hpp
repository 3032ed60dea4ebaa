// SPDX-License-Identifier: Apache-2.0
//
// A graph that is built again: where what is attached cannot be fitted in, and when more of the
// numbers are of removed pools than of others.
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

// Parts for the graph without some pools and with others attached, before they have any grant.
struct Rebuilt {
  std::unique_ptr<EngineParts> parts;
  std::vector<PoolId> to;  // by pool number of the graph before; kNoPool: gone
};
// Nothing of the parts themselves changes: all that can fail is done before anything does.
// Errors: invalid, limit. O(machine).
[[nodiscard]] Result<Rebuilt> build_again(const EngineParts& parts,
                                          std::span<const NewSubtree> subtrees,
                                          const PoolMarks& without);
// Moves grants, status, clock and supply over, and puts the new parts in place of the old ones.
// REQUIRES that no grant has anything that is gone. O(machine + grants).
void move_to(Rebuilt rebuilt, std::unique_ptr<EngineParts>& parts);
// Both.
[[nodiscard]] Result<void> rebuild(std::unique_ptr<EngineParts>& parts,
                                   std::span<const NewSubtree> subtrees);

}  // namespace copse
