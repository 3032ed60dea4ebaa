// SPDX-License-Identifier: Apache-2.0
//
// CompiledRequest: a request resolved against a graph and flattened to an array.
//
// Sketch: about 100 bytes a vertex of the request; a bit a pool if it has a constraint.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "copse/request.hpp"

namespace copse {

struct Need {
  TypeId type;
  std::int64_t units;
};

// One vertex of the resources section.
struct Level {
  TypeId type;
  bool slot = false;
  Count count;
  std::int64_t most = 1;  // count.most()
  Exclusivity exclusive = Exclusivity::unset;
  std::uint32_t label = 0;                // 0: none, else index into labels, from 1
  std::uint32_t first = 0, children = 0;  // its `with`: levels [first, first + children)
  std::vector<Need> needs;                // least units below, for one unit of this
  bool slot_below = false;                // its only child is a slot
};

struct CompiledRequest {
  std::vector<Level> levels;  // the first `top` are the top level
  std::uint32_t top = 0;
  std::vector<Need> total;  // least units of every type for the whole request, types ascending
  std::vector<std::string> labels{""};
  std::vector<TypeId> exclusive_types;  // `exclusive: true` anywhere, and the policy's
  std::int64_t duration_s = 0;
  bool duration_invalid = false;
  std::string queue;

  // Set if the request can never match with a one-pass walk: the sentence that says why.
  std::string impossible;

  // Pools of type node and storage_node that the constraint allows; empty if there is none.
  std::vector<bool> allowed;
  std::uint64_t properties_version = 0;  // the constraint was evaluated against

  // Whether it fits the empty machine; found out when first needed.
  mutable std::optional<bool> satisfiable;
  // If the top level is a slot: where it can be, best bound on its score first (see top.cpp).
  struct SlotPlace {
    std::int64_t bound;
    PoolId pool;
  };
  mutable std::optional<std::vector<SlotPlace>> slot_places;
  mutable std::size_t slot_places_seen = 0;  // changes of the graph

  // The engine's graph as it was when this was compiled, and how many of its changes were seen.
  std::uint64_t graph_version = 0;
  std::size_t changes_seen = 0;
  std::uint64_t largest_version = 0;

  [[nodiscard]] bool constrained() const { return !allowed.empty(); }
  // Whether pools of this type are taken with everything in them.
  [[nodiscard]] bool takes_whole(TypeId type) const {
    return std::find(exclusive_types.begin(), exclusive_types.end(), type) != exclusive_types.end();
  }
  [[nodiscard]] std::int64_t total_of(TypeId type) const {
    for (const Need& n : total) {
      if (n.type == type) return n.units;
    }
    return 0;
  }
};

// Errors: invalid if the request names a type that neither the graph nor a filter knows; the
// sentence is Fluxion's. Cost: O(request), and O(pools) if it has a constraint.
[[nodiscard]] Result<CompiledRequest> compile(const Request& request, const ResourceGraph& graph,
                                              const Policy& policy);

}  // namespace copse
