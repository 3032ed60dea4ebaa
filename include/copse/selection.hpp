// SPDX-License-Identifier: Apache-2.0
//
// A selection: the pools that a match chose, before or after they are granted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/ids.hpp"

namespace copse {

// One or more consecutive pools that are taken in the same way.
//   whole      the pool and everything below it are taken exclusively, including pools that are
//              attached later; nothing below is listed
//   exclusive  no other job may use the pool; else it is only on the path to what is taken
// The amount taken is always the pool's size: pools are taken whole (RFC 4 pools of size 1, or a
// granule of a larger one, as in Fluxion).
struct SelectedPools {
  PoolId first;
  std::uint32_t count = 1;  // above 1 only for leaves of one type with consecutive numbers
  bool exclusive = false;
  bool whole = false;
  // Neither taken nor shown: something below it is taken, but was reached by another path, see
  // `moved`.
  bool hidden = false;
  bool operator==(const SelectedPools&) const = default;
};

// Invariants: pools ascend (preorder); every pool but the root has its parent listed, or a `whole`
// pool above it; every pool listed is exclusive or has an exclusive one below it.
// Cost: 12 bytes per entry; 32 free cores of a node are one entry.
struct Selection {
  std::vector<SelectedPools> taken;
  std::vector<std::pair<PoolId, std::string>> labels;  // jobspec labels of chosen pools, ascending
  // Pools with several parents in the dominant subsystem that were not reached through their parent
  // in the tree: (pool, the parent through which it was reached), ascending.
  std::vector<std::pair<PoolId, PoolId>> moved{};

  [[nodiscard]] bool empty() const { return taken.empty(); }
  void clear() {
    taken.clear();
    labels.clear();
    moved.clear();
  }
};

// A pool of an expanded selection, as the writers of formats need it.
struct ExpandedPool {
  PoolId pool;
  std::uint32_t depth = 0;  // edges to the root, on the path of the match
  bool exclusive = false;
  bool parent_exclusive = false;
  PoolId parent = kNoPool;  // set if it is not the parent in the dominant tree
};

// Every pool of a selection, children before their parent, siblings in edge order.
// Cost: O(pools of the result). `out` is cleared first; its memory is reused.
void expand(const ResourceGraph& graph, const Selection& selection, std::vector<ExpandedPool>& out);

}  // namespace copse
