// SPDX-License-Identifier: Apache-2.0
//
// The meaning of a JGF resource set on an existing machine: pools to take, or pools to add.
#pragma once

#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "formats/jgf/jgf_set.hpp"

namespace copse {

struct AllocatedPools {
  std::vector<PoolId> pools;
  bool rooted = false;                // the set has the root of the dominant subsystem
  std::vector<PoolAmount> amounts{};  // of divisible pools; all units of those not listed

  operator PoolChoice() const { return {pools, amounts}; }  // NOLINT(google-explicit-constructor)
};

// The pools of a set that are exclusive; under `shorthand` with everything below them. Pools
// outside of the dominant subsystem are found, and left out; so are those of `free_ranks`.
// Errors: as find_pool; with `missing`, pools that are not found are skipped, and their errors are
// added to it. O(pools × path).
[[nodiscard]] Result<AllocatedPools> exclusive_pools(const ResourceGraph& graph, const JgfSet& set,
                                                     bool shorthand,
                                                     std::vector<std::string>* missing = nullptr);

// The pools of a set that the machine has not yet (found by path and rank), as subtrees below those
// that it has, children in the order of the edges. New words are interned in `names`.
// Errors: invalid (a new pool without a parent, or with a path that is not that of its parent and
// its name; edges that form a cycle), unsupported (edges of other than the dominant subsystem),
// exists (nothing is new). O(pools × path).
[[nodiscard]] Result<std::vector<NewSubtree>> subtrees_of(const ResourceGraph& graph, Names& names,
                                                          const JgfSet& set);

}  // namespace copse
