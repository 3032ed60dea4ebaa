// SPDX-License-Identifier: Apache-2.0
//
// How a machine grows and shrinks while it is in use: the arguments of Engine::attach, and the log
// from which caches are updated.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "copse/ids.hpp"

namespace copse {

// A pool to attach. Pools are in preorder; each refers to its parent by index into the list.
struct NewPool {
  static constexpr std::uint32_t kAttached = UINT32_MAX;  // the parent is the pool that it is
                                                          // attached to
  std::uint32_t parent = kAttached;                       // REQUIRES: before this one
  TypeId type;
  NameId basename;
  UnitId unit;
  std::int64_t size = 1;
  std::int64_t id = -1;
  std::int32_t rank = -1;
  std::int64_t uniq_id = -1;  // -1: the next free one
  std::string name;           // empty: basename + id
  bool down = false;
  std::map<std::string, std::string> properties;
};

// Pools to attach below an existing pool.
struct NewSubtree {
  PoolId parent;
  std::vector<NewPool> pools;
};

// One attached or removed subtree.
struct GraphChange {
  enum class Kind : std::uint8_t { attached, removed } kind;
  PoolId top, parent;
  std::vector<PoolId> intervals;  // attached or removed: [p, end(p)) for each p
  // Interior pools on the path to the root that gained types below them, with the types that they
  // had.
  struct Widened {
    std::uint32_t interior;
    std::vector<TypeId> types_before;
  };
  std::vector<Widened> widened;
};

}  // namespace copse
