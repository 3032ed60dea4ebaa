// SPDX-License-Identifier: Apache-2.0
//
// Sets of resources as JGF, and the pools of a graph that they mean.
#include <gtest/gtest.h>

#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "graph/small_graph.hpp"
#include "jgf_words.hpp"

namespace copse::jgf {
namespace {

JgfSet must_read_set(const std::string& text) {
  auto set = read_jgf_set(text, "s");
  EXPECT_TRUE(set) << (set ? "" : set.error().message());
  if (!set) std::abort();
  return std::move(*set);
}

TEST(JgfSet, HoldsWhatTheTextSays) {
  const JgfSet set = must_read_set(
      R"({"graph": {"edges": [{"source": "5", "target": "gone", "metadata": {"subsystem": "power"}},
                              {"source": "6", "target": "5"}],
          "nodes": [{"id": "5", "metadata": {"type": "node", "basename": "n", "name": "n\u0031",
                     "rank": 2, "exclusive": true, "status": 1, "unit": "W", "size": 9,
                     "properties": {"z": "1", "a": "2"},
                     "paths": {"power": "/p/n1", "containment": "/c/n1"}}},
                    {"id": "6", "metadata": {"type": "core", "paths": {}}}]},
          "writer": "fluxion:jgf_shorthand", "free_ranks": "0-3,7"})");
  ASSERT_EQ(set.nodes.size(), 2U);
  const JgfNode& n = set.nodes[0];
  EXPECT_EQ(n.outer_id, "5");
  EXPECT_EQ(n.type, "node");
  EXPECT_EQ(n.basename, "n");
  EXPECT_EQ(n.name, "n1");
  EXPECT_EQ(n.unit, "W");
  EXPECT_EQ(n.id, 1);
  EXPECT_EQ(n.uniq_id, 5);
  EXPECT_EQ(n.size, 9);
  EXPECT_EQ(n.rank, 2);
  EXPECT_TRUE(n.exclusive);
  EXPECT_TRUE(n.down);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(n.properties, (Pairs{{"a", "2"}, {"z", "1"}}));
  EXPECT_EQ(n.paths, (Pairs{{"power", "/p/n1"}, {"containment", "/c/n1"}}));
  EXPECT_EQ(set.nodes[1].name, "core6");
  EXPECT_FALSE(set.nodes[1].exclusive);
  ASSERT_EQ(set.edges.size(), 2U);
  EXPECT_EQ(set.edges[0].source, 0U);
  EXPECT_EQ(set.edges[0].target, JgfEdge::kNone);
  EXPECT_EQ(set.edges[0].target_id, "gone");
  EXPECT_EQ(set.edges[0].subsystem, "power");
  EXPECT_EQ(set.edges[1].source, 1U);
  EXPECT_EQ(set.edges[1].subsystem, "containment");
  EXPECT_EQ(set.writer, "fluxion:jgf_shorthand");
  ASSERT_TRUE(set.free_ranks);
  EXPECT_EQ(set.free_ranks->text(), "0-3,7");
}

TEST(JgfSet, StandsInAnR) {
  const std::string graph = document({node("1", "core", "/c/core1")}, {});
  const JgfSet set = must_read_set(R"({"version": 1, "execution": {"R_lite": [{"rank": "0"}]},
      "scheduling": )" + graph.substr(0, graph.size() - 1) +
                                   R"(, "writer": "fluxion"}, "free_ranks": [3, 1, 2]})");
  EXPECT_EQ(set.nodes.size(), 1U);
  EXPECT_EQ(set.writer, "fluxion");
  EXPECT_EQ(set.free_ranks->text(), "1-3");
  EXPECT_FALSE(must_read_set(graph).writer);
  EXPECT_FALSE(must_read_set(graph).free_ranks);
}

TEST(JgfSet, IsRefusedWithAPlace) {
  struct Row {
    std::string text, message;
  };
  const std::string graph = R"("graph": {"nodes": [], "edges": []})";
  const Row rows[] = {
      {"{}", "s:1:1: JGF does not contain a required key (graph)"},
      {R"({"scheduling": null})", "s:1:1: JGF does not contain a required key (graph)"},
      {R"({"scheduling": {"scheduling": {)" + graph + "}}}",
       "s:1:1: JGF does not contain a required key (graph)"},
      {"{" + graph + R"(, "free_ranks": [-1]})",
       R"(s:1:54: a rank of "free_ranks" must be a whole number from 0 to 2147483647)"},
      {"{" + graph + R"(, "free_ranks": 1})", R"(s:1:53: "free_ranks" must be a string)"},
      {"{" + graph + R"(, "writer": "a", "scheduling": {"writer": "b"}})",
       R"(s:1:79: "writer" is given twice)"},
      {document({node("1", "a", "/a"), node("1", "b", "/b")}, {}),
       "s:3:8: found duplicate JGF node id for 1"},
  };
  for (const Row& row : rows) {
    const auto set = read_jgf_set(row.text, "s");
    EXPECT_EQ(set ? "accepted" : set.error().message(), row.message) << row.text;
  }
  const auto set = read_jgf_set("{" + graph + R"(, "free_ranks": "3-1"})", "s");
  ASSERT_FALSE(set);
  EXPECT_TRUE(set.error().message().starts_with("s:1:53: \"free_ranks\" is not an idset: "))
      << set.error().message();
}

