// SPDX-License-Identifier: Apache-2.0
#include "engine/find/free_units.hpp"

#include "copse/graph.hpp"

namespace copse {

std::int64_t free_units(const State& state, PoolId top, TypeId type) {
  if (!state.available_now(top)) return 0;
  const ResourceGraph& graph = state.graph();
  std::int64_t out = 0;
  graph.preorder(top, [&](PoolId p) {
    if (!state.usable(p) || state.exclusive_spans().active(p)) return false;
    std::int64_t own = graph.type(p) == type ? graph.size(p) : 0;
    if (own > 0 && graph.divisible(p)) own = state.free_units(p, state.now(), state.now() + 1);
    if (graph.leaf(p)) {
      out += own;
      return false;
    }
    const bool idle = state.row(graph.interior(p))[0] == 0;  // no job is here or below
    if (idle) out += own;
    if (idle && state.all_usable()) {
      out += graph.shape(p).total(type);
      return false;
    }
    return graph.shape(p).total_index(type) >= 0;
  });
  return out;
}

}  // namespace copse
