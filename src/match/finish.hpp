// SPDX-License-Identifier: Apache-2.0
//
// Picked: the pools that a walk chose, in any order, and how they become a selection.
//
// Sketch: 16 bytes a pool, or a run of leaves. finish: O(pools × depth), sorted first if they do
// not stand in preorder.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/selection.hpp"
#include "match/probe.hpp"

namespace copse {

class Picked {
 public:
  void clear() { found_.clear(); }
  // Neighbouring leaves of one parent and type become one entry, in either direction.
  void add(const ResourceGraph& graph, PoolId pool, std::uint32_t label, bool exclusive);
  // Makes the selection: in preorder, with the pools on the way; `out` is empty if nothing picked
  // is exclusive.
  void finish(const Probe& probe, Selection& out) { finish(probe.graph, *probe.request, out); }
  void finish(const ResourceGraph& graph, const CompiledRequest& request, Selection& out);

 private:
  struct Found {
    PoolId pool;
    std::uint32_t count, label;
    bool exclusive;
  };
  struct Open {
    PoolId pool;
    bool exclusive;
  };
  struct Into {
    const ResourceGraph& graph;
    const CompiledRequest& request;
    Selection& out;
  };
  bool enter(const Into& into, PoolId p, bool exclusive, std::uint32_t count);

  std::vector<Found> found_;
  std::vector<Open> open_;
};

}  // namespace copse
