// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

using Handle = GraphBuilder::Handle;
using Names = std::vector<std::string>;

Names preorder(const ResourceGraph& g) {
  Names names;
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) names.push_back(g.name(PoolId{v}));
  return names;
}

TEST(GraphBuilder, NumbersPoolsInPreorderWithChildrenInEdgeOrder) {
  GraphText t;
  const auto a = t.pool({"a"}), b = t.pool({"b"}), c = t.pool({"c"}), d = t.pool({"d"}),
             e = t.pool({"e"}), lost = t.pool({"lost"}), f = t.pool({"f"});
  t.edge(a, c);
  t.edge(c, f);
  t.edge(a, b);
  t.edge(c, e);
  t.edge(b, d);
  const ResourceGraph g = t.build();
  EXPECT_EQ(preorder(g), (Names{"a", "c", "f", "e", "b", "d", "lost"}));
  EXPECT_EQ(g.tree_count(), 6U);
  EXPECT_EQ(g.pool_count(), 7U);
  EXPECT_EQ(g.created(PoolId{6}), lost);
  EXPECT_EQ(g.parent(PoolId{6}), kNoPool);
  EXPECT_TRUE(g.leaf(PoolId{6}));
  EXPECT_EQ(g.created(PoolId{2}), f);
  EXPECT_EQ(g.created(PoolId{3}), e);
  const auto children = g.children(g.root());
  EXPECT_EQ(names_of(g, {children.begin(), children.end()}), (Names{"c", "b"}));
  EXPECT_EQ(g.end(PoolId{0}).v, 6U);
  EXPECT_EQ(g.end(PoolId{1}).v, 4U);
  EXPECT_EQ(g.end(PoolId{4}).v, 6U);
  EXPECT_EQ(g.end(PoolId{5}).v, 6U);
}

// Random trees, with pools created in random order, compared with their edges.
TEST(GraphBuilder, IntervalsAndInteriorNumbersHoldForAnyTree) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 50; ++round) {
    GraphText t;
    const std::uint32_t pools = 1 + below(60);
    std::vector<Handle> made;
    for (std::uint32_t i = 0; i < pools; ++i) made.push_back(t.pool({"p", i}));
    std::shuffle(made.begin(), made.end(), random);
    std::vector<std::vector<Handle>> children(pools);
    std::vector<Handle> parent(pools, kNoPool.v);
    t.root("containment", made[0]);
    for (std::uint32_t i = 1; i < pools; ++i) {
      const Handle up = made[below(i)];
      t.edge(up, made[i]);
      children[up].push_back(made[i]);
      parent[made[i]] = up;
    }
    const ResourceGraph g = t.build();
    ASSERT_EQ(g.pool_count(), pools);
    std::uint32_t interiors = 0;
    for (std::uint32_t v = 0; v < pools; ++v) {
      const PoolId p{v};
      const Handle h = g.created(p);
      EXPECT_EQ(g.id(p), static_cast<std::int64_t>(h));
      Names wanted, is;
      for (Handle c : children[h]) wanted.push_back("p" + std::to_string(c));
      std::uint32_t next = v + 1;  // preorder: each child begins where its predecessor ends
      for (PoolId c : g.children(p)) {
        is.push_back(g.name(c));
        EXPECT_EQ(c.v, next);
        EXPECT_EQ(g.parent(c), p);
        next = g.end(c).v;
      }
      EXPECT_EQ(is, wanted);
      EXPECT_EQ(g.end(p).v, next);
      EXPECT_EQ(g.leaf(p), children[h].empty());
      EXPECT_EQ(g.interior_at(p), interiors);
      if (g.leaf(p)) continue;
      EXPECT_EQ(g.interior(p), interiors);
      EXPECT_EQ(g.interior_pool(interiors), p);
      ++interiors;
    }
    EXPECT_EQ(g.interior_count(), interiors);
    EXPECT_EQ(g.interior_at(PoolId{pools}), interiors);
  }
}

