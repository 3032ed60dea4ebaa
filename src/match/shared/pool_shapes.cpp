// SPDX-License-Identifier: Apache-2.0
#include "match/shared/pool_shapes.hpp"

#include <algorithm>

namespace copse {

PoolShapes::PoolShapes(const ResourceGraph& graph) : graph_(graph) {
  for (std::uint32_t i = 0; i < graph.interior_count(); ++i) note(graph.interior_pool(i));
}

void PoolShapes::note(PoolId p) {
  const TypedShape found{graph_.type(p), graph_.shape_id(graph_.interior(p))};
  const auto it = std::lower_bound(all_.begin(), all_.end(), found);
  if (it == all_.end() || *it != found) all_.insert(it, found);
}

void PoolShapes::attached(const GraphChange& change) {
  graph_.preorder(change.top, [&](PoolId p) {
    if (!graph_.leaf(p)) note(p);
    return true;
  });
  for (PoolId up = change.parent; up != kNoPool; up = graph_.parent(up)) note(up);
}

bool PoolShapes::has(const TypedShape& pool, const CompiledRequest& request,
                     const Level& level) const {
  const Shape& shape = graph_.shapes()[pool.shape];
  if (!level.slot && pool.type != level.type) return false;
  for (std::uint32_t c = level.first; level.slot && c < level.first + level.children; ++c) {
    if (!shape.has_child(request.levels[c].type)) return false;
  }
  return std::all_of(level.needs.begin(), level.needs.end(),
                     [&](const Need& need) { return need.units <= shape.total(need.type); });
}

bool PoolShapes::some_has(const CompiledRequest& request) const {
  if (!request.variants.empty()) return true;   // each is checked when it is tried
  if (graph_.has_further_edges()) return true;  // shapes only include the tree
  return std::all_of(request.levels.begin(), request.levels.end(), [&](const Level& level) {
    return level.needs.empty() || level.alternative ||
           std::any_of(all_.begin(), all_.end(),
                       [&](const TypedShape& pool) { return has(pool, request, level); });
  });
}

}  // namespace copse