TEST(JgfSet, EveryPoolOfAGraphIsFound) {
  const ResourceGraph g = machine();
  std::string text;
  ASSERT_TRUE(write_jgf(g, text));
  const JgfSet set = must_read_set(text);
  ASSERT_EQ(set.nodes.size(), g.pool_count());
  for (const JgfNode& node : set.nodes) {
    const auto found = find_pool(g, node);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(g.created(*found), node.uniq_id);
  }
}

TEST(JgfSet, SaysHowANodeDiffersFromItsPool) {
  const ResourceGraph g = machine();
  std::string text;
  ASSERT_TRUE(write_jgf(g, text));
  JgfNode good;
  for (const JgfNode& node : must_read_set(text).nodes) {
    if (node.name == "node2") good = node;
  }
  ASSERT_TRUE(find_pool(g, good));
  struct Row {
    void (*change)(JgfNode&);
    std::string message;
  };
  const Row rows[] = {
      {[](JgfNode& n) { n.paths.clear(); }, "JGF node 5 has no path to find it by"},
      {[](JgfNode& n) { n.paths[0].second += "x"; },
       "no pool has the containment path /cluster0/rack1/node2x"},
      {[](JgfNode& n) { n.paths[1].second = "/power0/pdu0/node0"; },
       "no pool has the power path /power0/pdu0/node0 and the paths before it"},
      {[](JgfNode& n) { n.paths[1].first = "ibnet"; }, "the graph has no subsystem ibnet"},
      {[](JgfNode& n) { n.paths.pop_back(); },
       "/cluster0/rack1/node2: paths: it has one in subsystem power in the graph and none in JGF"},
      {[](JgfNode& n) { n.rank = 7; },
       "/cluster0/rack1/node2: rank is 2 in the graph and 7 in JGF"},
      {[](JgfNode& n) { n.type = "core"; },
       "/cluster0/rack1/node2: type is node in the graph and core in JGF"},
      {[](JgfNode& n) { n.basename = "n"; },
       "/cluster0/rack1/node2: basename is node in the graph and n in JGF"},
      {[](JgfNode& n) { n.size = 2; },
       "/cluster0/rack1/node2: size is 1 in the graph and 2 in JGF"},
      {[](JgfNode& n) { n.id = 3; }, "/cluster0/rack1/node2: id is 2 in the graph and 3 in JGF"},
      {[](JgfNode& n) { n.name = "n"; },
       "/cluster0/rack1/node2: name is node2 in the graph and n in JGF"},
  };
  for (const Row& row : rows) {
    JgfNode changed = good;
    row.change(changed);
    const auto found = find_pool(g, changed);
    EXPECT_EQ(found ? "found" : found.error().message(), row.message);
  }
  for (void (*change)(JgfNode&) :
       {+[](JgfNode& n) { n.uniq_id = 99; }, +[](JgfNode& n) { n.unit = "W"; },
        +[](JgfNode& n) { n.down = true; }, +[](JgfNode& n) { n.properties = {{"a", "b"}}; }}) {
    JgfNode changed = good;
    change(changed);
    EXPECT_TRUE(find_pool(g, changed));
  }
}

TEST(JgfSet, PoolsWithOnePathAreToldApartByRank) {
  const ResourceGraph g =
      must_read(document({node("0", "cluster", "/cluster0"),
                          node("1", "node", "/cluster0/n", R"("id": -1, "name": "n", "rank": 0)"),
                          node("2", "node", "/cluster0/n", R"("id": -1, "name": "n", "rank": 1)")},
                         {edge("0", "1"), edge("0", "2")}));
  JgfNode wanted;
  wanted.type = wanted.basename = "node";
  wanted.name = "n";
  wanted.paths = {{"containment", "/cluster0/n"}};
  // The basename is "node", and without an id the name would be that.
  for (const std::int32_t rank : {0, 1}) {
    wanted.rank = rank;
    const auto found = find_pool(g, wanted);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(g.uniq_id(*found), rank + 1);
  }
}

}  // namespace
}  // namespace copse::jgf