TEST(GraphBuilder, KeepsRanksIdsSizesAndUnitsWithTheirPool) {
  GraphText t;
  const auto root = t.pool({"cluster", 7});
  EXPECT_EQ(t.builder.next_rank(), 0);
  EXPECT_EQ(t.builder.next_rank(), 1);
  t.child(root, {.type = "node", .id = 5, .size = 3, .unit = "kg", .rank = 9, .basename = "host"});
  t.child(root, {"core"});
  EXPECT_EQ(t.builder.pool_name(0), "cluster7");
  EXPECT_EQ(t.builder.pool_name(2), "core");
  const ResourceGraph g = t.build();
  const PoolId node{1}, core{2};
  EXPECT_EQ(g.name(node), "host5");
  EXPECT_EQ(g.type_name(node), "node");
  EXPECT_EQ(g.basename_text(node), "host");
  EXPECT_EQ(g.size(node), 3);
  EXPECT_EQ(g.unit_text(node), "kg");
  EXPECT_EQ(g.rank(node), 9);
  EXPECT_EQ(g.id(core), -1);
  EXPECT_EQ(g.name(core), "core");
  EXPECT_EQ(g.unit_text(core), "");
  EXPECT_EQ(g.rank(core), -1);
}

TEST(GraphBuilder, InternsTypesInFluxionsOrder) {
  GraphText t;
  t.child(t.pool({"zebra"}), {"core"});
  const ResourceGraph g = t.build();
  EXPECT_EQ(g.find_type("cluster").v, 0);
  EXPECT_EQ(g.find_type("core").v, 1);
  EXPECT_EQ(g.find_type("zebra").v, 12);
  EXPECT_EQ(g.find_type("lion"), kNoType);
}

TEST(GraphBuilder, OfSeveralEdgesIntoAPoolTheLastOneIsInTheTree) {
  for (const bool a_last : {false, true}) {
    GraphText t;
    const auto root = t.pool({"cluster"}), a = t.pool({"a"}), b = t.pool({"b"}), c = t.pool({"c"});
    t.edge(root, a);
    t.edge(root, b);
    t.edge(a_last ? b : a, c);
    t.edge(a_last ? a : b, c);
    const ResourceGraph g = t.build();
    EXPECT_EQ(preorder(g),
              a_last ? (Names{"cluster", "a", "c", "b"}) : (Names{"cluster", "a", "b", "c"}));
    const PoolId parent{a_last ? 1U : 2U}, other{a_last ? 3U : 1U}, child{a_last ? 2U : 3U};
    EXPECT_EQ(g.parent(child), parent);
    EXPECT_EQ(g.path(child, g.dominant()), a_last ? "/cluster/a/c" : "/cluster/b/c");
    EXPECT_TRUE(g.leaf(other));
    EXPECT_EQ(names_of(g, g.children(other, g.dominant())), (Names{"c"}));
    EXPECT_EQ(g.edge_count(), 4U);
  }
}

TEST(GraphBuilder, ChildrenOfTheTreeComeBeforeThoseThatHaveTheirPlaceElsewhere) {
  GraphText t;
  const auto root = t.pool({"cluster"}), a = t.pool({"a"}), b = t.pool({"b"}), c = t.pool({"c"}),
             d = t.pool({"d"});
  t.edge(root, a);
  t.edge(root, b);
  t.edge(b, c);  // a further edge to b: the edge from a is added later
  t.edge(b, d);
  t.edge(a, c);
  const ResourceGraph g = t.build();
  EXPECT_EQ(names_of(g, g.children(at(g, "/cluster/b"), g.dominant())), (Names{"d", "c"}));
}

TEST(GraphBuilder, RefusesPoolsThatTheEdgesMadeLastTakeOutOfTheTree) {
  for (const bool into_root : {false, true}) {
    GraphText t;
    const auto root = t.pool({"cluster", 0}), a = t.pool({"a", 7}), lost = t.pool({"lost"});
    t.edge(root, a);
    t.edge(lost, into_root ? root : a);
    const auto built = t.builder.build();
    ASSERT_FALSE(built) << into_root;
    EXPECT_EQ(built.error().code, ErrorCode::invalid);
    EXPECT_NE(built.error().text.find(into_root ? "cluster0" : "a7"), std::string::npos)
        << built.error().text;
  }
}

TEST(GraphBuilder, IgnoresTheSamePairJoinedTwiceInOneSubsystem) {
  GraphText t;
  const auto root = t.pool({"cluster"}), a = t.pool({"a"});
  t.edge(root, a);
  t.edge(root, a);
  t.edge(root, a, "power");
  t.edge(root, a, "power");
  const ResourceGraph g = t.build();
  EXPECT_EQ(g.children(g.root()).size(), 1U);
  EXPECT_EQ(g.children(g.root(), g.dominant()).size(), 1U);
  EXPECT_EQ(g.children(g.root(), subsystem(g, "power")).size(), 1U);
  EXPECT_EQ(g.edge_count(), 2U);
  int edges = 0;
  g.for_each_edge([&](const Edge&) { ++edges; });
  EXPECT_EQ(edges, 2);
}

