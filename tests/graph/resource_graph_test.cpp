// SPDX-License-Identifier: Apache-2.0
#include "copse/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

using Names = std::vector<std::string>;

// --- Shapes

TEST(Shape, CountsTheUnitsStrictlyBelow) {
  const ResourceGraph g = machine();
  const Shape& root = g.shape(g.root());
  EXPECT_EQ(root.total(g.find_type("rack")), 2);
  EXPECT_EQ(root.total(g.find_type("node")), 4);
  EXPECT_EQ(root.total(g.find_type("core")), 32);
  EXPECT_EQ(root.total(g.find_type("memory")), 64);
  EXPECT_EQ(root.total(g.find_type("cluster")), 0);
  EXPECT_EQ(root.total(g.find_type("pdu")), 0);  // in another subsystem
  EXPECT_EQ(root.total_index(g.find_type("pdu")), -1);
  EXPECT_TRUE(std::is_sorted(root.totals.begin(), root.totals.end(),
                             [](auto& a, auto& b) { return a.type < b.type; }));
  EXPECT_EQ(root.totals[static_cast<std::size_t>(root.total_index(g.find_type("gpu")))].total, 8);
  EXPECT_TRUE(g.shape(at(g, "/cluster0/rack0/node0/socket0/core0")).totals.empty());
}

TEST(Shape, DescribesRunsOfChildren) {
  GraphText t;
  const auto root = t.pool({"cluster"});
  const auto later = t.pool({"core", 9});  // created early, attached late
  t.child(root, {"core", 1});
  t.child(root, {"core", 4});
  t.edge(root, later);
  t.child(root, {"memory", 0, 8});
  t.child(root, {"memory", 0, 8});   // equal ids: not ascending
  t.child(root, {"memory", 1, 16});  // another size
  const auto node = t.child(root, {"node", 0});
  t.child(root, {"node", 1});  // a leaf: in another run than node0
  t.child(root, {"node", 0});  // descending
  t.child(node, {"core", 0});
  const ResourceGraph g = t.build();
  const std::vector<ChildRun>& runs = g.shape(g.root()).runs;
  ASSERT_EQ(runs.size(), 4U);
  const TypeId core = g.find_type("core"), memory = g.find_type("memory"),
               node_type = g.find_type("node");
  EXPECT_EQ(runs[0], (ChildRun{core, 0, 3, 1, true, true, false}));
  EXPECT_EQ(runs[1], (ChildRun{memory, 3, 3, -1, true, false, true}));
  EXPECT_EQ(runs[2], (ChildRun{node_type, 6, 1, 1, false, true, true}));
  EXPECT_EQ(runs[3], (ChildRun{node_type, 7, 2, 1, true, false, true}));
  EXPECT_EQ(g.shape(g.root()).total(core), 4);  // one of them below node0
}

TEST(Shape, IsSharedByPoolsThatLookAlike) {
  const ResourceGraph g = machine();
  EXPECT_EQ(g.shapes().size(), 4U);  // cluster, rack, node, socket
  std::set<std::uint32_t> used;
  for (std::uint32_t i = 0; i < g.interior_count(); ++i) {
    used.insert(g.shape_id(i));
    EXPECT_EQ(&g.shape_of_interior(i), &g.shapes()[g.shape_id(i)]);
    EXPECT_EQ(&g.shape(g.interior_pool(i)), &g.shape_of_interior(i));
  }
  EXPECT_EQ(used.size(), 4U);
}

TEST(Shape, KnowsTheTypesOfChildrenInAnySubsystem) {
  GraphText t;
  const auto root = t.pool({"cluster"}), node = t.child(root, {"node"});
  t.child(node, {"core"});
  const auto supply = t.pool({"psu"});
  t.edge(node, supply, "power");
  const ResourceGraph g = t.build();
  const Shape& shape = g.shape(PoolId{1});
  EXPECT_TRUE(shape.has_child(g.find_type("core")));
  EXPECT_TRUE(shape.has_child(g.find_type("psu")));
  EXPECT_FALSE(shape.has_child(g.find_type("node")));
  EXPECT_EQ(shape.total(g.find_type("psu")), 0);
  EXPECT_FALSE(g.shape(g.root()).has_child(g.find_type("core")));
}

// --- Names, paths, parents

