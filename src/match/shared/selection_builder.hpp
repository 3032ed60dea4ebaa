// SPDX-License-Identifier: Apache-2.0
//
// SelectionBuilder: collects the pools that a walk chose, in any order, and builds the selection.
//
// Size: 16 bytes per pool, or a run of leaves. finish: O(pools × depth), plus sorting if they are
// not in preorder.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "copse/selection.hpp"
#include "match/shared/eligibility.hpp"

namespace copse {

class SelectionBuilder {
 public:
  void clear() {
    found_.clear();
    amounts_.clear();
  }
  // Neighbouring leaves of one parent and type become one entry, in either direction.
  void add(const ResourceGraph& graph, PoolId pool, std::uint32_t label, bool exclusive,
           std::uint32_t count = 1);
  // Adds units of a divisible pool. Those of one pool are summed up.
  void add_units(PoolId pool, std::uint32_t label, bool exclusive, std::int64_t units) {
    found_.push_back({pool, 1, label, exclusive});
    if (exclusive) amounts_.push_back({pool, units});
  }
  // Builds the selection: in preorder, with the pools on the paths; `out` is empty if no picked
  // pool is exclusive.
  // `moved`: pools that were reached through another parent than that in the tree, with that
  // parent, ascending; may include pools that were not picked.
  using Moved = std::vector<std::pair<PoolId, PoolId>>;
  void finish(const Eligibility& eligibility, Selection& out, const Moved& moved = {}) {
    finish(eligibility.graph, *eligibility.request, out, moved);
  }
  void finish(const ResourceGraph& graph, const CompiledRequest& request, Selection& out,
              const Moved& moved = {});

 private:
  struct Entry {
    PoolId pool;
    std::uint32_t count, label;
    bool exclusive;
  };
  struct OpenAncestor {
    PoolId pool;
    bool exclusive;
  };
  struct Into {
    const ResourceGraph& graph;
    const CompiledRequest& request;
    Selection& out;
  };
  bool enter(const Into& into, PoolId p, bool exclusive, std::uint32_t count);
  void add_ways(const Into& into, const Moved& moved);
  void sum_amounts(const Into& into);
  [[nodiscard]] bool on_a_way(PoolId p) const;

  std::vector<Entry> found_;
  std::vector<PoolAmount> amounts_;
  std::vector<OpenAncestor> open_;
  bool by_ways_ = false;      // there is `moved`: only pools in ways_ are taken
  std::vector<PoolId> ways_;  // with `moved`: taken pools and pools on the paths to them, ascending
};

}  // namespace copse