TEST(GraphBuilder, AnEdgeMadeTwiceKeepsThePlaceAndTheRelationOfTheFirst) {
  GraphText t;
  const auto root = t.pool({"cluster"}), a = t.pool({"a"}), b = t.pool({"b"});
  for (const char* s : {"containment", "power"}) {
    t.edge(root, a, s, "first", "of");
    t.edge(root, b, s, "first", "of");
    t.edge(root, a, s, "second", "of");
  }
  const ResourceGraph g = t.build();
  for (const SubsystemId s : {g.dominant(), subsystem(g, "power")}) {
    EXPECT_EQ(names_of(g, g.children(g.root(), s)), (Names{"a", "b"})) << g.subsystem_name(s);
  }
  g.for_each_edge([&](const Edge& e) {
    EXPECT_EQ(g.names().relations.text(e.relation.v), "first")
        << g.subsystem_name(e.subsystem) << " " << g.name(e.to);
  });
}

TEST(GraphBuilder, AnotherSubsystemCanBeDominant) {
  GraphText t = machine_text();
  const ResourceGraph g = t.build("power");
  EXPECT_EQ(g.subsystem_name(g.dominant()), "power");
  EXPECT_EQ(g.tree_count(), 7U);  // power, 2 PDUs, 4 nodes
  Names tree;
  for (std::uint32_t v = 0; v < g.tree_count(); ++v) tree.push_back(g.name(PoolId{v}));
  EXPECT_EQ(tree, (Names{"power0", "pdu0", "node0", "pdu1", "node1", "node2", "node3"}));
  // The others follow in order of creation.
  for (std::uint32_t v = g.tree_count() + 1; v < g.pool_count(); ++v) {
    EXPECT_LT(g.created(PoolId{v - 1}), g.created(PoolId{v}));
  }
  const PoolId node = at(g, "/cluster0/rack0/node1");
  EXPECT_EQ(node.v, 4U);
  EXPECT_TRUE(g.leaf(node));
  EXPECT_EQ(names_of(g, g.children(node, subsystem(g, "containment"))),
            (Names{"socket0", "socket1"}));
  EXPECT_EQ(g.shape(g.root()).total(g.find_type("node")), 4);
  EXPECT_EQ(g.shape(g.root()).total(g.find_type("pdu")), 4000);
  EXPECT_EQ(g.shape(g.root()).total(g.find_type("core")), 0);
}

TEST(GraphBuilder, RefusesWhatHasNoRoot) {
  GraphText t;
  const auto root = t.pool({"cluster"});
  auto built = t.builder.build("containment");
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::not_found);
  ASSERT_TRUE(t.builder.subsystem("containment"));
  built = t.builder.build("containment");
  ASSERT_FALSE(built);  // known, but without a root
  EXPECT_EQ(built.error().code, ErrorCode::not_found);
  EXPECT_NE(built.error().text.find("containment"), std::string::npos);
  t.root("containment", root);  // a refused build changes nothing
  const ResourceGraph g = t.build();
  EXPECT_EQ(g.pool_count(), 1U);
  EXPECT_EQ(g.interior_count(), 0U);
  EXPECT_TRUE(g.shape(g.root()).totals.empty());
}

TEST(GraphBuilder, ASubsystemHasOneRoot) {
  GraphText t;
  const auto a = t.pool({"a", 1}), b = t.pool({"b"});
  const SubsystemId s = GraphText::must(t.builder.subsystem("containment"));
  EXPECT_FALSE(t.builder.has_root(s));
  EXPECT_TRUE(t.builder.set_root(s, a));
  EXPECT_TRUE(t.builder.set_root(s, a));
  const auto second = t.builder.set_root(s, b);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::exists);
  EXPECT_NE(second.error().text.find("a1"), std::string::npos);
  EXPECT_EQ(t.builder.root(s), a);
}

