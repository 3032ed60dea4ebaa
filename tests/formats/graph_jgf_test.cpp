// SPDX-License-Identifier: Apache-2.0
//
// Whole graphs written as JGF and read again.
#include <gtest/gtest.h>

#include "engine/jobs.hpp"
#include "formats/grug/grug.hpp"
#include "formats/grug_text.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "graph/small_graph.hpp"
#include "jgf_words.hpp"
#include "paths.hpp"

namespace copse::jgf {
namespace {

std::string written(const ResourceGraph& graph) {
  std::string out;
  EXPECT_TRUE(write_jgf(graph, out));
  return out;
}

TEST(GraphJgf, IsReadAgainAsTheSameGraph) {
  GraphText text = machine_text();
  text.builder.set_property(3, "model", "x\"y\n");
  text.builder.set_property(3, "empty", "");
  text.builder.set_name(5, "login");
  text.builder.set_uniq_id(6, INT64_C(1) << 60);
  text.builder.set_down(4);
  ResourceGraph graph = text.build();
  graph.set_own_path(PoolId{4}, subsystem(graph, "power"), "/somewhere/else");
  const ResourceGraph again = must_read(written(graph));
  EXPECT_EQ(described(again), described(graph));
  EXPECT_EQ(written(again), written(graph));
}

std::string relations(const ResourceGraph& g) {
  std::string out;
  g.for_each_edge([&](const Edge& e) {
    out += g.subsystem_name(e.subsystem) + ' ' + g.name(e.from) + ' ' +
           g.names().relations.text(e.relation.v) + ' ' + g.name(e.to) + ", " +
           g.names().relations.text(e.reverse.v) + '\n';
  });
  return out;
}

TEST(GraphJgf, KeepsRelations) {
  GraphText text;
  const auto cluster = text.pool({.type = "cluster", .id = 0});
  const auto node = text.child(cluster, {.type = "node", .id = 0});
  const auto pdu = text.pool({.type = "pdu", .id = 0});
  text.child(node, {.type = "core", .id = 0});
  text.edge(pdu, node, "power", "supplies_to", "draws_from");
  text.edge(cluster, pdu, "containment", "holds", "in");
  const ResourceGraph graph = text.build();
  const ResourceGraph again = must_read(written(graph));
  EXPECT_EQ(relations(again), relations(graph));
  EXPECT_NE(relations(again).find("power pdu0 supplies_to node0, draws_from"), std::string::npos);
  EXPECT_NE(
      written(graph).find(
          R"("metadata": {"subsystem": "power", "name": {"power": "supplies_to"}, "reverse": {"power": "draws_from"}})"),
      std::string::npos);
}

// RFC 4: a relation may be said from both ends, by two edges.
TEST(GraphJgf, OppositeEdgesAreOneRelation) {
  const std::vector<std::string> nodes{node("0", "cluster", "/cluster0"),
                                       node("1", "node", "/cluster0/node1"),
                                       node("2", "core", "/cluster0/node1/core2"),
                                       node("3", "pdu", "", R"("paths": {"power": "/pdu3"})")};
  const auto of = [](const std::string& from, const std::string& to, const std::string& subsystem,
                     const std::string& relation) {
    return R"({"source": ")" + from + R"(", "target": ")" + to + R"(", "metadata": {"name": {")" +
           subsystem + R"(": ")" + relation + R"("}}})";
  };
  const std::string forward[] = {of("0", "1", "containment", "contains"),
                                 of("1", "2", "containment", "contains"),
                                 of("3", "1", "power", "supplies_to")};
  const std::string back[] = {of("1", "0", "containment", "in"), of("2", "1", "containment", "in"),
                              of("1", "3", "power", "draws_from")};
  const std::string wanted =
      "containment cluster0 contains node1, in\ncontainment node1 contains core2, in\n"
      "power pdu3 supplies_to node1, draws_from\n";
  // Whatever the order, the paths say which way is down; without a path, the first edge does.
  const auto edges = std::vector<std::vector<std::string>>{
      {forward[0], back[0], forward[1], back[1], forward[2], back[2]},
      {back[0], forward[0], back[1], forward[1], forward[2], back[2]},
      {forward[2], back[2], back[1], back[0], forward[1], forward[0]}};
  for (const auto& order : edges) {
    const ResourceGraph g = must_read(document(nodes, order));
    EXPECT_EQ(relations(g), wanted);
    EXPECT_EQ(relations(must_read(written(g))), wanted);
  }
  // A pair without relations.
  const ResourceGraph pair =
      must_read(document({nodes[0], nodes[1]}, {edge("1", "0"), edge("0", "1")}));
  EXPECT_EQ(relations(pair), "containment cluster0 contains node1, in\n");
}

TEST(GraphJgf, OfEveryExampleIsReadAgainAsTheSameGraph) {
  int machines = 0;
  for (const char* name : {"desk", "five-subsystems"}) {
    const std::string path = (source_dir() + "/examples/machines/") + name + ".graphml";
    const std::string recipe = grug::read_all(path);
    if (recipe.empty()) continue;
    ++machines;
    for (const char* dominant : {"containment", "power"}) {
      const auto graph = read_grug(recipe, path, dominant);
      if (!graph) continue;
      const ResourceGraph again = must_read(written(*graph), dominant);
      EXPECT_EQ(described(again), described(*graph)) << path << ' ' << dominant;
    }
  }
  EXPECT_EQ(machines, 2);
}

TEST(GraphJgf, MatchesAsTheGraphThatItCameFrom) {
  for (const Policy& policy : bundled_policies()) {
    std::vector<std::uint64_t> fingerprints;
    std::vector<std::string> texts;
    for (const bool from_jgf : {false, true}) {
      ResourceGraph graph = machine();
      if (from_jgf) graph = must_read(written(graph));
      const auto engine = Engine::create(std::move(graph), {.policy = policy});
      ASSERT_TRUE(engine);
      std::string out;
      for (JobId job = 1; job <= 6; ++job) {
        const auto prepared = (*engine)->prepare(cores(2), "job");
        ASSERT_TRUE(prepared);
        const auto match = (*engine)->match(Operation::allocate_orelse_reserve, **prepared, job);
        if (!match) continue;
        std::vector<ExpandedPool> expanded;
        expand((*engine)->graph(), (*match)->selection, expanded);
        append_jgf({.graph = (*engine)->graph(), .pools = expanded}, false, out);
      }
      EXPECT_NE(out, "");
      texts.push_back(out);
      fingerprints.push_back((*engine)->fingerprint());
    }
    EXPECT_EQ(texts[0], texts[1]) << policy.name;
    EXPECT_EQ(fingerprints[0], fingerprints[1]) << policy.name;
  }
}

TEST(GraphJgf, StopsWhenTheSinkIsFull) {
  const auto written = write_jgf(machine(), [](std::string_view) { return false; });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::io);
}

}  // namespace
}  // namespace copse::jgf
