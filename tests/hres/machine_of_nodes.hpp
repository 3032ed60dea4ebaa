// SPDX-License-Identifier: Apache-2.0
//
// A cluster of nodes n0, n1, … with two cores each, and an HresTable on it from a resources.yaml.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "formats/hres/hres.hpp"
#include "graph/small_graph.hpp"
#include "hres/hres_table.hpp"

namespace copse {

inline ResourceGraph nodes_graph(int nodes) {
  GraphText text;
  const auto cluster = text.pool({.type = "cluster", .id = 0});
  text.root("containment", cluster);
  for (int n = 0; n < nodes; ++n) {
    const auto node = text.child(cluster, {.type = "node", .id = n, .rank = n, .basename = "n"});
    for (int c = 0; c < 2; ++c) text.child(node, {.type = "core", .id = c, .rank = n});
  }
  return text.build();
}

// n0 is the first. REQUIRES a graph of nodes_graph().
inline PoolId node_of(const ResourceGraph& graph, int number) {
  return graph.of_rank(number).front();
}

struct HresOnNodes {
  explicit HresOnNodes(int nodes, std::string_view yaml = {}, LayerOrder order = LayerOrder::count)
      : graph(nodes_graph(nodes)), hres(graph, order) {
    if (yaml.empty()) return;
    const auto added = add(yaml);
    EXPECT_TRUE(added) << (added ? "" : added.error().message());
  }
  Result<void> add(std::string_view yaml) {
    auto spec = read_hres(yaml, "resources.yaml");
    if (!spec) return std::unexpected(spec.error());
    return hres.add(*spec, "resources.yaml");
  }
  // The layer of a resource and its nodes, as written in the file.
  [[nodiscard]] std::uint32_t layer(std::string_view resource, std::string_view nodes) const {
    const auto found = hres.find(resource, nodes);
    EXPECT_TRUE(found) << nodes;
    return found.value_or(0);
  }
  // "a:2", resolved. REQUIRES that it resolves.
  [[nodiscard]] HresNeeds needs(std::vector<HresItem> items, bool either = false) const {
    const auto resolved = hres.resolve({either, std::move(items)});
    EXPECT_TRUE(resolved) << (resolved ? "" : resolved.error().message());
    return resolved.value_or(HresNeeds{});
  }

  ResourceGraph graph;
  HresTable hres;
};

}  // namespace copse