TEST(ResourceGraph, DerivesNamesAndPathsInEverySubsystem) {
  const ResourceGraph g = machine();
  const SubsystemId containment = g.dominant(), power = subsystem(g, "power");
  EXPECT_EQ(g.subsystem_count(), 2U);
  const PoolId node = at(g, "/cluster0/rack1/node2");
  EXPECT_EQ(g.name(node), "node2");
  EXPECT_EQ(g.path(node, containment), "/cluster0/rack1/node2");
  EXPECT_EQ(g.path(node, power), "/power0/pdu1/node2");
  EXPECT_EQ(at(g, "/power0/pdu1/node2"), node);
  EXPECT_EQ(g.path(g.root(), containment), "/cluster0");
  EXPECT_EQ(g.path(g.root(), power), "");
  EXPECT_EQ(g.name(g.subsystem_root(power)), "power0");
  EXPECT_TRUE(g.in_subsystem(g.subsystem_root(power), power));
  EXPECT_FALSE(g.in_subsystem(g.subsystem_root(power), containment));
  EXPECT_EQ(g.depth(at(g, "/cluster0/rack1/node2/socket1/core3")), 4U);
  EXPECT_EQ(g.rank(node), 2);
  std::string text = "the ";
  g.append_name(node, text);
  EXPECT_EQ(text, "the node2");
}

TEST(ResourceGraph, TheParentJoinedLastGivesThePath) {
  const ResourceGraph g = machine();
  const PoolId node = at(g, "/cluster0/rack0/node1");
  EXPECT_EQ(g.path(node, subsystem(g, "power")), "/power0/pdu1/node1");
  // Both edges lead to it, and it is a child of both pools.
  EXPECT_EQ(at(g, "/power0/pdu0/node1"), node);
  EXPECT_EQ(at(g, "/power0/pdu1/node1"), node);
  EXPECT_EQ(names_of(g, g.children(at(g, "/power0/pdu0"), subsystem(g, "power"))),
            (Names{"node0", "node1"}));
  EXPECT_EQ(names_of(g, g.children(at(g, "/power0/pdu1"), subsystem(g, "power"))),
            (Names{"node1", "node2", "node3"}));
}

TEST(ResourceGraph, PathsOfAnyDepth) {
  GraphText t;
  auto last = t.pool({"p", 0});
  std::string path = "/p0";
  for (int i = 1; i < 200; ++i) {
    last = t.child(last, {"p", i});
    path += "/p" + std::to_string(i);
  }
  const ResourceGraph g = t.build();
  EXPECT_EQ(g.path(PoolId{199}, g.dominant()), path);
  EXPECT_EQ(at(g, path), PoolId{199});
  EXPECT_EQ(g.depth(PoolId{199}), 199U);
}

TEST(ResourceGraph, FindsEveryPoolAtAPathInOrderOfCreation) {
  GraphText t;
  const auto root = t.pool({"cluster", 0}), twin2 = t.pool({"node", 1}),
             twin1 = t.pool({"node", 1});
  t.edge(root, twin1);
  t.edge(root, twin2);
  // "node12" can be "node" + 12 and "node1" + 2.
  const auto plain = t.child(root, {"node", 12});
  const auto odd = t.child(root, {.type = "node", .id = 2, .basename = "node1"});
  t.child(twin1, {"core", 0});
  t.child(twin2, {"core", 0});
  const ResourceGraph g = t.build();
  const auto uniq_ids = [&](std::string_view path) {
    std::vector<std::uint32_t> ids;
    for (PoolId p : g.at_path(path)) ids.push_back(g.created(p));
    return ids;
  };
  EXPECT_EQ(uniq_ids("/cluster0/node1"), (std::vector<std::uint32_t>{twin2, twin1}));
  EXPECT_EQ(uniq_ids("/cluster0/node12"), (std::vector<std::uint32_t>{plain, odd}));
  EXPECT_EQ(g.at_path("/cluster0/node1/core0").size(), 2U);
  for (const char* path : {"", "/", "cluster0", "//cluster0", "/cluster0/", "/cluster0/node",
                           "/cluster0/node01", "/cluster0/node1/core0/x", "/cluster"}) {
    EXPECT_TRUE(g.at_path(path).empty()) << path;
  }
}

TEST(ResourceGraph, APoolThatIsAtOnePathInTwoSubsystemsIsFoundOnce) {
  GraphText t;
  const auto root = t.pool({"cluster", 0}), node = t.child(root, {"node", 0});
  t.edge(root, node, "power");
  const ResourceGraph g = t.build();
  EXPECT_EQ(g.at_path("/cluster0/node0").size(), 1U);
}

TEST(ResourceGraph, NegativeAndLargeIdsAreNumbersOfNames) {
  GraphText t;
  const auto root = t.pool({"cluster", 0});
  t.child(root, {"core", -2});
  t.child(root, {"core", INT64_MAX});
  const ResourceGraph g = t.build();
  EXPECT_EQ(g.name(PoolId{1}), "core-2");
  EXPECT_EQ(at(g, "/cluster0/core-2"), PoolId{1});
  EXPECT_EQ(at(g, "/cluster0/core9223372036854775807"), PoolId{2});
}

