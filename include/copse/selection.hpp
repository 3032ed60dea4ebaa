// SPDX-License-Identifier: Apache-2.0
//
// A selection: the pools that a match chose, before or after they are granted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "copse/graph.hpp"
#include "copse/ids.hpp"

namespace copse {

// One or more consecutive pools that are taken in the same way.
//   whole      the pool and everything below it are taken exclusively, including pools that are
//              attached later; nothing below is listed
//   exclusive  no other job may use the pool; else it is only on the path to what is taken
// The amount taken is the pool's size: pools are taken whole (RFC 4 pools of size 1, or a granule of
// a larger one, as in Fluxion). Pools of a divisible type are the exception: see `amounts`.
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

// Units of a divisible pool.
struct PoolAmount {
  PoolId pool;
  std::int64_t units = 0;
  bool operator==(const PoolAmount&) const = default;
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
  // For each listed pool of a divisible type, in the order of `taken`: the units taken, from 1 to
  // its size.
  std::vector<PoolAmount> amounts{};

  [[nodiscard]] bool empty() const { return taken.empty(); }
  void clear() {
    taken.clear();
    labels.clear();
    moved.clear();
    amounts.clear();
  }
};

// Pools that a caller chose and, of divisible ones, how many units; all units of those without an
// amount.
struct PoolChoice {
  PoolChoice() = default;
  PoolChoice(const PoolId* first, std::size_t count) : pools(first, count) {}
  PoolChoice(std::span<const PoolId> chosen,  // NOLINT(google-explicit-constructor): most have
             std::span<const PoolAmount> units = {})  // no amounts
      : pools(chosen), amounts(units) {}
  PoolChoice(const std::vector<PoolId>& chosen,  // NOLINT(google-explicit-constructor)
             std::span<const PoolAmount> units = {})
      : pools(chosen), amounts(units) {}
  template <std::size_t N>
  PoolChoice(const PoolId (&chosen)[N])  // NOLINT(google-explicit-constructor)
      : pools(chosen) {}

  std::span<const PoolId> pools;
  std::span<const PoolAmount> amounts;
};

// A pool of an expanded selection, as the writers of formats need it.
struct ExpandedPool {
  PoolId pool;
  std::uint32_t depth = 0;  // edges to the root, on the path of the match
  bool exclusive = false;
  bool parent_exclusive = false;
  PoolId parent = kNoPool;  // set if it is not the parent in the dominant tree
  std::int64_t units = 0;   // taken of a divisible pool; 0: the pool is taken whole
};
// The units that a pool of an expanded selection provides.
[[nodiscard]] inline std::int64_t units_of(const ResourceGraph& graph, const ExpandedPool& e) {
  return e.units > 0 ? e.units : graph.size(e.pool);
}

// Every pool of a selection, children before their parent, siblings in edge order.
// Cost: O(pools of the result). `out` is cleared first; its memory is reused.
void expand(const ResourceGraph& graph, const Selection& selection, std::vector<ExpandedPool>& out);

}  // namespace copse
