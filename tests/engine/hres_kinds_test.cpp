// SPDX-License-Identifier: Apache-2.0
//
// Features that Slurm does not have: charges that depend on the node's type, blocks chosen by the
// free amounts of layers, two trees in one request.
#include <gtest/gtest.h>

#include "engine/hres_machine.hpp"
#include "graph/graph_builder.hpp"

namespace copse {
namespace {

constexpr std::string_view kByKind = R"(
- resource: power
  mode: MODE_3
  variables:
    - {name: full, value: 1}
    - {name: full, value: 4, property: gpu}
    - {name: only_gpu, value: 4, property: gpu}
  layers: [{nodes: "n[0-7]", count: 8}]
)";

// Nodes 0 to 3 have the property.
HresMachine by_kind() {
  HresMachine m(8, kByKind);
  for (int rank = 0; rank < 4; ++rank) m.engine->set_property(m.node(rank), "gpu", "");
  return m;
}

TEST(HresKinds, EachNodeDrawsWhatItsKindDraws) {
  HresMachine m = by_kind();
  EXPECT_EQ(m.alloc(1, 2, "power:full"), "0-1 at 0");
  EXPECT_EQ(m.used(), "8/8");
  EXPECT_EQ(m.charged(1), "power:full");
  EXPECT_EQ(m.give_back(1, {1}), false);
  EXPECT_EQ(m.used(), "4/8");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.used(), "0/8");
}

TEST(HresKinds, NodesThatDrawLessMakeRoomForMore) {
  HresMachine m = by_kind();
  // 4 + 4 leaves nothing; 4 + 1 + 1 + 1 fits.
  EXPECT_EQ(m.alloc(1, 4, "power:full"), "0,4-6 at 0");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.alloc(2, 5, "power:full"), "0,4-7 at 0");
  EXPECT_EQ(m.used(), "8/8");
  EXPECT_EQ(m.alloc(3, 1, "power:full"), "insufficient");
  EXPECT_EQ(m.alloc(4, 6, "power:full"), "infeasible");
}

TEST(HresKinds, OfAKindThatDrawsNothingThereMayBeAny) {
  HresMachine m = by_kind();
  EXPECT_EQ(m.alloc(1, 6, "power:only_gpu"), "0-1,4-7 at 0");
  EXPECT_EQ(m.used(), "8/8");
  EXPECT_EQ(m.alloc(2, 1, "power:only_gpu"), "insufficient");
}

TEST(HresKinds, APropertyThatComesCountsForWhatComes) {
  HresMachine m = by_kind();
  EXPECT_EQ(m.alloc(1, 1, "power:full", 0, "4"), "4 at 0");
  EXPECT_EQ(m.used(), "1/8");
  m.engine->set_property(m.node(5), "gpu", "");
  EXPECT_EQ(m.alloc(2, 1, "power:full", 0, "5"), "5 at 0");
  EXPECT_EQ(m.used(), "5/8");
}

TEST(HresKinds, EarliestWaitsForTheNodesDraw) {
  HresMachine m = by_kind();
  EXPECT_EQ(m.alloc(1, 1, "power:6", 10, "7"), "7 at 0");
  EXPECT_EQ(m.reserve(2, 1, "power:full", 10, "0"), "0 at 10");
  EXPECT_EQ(m.reserve(3, 1, "power:full", 10, "5"), "5 at 0");
}

TEST(HresKinds, OnlyModeThreeCountsByNode) {
  HresMachine m(2, "[]");
  const auto added = m.add(
      "[{resource: a, mode: MODE_1, variables: [{name: v, value: 1, property: p}], layers: "
      "[{nodes: \"n[0-1]\", count: 1}]}]");
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().text.find("only mode 3"), std::string::npos) << added.error().text;
}

// Three racks of four nodes, n0 to n11.
ResourceGraph hres_racks() {
  GraphBuilder b;
  const SubsystemId s = *b.subsystem("containment");
  auto pool = [&](const char* type, const char* name, std::int64_t id, std::int32_t rank) {
    return *b.add_pool({.type = *b.type(type),
                        .basename = b.basename(name),
                        .unit = *b.unit(""),
                        .id = id,
                        .rank = rank});
  };
  const auto cluster = pool("cluster", "cluster", 0, -1);
  EXPECT_TRUE(b.set_root(s, cluster));
  for (int r = 0; r < 3; ++r) {
    const auto rack = pool("rack", "rack", r, -1);
    EXPECT_TRUE(b.add_edge(cluster, rack, s));
    for (int n = 4 * r; n < 4 * r + 4; ++n) {
      const auto node = pool("node", "n", n, n);
      EXPECT_TRUE(b.add_edge(rack, node, s));
      for (int c = 0; c < 2; ++c) EXPECT_TRUE(b.add_edge(node, pool("core", "core", c, n), s));
    }
  }
  return *b.build("containment");
}

constexpr std::string_view kLinked = R"(
- resource: power
  mode: MODE_3
  topology: rack
  layers:
    - {nodes: "n[0-11]", count: 100}
    - {nodes: "n[0-3]", count: 40}
    - {nodes: "n[4-7]", count: 30}
    - {nodes: "n[8-11]", count: 40}
)";

TEST(HresBlocks, OfRacksWithRoomTheOneThatIsLeftWithLeast) {
  for (const bool linked : {true, false}) {
    std::string yaml(kLinked);
    if (!linked) yaml.replace(yaml.find("topology: rack"), 14, "topology: none");
    HresMachine m(12, "[]");
    m.engine = engine(with_policy("lonode"), hres_racks());
    ASSERT_TRUE(m.add(yaml));
    EXPECT_EQ(m.alloc(1, 3, "power:10"), linked ? "4-6 at 0" : "0-2 at 0");
    EXPECT_EQ(m.alloc(2, 4, "power:10"), linked ? "0-3 at 0" : "3-6 at 0");
  }
}

TEST(HresBlocks, WhatFitsInNoRackIsFoundAllTheSame) {
  HresMachine m(12, "[]");
  m.engine = engine(with_policy("lonode"), hres_racks());
  ASSERT_TRUE(m.add(kLinked));
  EXPECT_EQ(m.alloc(1, 6, "power:10"), "0-5 at 0");
  EXPECT_EQ(m.used(), "60/100 40/40 20/30 0/40");
}

TEST(HresTrees, TwoAtOnceAreMatchedTogether) {
  // Chosen one after another, n0 would use what n1 and n2 need: one leaf of each tree.
  HresMachine m(3, R"(
- resource: a
  mode: MODE_3
  layers: [{nodes: "n[0-2]", count: 2}, {nodes: "n[0-1]", count: 1}, {nodes: "n2", count: 1}]
- resource: b
  mode: MODE_3
  layers: [{nodes: "n[0-2]", count: 2}, {nodes: "n[0,2]", count: 1}, {nodes: "n1", count: 1}]
)");
  EXPECT_EQ(m.alloc(1, 2, "a:1,b:1"), "1-2 at 0");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.alloc(2, 3, "a:1,b:1"), "infeasible");
  EXPECT_EQ(m.alloc(3, 1, "a:1,b:1", 10, "1"), "1 at 0");
  EXPECT_EQ(m.reserve(4, 2, "a:1,b:1", 10), "1-2 at 10");
}

}  // namespace
}  // namespace copse