TEST(GraphBuilder, RefusesCyclesInAnySubsystem) {
  for (const char* name : {"containment", "power"}) {
    for (const bool self : {false, true}) {
      GraphText t;
      const auto root = t.pool({"cluster"}), a = t.pool({"a"}), b = t.pool({"b", 4});
      t.edge(root, a);
      t.edge(root, b);
      t.edge(root, a, "power");
      t.edge(a, b, name);
      t.edge(b, self ? b : a, name);
      const auto built = t.builder.build();
      ASSERT_FALSE(built) << name << self;
      EXPECT_EQ(built.error().code, ErrorCode::invalid);
      EXPECT_NE(built.error().text.find(std::string("subsystem ") + name), std::string::npos)
          << built.error().text;
    }
  }
}

TEST(GraphBuilder, RefusesATreeOfMoreThanAThousandLevels) {
  for (const int levels : {1000, 1001}) {
    GraphText t;
    auto last = t.pool({"p", 0});
    for (int i = 1; i < levels; ++i) last = t.child(last, {"p", i});
    const auto built = t.builder.build();
    EXPECT_EQ(built.has_value(), levels == 1000);
    if (built) {
      EXPECT_EQ(built->depth(PoolId{999}), 999U);
    } else {
      EXPECT_EQ(built.error().code, ErrorCode::limit);
      EXPECT_NE(built.error().text.find("1000 levels"), std::string::npos);
    }
  }
}

TEST(GraphBuilder, KeepsItsLimits) {
  GraphBuilder b({.pools_max = 2, .edges_max = 1});
  EXPECT_TRUE(b.expect(2, 1));
  EXPECT_EQ(b.expect(3, 1).error().code, ErrorCode::limit);
  EXPECT_EQ(b.expect(2, 2).error().code, ErrorCode::limit);
  EXPECT_EQ(b.expect(UINT64_MAX, UINT64_MAX).error().code, ErrorCode::limit);
  PoolSpec spec;
  spec.type = *b.type("a");
  spec.basename = b.basename("a");
  EXPECT_TRUE(b.add_pool(spec));
  spec.size = -1;
  EXPECT_EQ(b.add_pool(spec).error().code, ErrorCode::invalid);
  spec.size = 0;
  EXPECT_TRUE(b.add_pool(spec));
  EXPECT_EQ(b.add_pool(spec).error().code, ErrorCode::limit);
  EXPECT_EQ(b.pool_count(), 2U);
  const SubsystemId s = *b.subsystem("containment");
  EXPECT_TRUE(b.add_edge(0, 1, s));
  EXPECT_EQ(b.add_edge(0, 1, s).error().code, ErrorCode::limit);
}

TEST(GraphBuilder, LimitsItsWords) {
  GraphBuilder b;
  for (int i = 0; i < 255; ++i) ASSERT_TRUE(b.subsystem("s" + std::to_string(i)));
  EXPECT_EQ(b.subsystem("one more").error().code, ErrorCode::limit);
  EXPECT_TRUE(b.subsystem("s254"));
  int types = 0;
  while (types < 70'000 && b.type("t" + std::to_string(types))) ++types;
  EXPECT_EQ(types, 65'000 - 12);  // twelve are known initially
  EXPECT_TRUE(b.type("t0"));
  int units = 0;
  while (units < 70'000 && b.unit("u" + std::to_string(units))) ++units;
  EXPECT_EQ(units, 65'000 - 1);
}

TEST(GraphBuilder, RefusesTotalsBeyond63Bits) {
  GraphText t;
  const auto root = t.pool({"cluster", 3});
  t.child(root, {"memory", 0, INT64_MAX});
  t.child(root, {"memory", 1, 1});
  const auto built = t.builder.build();
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::limit);
  EXPECT_NE(built.error().text.find("cluster3"), std::string::npos);
}

TEST(GraphBuilder, IsEmptyAfterBuild) {
  GraphText t = machine_text();
  const ResourceGraph first = t.build();
  EXPECT_EQ(t.builder.pool_count(), 0U);
  EXPECT_EQ(t.builder.next_rank(), 0);
  t.child(t.pool({"other"}), {"core"});
  const ResourceGraph second = t.build();
  EXPECT_EQ(second.pool_count(), 2U);
  EXPECT_EQ(second.subsystem_count(), 1U);
  EXPECT_EQ(second.find_type("core").v, 1);
  EXPECT_EQ(second.find_type("rack").v, 5);  // the fixed list exists again
  EXPECT_EQ(second.find_type("pdu"), kNoType);
  EXPECT_EQ(first.find_type("pdu").v,
            first.type(first.subsystem_root(subsystem(first, "power"))).v + 1);
}

}  // namespace
}  // namespace copse
