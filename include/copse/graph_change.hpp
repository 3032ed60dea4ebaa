// SPDX-License-Identifier: Apache-2.0
//
// How a machine grows and shrinks while it is in use: what Engine::attach takes, and the log by which
// caches catch up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "copse/ids.hpp"

namespace copse {

// A pool to come. Pools are given in preorder; each names its parent by its place in the list.
struct NewPool {
  static constexpr std::uint32_t kAttached = UINT32_MAX;  // its parent is where it is attached
  std::uint32_t parent = kAttached;                       // REQUIRES: before this one
  TypeId type;
  NameId basename;
  UnitId unit;
  std::int64_t size = 1;
  std::int64_t id = -1;
  std::int32_t rank = -1;
  std::int64_t uniq_id = -1;  // -1: the next one
  std::string name;           // empty: basename + id
  bool down = false;
  std::map<std::string, std::string> properties;
};

// Pools to attach below one that is there.
struct NewSubtree {
  PoolId parent;
  std::vector<NewPool> pools;
};

// One subtree that came or went.
struct GraphChange {
  enum class Kind : std::uint8_t { attached, removed } kind;
  PoolId top, parent;
  std::vector<PoolId> intervals;  // what came or went: [p, end(p)) for each p
  // Interior pools on the path to the root below which types came that were not there before, with
  // the types that were.
  struct Widened {
    std::uint32_t interior;
    std::vector<TypeId> types_before;
  };
  std::vector<Widened> widened;
};

}  // namespace copse