TEST(ResourceGraph, BelowIncludesThePoolItself) {
  const ResourceGraph g = machine();
  const PoolId rack = at(g, "/cluster0/rack1"), node = at(g, "/cluster0/rack1/node3");
  EXPECT_TRUE(g.below(node, rack));
  EXPECT_TRUE(g.below(rack, rack));
  EXPECT_FALSE(g.below(rack, node));
  EXPECT_FALSE(g.below(at(g, "/cluster0/rack0/node1"), rack));
  EXPECT_TRUE(g.below(node, g.root()));
}

TEST(ResourceGraph, FindsPoolsByType) {
  const ResourceGraph g = machine();
  EXPECT_EQ(names_of(g, g.of_type(g.find_type("node"))),
            (Names{"node0", "node1", "node2", "node3"}));
  EXPECT_EQ(names_of(g, g.of_type(g.find_type("pdu"))), (Names{"pdu0", "pdu1"}));
  EXPECT_TRUE(g.of_type(kNoType).empty());
}

// --- Edges

using EdgeWords = std::tuple<std::string, std::string, std::string, std::string, std::string>;

std::vector<EdgeWords> edges_of(const ResourceGraph& g) {
  std::vector<EdgeWords> out;
  g.for_each_edge([&](const Edge& e) {
    const Interner& relations = g.names().relations;
    out.emplace_back(g.name(e.from), g.name(e.to), g.subsystem_name(e.subsystem),
                     relations.text(e.relation.v), relations.text(e.reverse.v));
  });
  return out;
}

TEST(ResourceGraph, KeepsEveryEdgeWithItsRelations) {
  GraphText t;
  const auto root = t.pool({"cluster"}), a = t.pool({"a"}), b = t.pool({"b"}), c = t.pool({"c"});
  t.edge(root, a, "containment", "contains", "in");
  t.edge(a, b, "containment", "contains", "in");
  t.edge(root, c, "power", "feeds", "fed");
  t.edge(root, c, "containment", "holds", "held");
  t.edge(c, a, "power", "feeds", "fed");
  t.edge(c, b, "power", "warms", "warmed");
  t.edge(c, b, "containment", "shares", "shared");  // the last edge: b's parent in the tree
  const ResourceGraph g = t.build();
  const std::vector<EdgeWords> wanted{{"cluster", "a", "containment", "contains", "in"},
                                      {"cluster", "c", "containment", "holds", "held"},
                                      {"c", "b", "containment", "shares", "shared"},
                                      {"a", "b", "containment", "contains", "in"},
                                      {"cluster", "c", "power", "feeds", "fed"},
                                      {"c", "a", "power", "feeds", "fed"},
                                      {"c", "b", "power", "warms", "warmed"}};
  EXPECT_EQ(edges_of(g), wanted);
  EXPECT_EQ(g.edge_count(), 7U);
}

// Edges may be added in another order than that of their children's creation.
TEST(ResourceGraph, KeepsRelationsWhateverTheOrderOfEdges) {
  GraphText t;
  const auto root = t.pool({"cluster"});
  for (int i = 0; i < 6; ++i) t.pool({"p", i});
  const auto relation = [](GraphBuilder::Handle to) { return to % 3 == 0 ? "third" : "plain"; };
  for (const GraphBuilder::Handle to : {1U, 5U, 3U, 6U, 4U, 2U}) {
    t.edge(root, to, "containment", relation(to), "in");
  }
  const ResourceGraph g = t.build();
  int edges = 0;
  g.for_each_edge([&](const Edge& e) {
    ++edges;
    EXPECT_EQ(g.names().relations.text(e.relation.v), relation(g.created(e.to))) << g.name(e.to);
  });
  EXPECT_EQ(edges, 6);
}

// --- UUIDs

// RFC 9562: 8-4-4-4-12 lower-case hexadecimal digits, version 8, variant 10.
bool is_uuid8(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-8xxx-vxxx-xxxxxxxxxxxx";
  return std::equal(text.begin(), text.end(), kForm.begin(), kForm.end(), [](char c, char form) {
    if (form == 'x') return std::string_view("0123456789abcdef").contains(c);
    return form == 'v' ? std::string_view("89ab").contains(c) : c == form;
  });
}

TEST(ResourceGraph, UuidsAreStableDistinctAndOfTheirForm) {
  const ResourceGraph g = machine(), again = machine();
  std::set<std::string> seen;
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    const std::string uuid = g.uuid(PoolId{v});
    EXPECT_TRUE(is_uuid8(uuid)) << uuid;
    EXPECT_EQ(again.uuid(PoolId{v}), uuid);
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), g.pool_count());
}

