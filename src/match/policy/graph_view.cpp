// SPDX-License-Identifier: Apache-2.0
#include "match/policy/graph_view.hpp"

namespace copse {

namespace {

const ResourceGraph& graph_of(const void* graph) {
  return *static_cast<const ResourceGraph*>(graph);
}

constexpr GraphView::Functions kFunctions{
    .pool_count = [](const void* graph) { return graph_of(graph).pool_count(); },
    .type = [](const void* graph, PoolId p) -> std::string_view {
      return graph_of(graph).type_name(p);
    },
    .unit = [](const void* graph, PoolId p) -> std::string_view {
      return graph_of(graph).unit_text(p);
    },
    .name = [](const void* graph, PoolId p) { return graph_of(graph).name(p); },
    .path = [](const void* graph,
               PoolId p) { return graph_of(graph).path(p, graph_of(graph).dominant()); },
    .id = [](const void* graph, PoolId p) { return graph_of(graph).id(p); },
    .uniq_id = [](const void* graph, PoolId p) { return graph_of(graph).uniq_id(p); },
    .size = [](const void* graph, PoolId p) { return graph_of(graph).size(p); },
    .rank = [](const void* graph, PoolId p) -> std::int64_t { return graph_of(graph).rank(p); },
    .parent = [](const void* graph, PoolId p) { return graph_of(graph).parent(p); },
    .children = [](const void* graph, PoolId p) { return graph_of(graph).children(p); },
    .total =
        [](const void* graph, PoolId p, std::string_view type) {
          const TypeId wanted = graph_of(graph).find_type(type);
          return wanted == kNoType ? 0 : graph_of(graph).shape(p).total(wanted);
        },
    .property = [](const void* graph, PoolId p,
                   std::string_view key) -> std::optional<std::string_view> {
      const ResourceGraph::Attributes* properties = graph_of(graph).properties(p);
      if (properties == nullptr) return std::nullopt;
      const auto found = properties->find(std::string(key));
      if (found == properties->end()) return std::nullopt;
      return found->second;
    }};

}  // namespace

GraphView view_of(const ResourceGraph& graph) { return {&graph, kFunctions}; }

}  // namespace copse
