// SPDX-License-Identifier: Apache-2.0
//
// CompiledRequest: a request resolved against a graph and flattened to an array.
//
// Sketch: about 100 bytes a vertex of the request; a bit a pool if it has a constraint.
#pragma once

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

  // Set if the request can never match: the sentence that says why.
  std::string impossible;
  // Set if siblings want the same pools, so that a one-pass walk refuses them: the sentence.
  std::string clash;

  // Pools of type node and storage_node that the constraint allows; empty if there is none.
  std::vector<bool> allowed;
  std::uint64_t properties_version = 0;  // the constraint was evaluated against

  // Whether it fits the empty machine; found out when first needed.
  mutable std::optional<bool> satisfiable;
  mutable bool satisfiable_unknown = false;  // a search for it ended: taken as true
  // If the top level is a slot: where it can be, best bound on its score first (see top.cpp).
  struct SlotPlace {
    std::int64_t bound;
    PoolId pool;
  };
  mutable std::optional<std::vector<SlotPlace>> slot_places;

  [[nodiscard]] bool constrained() const { return !allowed.empty(); }
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
