// SPDX-License-Identifier: Apache-2.0
#include "match/policy/graph_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

TEST(GraphView, ShowsWhatTheGraphHas) {
  GraphText text;
  const auto cluster = text.pool({.type = "cluster", .id = 0});
  for (int n = 0; n < 2; ++n) {
    const auto node = text.child(cluster, {.type = "node", .id = n, .rank = n, .basename = "n"});
    text.child(node, {.type = "memory", .id = 0, .size = 64, .unit = "GB"});
    for (int c = 0; c < 4; ++c) text.child(node, {.type = "core", .id = c});
  }
  ResourceGraph graph = text.build();
  const PoolId node = graph.at_path("/cluster0/n1").front();
  graph.set_property(node, "celsius", "31");
  const GraphView view = view_of(graph);
  ASSERT_EQ(view.pool_count(), graph.pool_count());
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    EXPECT_EQ(view.type(p), graph.type_name(p));
    EXPECT_EQ(view.unit(p), graph.unit_text(p));
    EXPECT_EQ(view.name(p), graph.name(p));
    EXPECT_EQ(view.path(p), graph.path(p, graph.dominant()));
    EXPECT_EQ(view.id(p), graph.id(p));
    EXPECT_EQ(view.uniq_id(p), graph.uniq_id(p));
    EXPECT_EQ(view.size(p), graph.size(p));
    EXPECT_EQ(view.rank(p), graph.rank(p));
    EXPECT_EQ(view.parent(p), graph.parent(p));
    const auto children = view.children(p), expected = graph.children(p);
    EXPECT_TRUE(std::ranges::equal(children, expected));
  }
  EXPECT_EQ(view.total(PoolId{0}, "core"), 8);
  EXPECT_EQ(view.total(node, "memory"), 64);
  EXPECT_EQ(view.total(node, "node"), 0);
  EXPECT_EQ(view.total(PoolId{0}, "toaster"), 0);
  EXPECT_EQ(view.property(node, "celsius"), "31");
  EXPECT_EQ(view.property(node, "kelvin"), std::nullopt);
  EXPECT_EQ(view.property(PoolId{0}, "celsius"), std::nullopt);
}

}  // namespace
}  // namespace copse