TEST(ResourceGraph, UuidsFollowWhatAPoolIs) {
  const auto uuid_of_child = [](const PoolWords& words, bool late = false) {
    GraphText t;
    const auto root = t.pool({"cluster"});
    if (late) t.pool({"other"});
    t.child(root, words);
    return t.build().uuid(PoolId{1});
  };
  const std::string uuid = uuid_of_child({"node", 1});
  EXPECT_EQ(uuid_of_child({"node", 1, 7}), uuid);  // its amount does not matter
  EXPECT_NE(uuid_of_child({"node", 2}), uuid);
  EXPECT_NE(uuid_of_child({.type = "host", .id = 1, .basename = "node"}), uuid);
  EXPECT_NE(uuid_of_child({.type = "node", .id = 1, .rank = 0}), uuid);
  EXPECT_NE(uuid_of_child({"node", 1}, true), uuid);
}

// --- Properties and tags

TEST(ResourceGraph, PropertiesCarryAVersion) {
  GraphText t = machine_text();
  t.builder.set_property(0, "site", "north");
  t.builder.set_property(0, "site", "south");
  t.builder.set_property(3, "arch", "arm");  // node0: not its final number
  ResourceGraph g = t.build();
  const PoolId node = at(g, "/cluster0/rack0/node0");
  ASSERT_NE(g.properties(node), nullptr);
  EXPECT_EQ(*g.properties(node), (ResourceGraph::Attributes{{"arch", "arm"}}));
  EXPECT_EQ(g.properties(g.root())->at("site"), "south");
  EXPECT_EQ(g.properties(at(g, "/cluster0/rack0")), nullptr);
  const std::uint64_t version = g.properties_version();
  g.set_property(node, "arch", "riscv");
  EXPECT_NE(g.properties_version(), version);
  EXPECT_EQ(g.properties(node)->at("arch"), "riscv");
  const std::uint64_t set = g.properties_version();
  EXPECT_FALSE(g.remove_property(node, "site"));
  EXPECT_FALSE(g.remove_property(at(g, "/cluster0/rack0"), "arch"));
  EXPECT_EQ(g.properties_version(), set);
  EXPECT_TRUE(g.remove_property(node, "arch"));
  EXPECT_NE(g.properties_version(), set);
  EXPECT_EQ(g.properties(node) == nullptr || !g.properties(node)->contains("arch"), true);
}

TEST(ResourceGraph, TagsComeAndGo) {
  ResourceGraph g = machine();
  const std::uint64_t version = g.properties_version();
  EXPECT_EQ(g.tags(g.root()), nullptr);
  g.set_tag(g.root(), "drained");
  g.set_tag(g.root(), "since", "noon");
  EXPECT_EQ(*g.tags(g.root()), (ResourceGraph::Attributes{{"drained", ""}, {"since", "noon"}}));
  EXPECT_FALSE(g.remove_tag(g.root(), "until"));
  EXPECT_FALSE(g.remove_tag(PoolId{1}, "drained"));
  EXPECT_TRUE(g.remove_tag(g.root(), "since"));
  EXPECT_TRUE(g.remove_tag(g.root(), "drained"));
  EXPECT_EQ(g.tags(g.root()), nullptr);
  EXPECT_EQ(g.properties_version(), version);  // scores may read properties, not tags
}

// --- The whole graph

TEST(ResourceGraph, CountsWhatThereIs) {
  const ResourceGraph g = machine();
  const ResourceGraph::Statistics s = g.statistics();
  EXPECT_EQ(s.pools, 1U + 2 + 4 + 8 + 32 + 8 + 8 + 3);
  EXPECT_EQ(s.edges, 62U + 7);
  EXPECT_EQ(s.types, 9U);
  // cluster0, 2 racks, 4 nodes, 2 sockets, 4 cores, gpu0, memory0, power0, 2 PDUs
  EXPECT_EQ(s.names, 18U);
  EXPECT_EQ(s.paths, 63U + 7);  // in power: itself, 2 PDUs, 4 nodes
  EXPECT_EQ(s.pools_by_rank.at(-1), s.pools - 4);
  EXPECT_EQ(s.pools_by_rank.at(3), 1U);
  EXPECT_EQ(s.pools_by_rank.size(), 5U);
}

TEST(ResourceGraph, TakesAtMost64BytesAPool) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int n = 0; n < 1020; ++n) {
    const auto node = t.child(cluster, {.type = "node", .id = n, .rank = t.builder.next_rank()});
    for (int s = 0; s < 2; ++s) {
      const auto socket = t.child(node, {"socket", s});
      for (int c = 0; c < 48; ++c) t.child(socket, {"core", s * 48 + c});
    }
  }
  const ResourceGraph g = t.build();
  EXPECT_EQ(g.pool_count(), 1U + 1020 * 99);
  EXPECT_LE(g.bytes(), 64U * g.pool_count());
  EXPECT_GE(g.bytes(), 40U * g.pool_count());  // the columns are counted
  // cluster, node; the sockets have equal contents: a shape describes contents, not ids
  EXPECT_EQ(g.shapes().size(), 3U);
}

}  // namespace
}  // namespace copse
