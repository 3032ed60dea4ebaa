// SPDX-License-Identifier: Apache-2.0
#include "match/loop_aware/pool_types.hpp"

#include <set>

namespace copse {

PoolTypes::PoolTypes(const ResourceGraph& graph) {
  std::set<std::pair<std::uint16_t, std::uint32_t>> typed_shapes;
  for (std::uint32_t i = 0; i < graph.interior_count(); ++i) {
    typed_shapes.emplace(graph.type(graph.interior_pool(i)).v, graph.shape_id(i));
  }
  for (const auto& [type, shape] : typed_shapes) {
    for (const TypeTotal& below : graph.shapes()[shape].totals) {
      nests_.insert(std::uint32_t{type} << 16 | below.type.v);
    }
  }
  for (std::uint32_t v = 0; v < graph.tree_count(); ++v) {
    const PoolId p{v};
    if (graph.size(p) <= 0) continue;
    if (graph.type(p).v >= sizes_.size()) sizes_.resize(graph.type(p).v + 1u);
    std::int64_t& size = sizes_[graph.type(p).v];
    if (size != graph.size(p)) size = size == 0 ? graph.size(p) : -1;
  }
}

}  // namespace copse
