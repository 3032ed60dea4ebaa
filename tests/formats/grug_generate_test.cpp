// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/grug/grug.hpp"
#include "grug_text.hpp"
#include "paths.hpp"

namespace copse::grug {
namespace {

using Lines = std::vector<std::string>;

ResourceGraph read(const std::string& text, std::string_view dominant = "containment") {
  auto graph = read_grug(text, "r", dominant);
  if (!graph) throw std::runtime_error(graph.error().message());
  return std::move(*graph);
}

SubsystemId subsystem_of(const ResourceGraph& graph, const std::string& name) {
  for (std::uint32_t s = 0; s < graph.subsystem_count(); ++s) {
    const SubsystemId id{static_cast<std::uint8_t>(s)};
    if (graph.subsystem_name(id) == name) return id;
  }
  throw std::runtime_error("no subsystem " + name);
}

// Paths of all pools in a subsystem, in order of creation.
Lines paths(const ResourceGraph& graph, const std::string& subsystem = "containment") {
  std::map<std::uint32_t, std::string> found;
  const SubsystemId s = subsystem_of(graph, subsystem);
  for (std::uint32_t p = 0; p < graph.pool_count(); ++p) {
    const std::string path = graph.path(PoolId{p}, s);
    if (!path.empty()) found[graph.created(PoolId{p})] = path;
  }
  Lines lines;
  for (const auto& [id, path] : found) lines.push_back(fmt::format("{} {}", id, path));
  return lines;
}

// The edges of a subsystem, "a->b relation/reverse", in edge order.
Lines edges(const ResourceGraph& graph, const std::string& subsystem) {
  Lines lines;
  const SubsystemId s = subsystem_of(graph, subsystem);
  graph.for_each_edge([&](const copse::Edge& e) {
    if (e.subsystem != s) return;
    const auto& words = graph.names().relations;
    lines.push_back(fmt::format("{}->{} {}/{}", graph.name(e.from), graph.name(e.to),
                                words.text(e.relation.v), words.text(e.reverse.v)));
  });
  return lines;
}

TEST(GrugGenerate, NumbersPoolsInOrderOfCreation) {
  EXPECT_EQ(
      paths(read(read_all(source_dir() + "/tests/data/grug/scopes.graphml"))),
      (Lines{"0 /cluster0", "1 /cluster0/rack0", "2 /cluster0/rack1",
             // id_scope 1, from 10 by 2: on through the cluster, as the scope reaches over racks
             "3 /cluster0/rack0/n10", "4 /cluster0/rack0/n12", "5 /cluster0/rack0/n14",
             "6 /cluster0/rack1/n16", "7 /cluster0/rack1/n18", "8 /cluster0/rack1/n20",
             // id_scope 2: 0 to 5 in rack0, 6 to 11 in rack1
             "9 /cluster0/rack0/n10/core0", "10 /cluster0/rack0/n10/core1",
             "11 /cluster0/rack0/n12/core2", "12 /cluster0/rack0/n12/core3",
             "13 /cluster0/rack0/n14/core4", "14 /cluster0/rack0/n14/core5",
             "15 /cluster0/rack1/n16/core6", "16 /cluster0/rack1/n16/core7",
             "17 /cluster0/rack1/n18/core8", "18 /cluster0/rack1/n18/core9",
             "19 /cluster0/rack1/n20/core10", "20 /cluster0/rack1/n20/core11"}));
}

TEST(GrugGenerate, RunsIdsWithinTheirScope) {
  struct Row {
    Data data;
    Lines names;  // of the cores of 2 racks x 2 nodes
  };
  const Row rows[] = {
      {{{"id_start", "7"}, {"id_stride", "5"}},  // the stride is not used
       {"core7", "core8", "core7", "core8", "core7", "core8", "core7", "core8"}},
      {{{"id_scope", "1"}, {"id_stride", "5"}},
       {"core0", "core5", "core10", "core15", "core0", "core5", "core10", "core15"}},
      {{{"id_scope", "2"}},
       {"core0", "core1", "core2", "core3", "core4", "core5", "core6", "core7"}},
      {{{"id_scope", "9223372036854775807"}},  // higher than the root: global
       {"core0", "core1", "core2", "core3", "core4", "core5", "core6", "core7"}},
      {{{"id_scope", "-1"}, {"id_start", "3"}},
       {"core", "core", "core", "core", "core", "core", "core", "core"}},
      {{{"id_scope", "1"}, {"id_start", "3"}, {"id_stride", "-1"}},
       {"core3", "core2", "core1", "core0", "core3", "core2", "core1", "core0"}},
  };
  for (Row row : rows) {
    row.data.push_back({"multi_scale", "2"});
    const ResourceGraph graph =
        read(grug_text(root("cluster") + typed("rack") + typed("node") + typed("core") +
                       edge("cluster", "rack", scale("2")) + edge("rack", "node", scale("2")) +
                       edge("node", "core", row.data)));
    Lines names;
    for (const PoolId p : graph.of_type(graph.find_type("core"))) names.push_back(graph.name(p));
    EXPECT_EQ(names, row.names);
  }
}

TEST(GrugGenerate, WalksDepthFirstInOrderOfDeclaration) {
  // The nodes of a child's subtree come before its later siblings; ranks follow creation.
  const ResourceGraph graph = read(grug_text(
      edge("cluster", "rack", scale("2")) + edge("cluster", "login") + edge("rack", "node") +
      typed("login", {{"type", "node"}, {"basename", "login"}}) + typed("rack") + typed("node") +
      root("cluster")));  // a child may be declared before its parent
  EXPECT_EQ(paths(graph),
            (Lines{"0 /cluster0", "1 /cluster0/rack0", "2 /cluster0/rack1",
                   "3 /cluster0/rack0/node0", "4 /cluster0/rack1/node0", "5 /cluster0/login0"}));
  std::map<std::uint32_t, std::int32_t> ranks;
  for (std::uint32_t p = 0; p < graph.pool_count(); ++p) {
    ranks[graph.created(PoolId{p})] = graph.rank(PoolId{p});
  }
  EXPECT_EQ(ranks, (std::map<std::uint32_t, std::int32_t>{
                       {0, -1}, {1, -1}, {2, -1}, {3, 0}, {4, 1}, {5, 2}}));
}

TEST(GrugGenerate, CarriesSizeUnitAndRelations) {
  const ResourceGraph graph = read(
      grug_text(root("node") + typed("memory", {{"size", "9223372036854775807"}, {"unit", "GB"}}) +
                edge("node", "memory", {{"relation", "has"}, {"rrelation", "of"}})));
  const PoolId memory{1};
  EXPECT_EQ(graph.size(memory), INT64_MAX);
  EXPECT_EQ(graph.unit_text(memory), "GB");
  EXPECT_EQ(graph.rank(PoolId{0}), 0);  // a root of type node has a rank as well
  EXPECT_EQ(edges(graph, "containment"), (Lines{"node0->memory0 has/of"}));
}

TEST(GrugGenerate, MakesNothingOfAScaleBelowOne) {
  for (const char* none : {"0", "-1", "-9223372036854775808"}) {
    const ResourceGraph graph =
        read(grug_text(root("a") + typed("b") + typed("c") + typed("d") + node("unused") +
                       edge("a", "b", scale(none)) + edge("b", "c", scale("3")) + edge("a", "d")));
    EXPECT_EQ(paths(graph), (Lines{"0 /a0", "1 /a0/d0"}));
    EXPECT_EQ(graph.find_type("c"), kNoType);  // types are ordered by their first pool
  }
}

TEST(GrugGenerate, ASecondRootTakesThePoolOfTheFirst) {
  const ResourceGraph graph = read(
      grug_text(root("a") + typed("b") + edge("a", "b") + root("z") + typed("c") + edge("z", "c")));
  EXPECT_EQ(paths(graph), (Lines{"0 /a0", "1 /a0/b0", "2 /a0/c0"}));
}

TEST(GrugGenerate, AssociatesWithEveryPoolOfAType) {
  const ResourceGraph graph =
      read(grug_text(kRacks + root("panel", "power") + gathered("p", "pdu") +
                     edge("panel", "p", associate("ASSOCIATE_IN"))));
  EXPECT_EQ(graph.pool_count(), 10U);
  EXPECT_EQ(paths(graph, "power"), (Lines{"3 /panel0/pdu0", "4 /panel0/pdu1", "9 /panel0"}));
  EXPECT_EQ(edges(graph, "power"), (Lines{"panel0->pdu0 contains/in", "panel0->pdu1 contains/in"}));
}

TEST(GrugGenerate, AssociatesByWhatIsLeftOfThePaths) {
  struct Row {
    const char *source_levels, *target_levels;
    Lines edges;  // from pdus to nodes
  };
  const Lines all{"pdu0->node0", "pdu0->node1", "pdu0->node2", "pdu0->node3",
                  "pdu1->node0", "pdu1->node1", "pdu1->node2", "pdu1->node3"};
  const Row rows[] = {
      {"1", "1", {"pdu0->node0", "pdu0->node1", "pdu1->node2", "pdu1->node3"}},  // the rack
      {"2", "2", all},                                                           // the cluster
      {"3", "9223372036854775807", all},  // nothing is left of both
      {"3", "2", {}},
      {"0", "0", {}},
      {"0", "1", {}},
  };
  for (const Row& row : rows) {
    const Data data = associate("ASSOCIATE_BY_PATH_IN", {{"as_src_uplvl", row.source_levels},
                                                         {"as_tgt_uplvl", row.target_levels}});
    const ResourceGraph graph = read(
        grug_text(kRacks + root("panel", "power") + gathered("p", "pdu") + gathered("n", "node") +
                  edge("panel", "p", associate("ASSOCIATE_IN")) + edge("p", "n", data)));
    Lines found;
    for (const std::string& line : edges(graph, "power")) {
      if (line.starts_with("pdu")) found.push_back(line.substr(0, line.find(' ')));
    }
    EXPECT_EQ(found, row.edges) << row.source_levels << ' ' << row.target_levels;
  }
}

TEST(GrugGenerate, AssociatesManySourcesWithFewTargetsByPath) {
  const ResourceGraph graph =
      read(grug_text(kRacks + root("panel", "power") + gathered("n", "node") +
                     gathered("p", "pdu") + edge("panel", "n", associate("ASSOCIATE_IN")) +
                     edge("n", "p", associate("ASSOCIATE_BY_PATH_IN"))));
  Lines found;
  for (const std::string& line : edges(graph, "power")) {
    if (line.starts_with("node")) found.push_back(line.substr(0, line.find(' ')));
  }
  EXPECT_EQ(found, (Lines{"node0->pdu0", "node1->pdu0", "node2->pdu1", "node3->pdu1"}));
}

TEST(GrugGenerate, ComparesPathsAsTexts) {
  // "node1" + "2" and "node" + "12" are one name.
  const std::string body =
      root("cluster") + node("a", {{"type", "a"}, {"basename", "node1"}}) +
      node("b", {{"type", "b"}, {"basename", "node"}}) + edge("cluster", "a", {{"id_start", "2"}}) +
      edge("cluster", "b", {{"id_start", "11"}, {"multi_scale", "2"}}) + root("top", "power") +
      gathered("x", "a") + gathered("y", "b") + edge("top", "x", associate("ASSOCIATE_IN")) +
      edge("x", "y",
           associate("ASSOCIATE_BY_PATH_IN", {{"as_src_uplvl", "0"}, {"as_tgt_uplvl", "0"}}));
  const ResourceGraph graph = read(grug_text(body));
  EXPECT_EQ(edges(graph, "power"),
            (Lines{"node12->node12 contains/in", "top0->node12 contains/in"}));
}

TEST(GrugGenerate, TheLatestAssociationGivesThePath) {
  // Comparing in power: pdus are below the panel they were joined to last.
  const std::string body =
      kRacks + root("hall", "power") + node("panel", {{"type", "panel"}, {"subsystem", "power"}}) +
      gathered("p", "pdu") + node("meter", {{"type", "meter"}, {"subsystem", "power"}}) +
      gathered("q", "pdu") +
      edge("hall", "panel", {{"e_subsystem", "power"}, {"multi_scale", "2"}}) +
      edge("panel", "p", associate("ASSOCIATE_IN")) +
      edge("hall", "meter", {{"e_subsystem", "power"}}) +
      edge(
          "meter", "q",
          associate("ASSOCIATE_BY_PATH_IN",
                    {{"as_tgt_subsystem", "power"}, {"as_src_uplvl", "1"}, {"as_tgt_uplvl", "2"}}));
  const ResourceGraph graph = read(grug_text(body));
  Lines found;
  for (const std::string& line : edges(graph, "power")) {
    if (line.find("pdu") != line.npos) found.push_back(line.substr(0, line.find(' ')));
  }
  EXPECT_EQ(found, (Lines{"panel0->pdu0", "panel0->pdu1", "panel1->pdu0", "panel1->pdu1",
                          "meter0->pdu0", "meter0->pdu1"}));
}

TEST(GrugGenerate, AssociationsTakeNoScaleFromLaterSiblings) {
  // After the association below panel, id_scope 1 must still see the two panels.
  const std::string body =
      kRacks + root("hall", "power") + node("panel", {{"type", "panel"}, {"subsystem", "power"}}) +
      gathered("p", "pdu") + node("watt", {{"type", "watt"}, {"subsystem", "power"}}) +
      edge("hall", "panel", {{"e_subsystem", "power"}, {"multi_scale", "2"}}) +
      edge("panel", "p", associate("ASSOCIATE_IN")) +
      edge("panel", "watt", {{"e_subsystem", "power"}, {"multi_scale", "2"}, {"id_scope", "1"}});
  const ResourceGraph graph = read(grug_text(body));
  Lines names;
  for (const PoolId p : graph.of_type(graph.find_type("watt"))) names.push_back(graph.name(p));
  EXPECT_EQ(names, (Lines{"watt0", "watt1", "watt2", "watt3"}));
}

TEST(GrugGenerate, MakesPoolsBelowAssociatedOnes) {
  const std::string body = kRacks + root("panel", "power") + gathered("p", "pdu") +
                           node("w", {{"type", "watt"}, {"subsystem", "power"}, {"size", "5"}}) +
                           edge("panel", "p", associate("ASSOCIATE_IN")) +
                           edge("p", "w", {{"e_subsystem", "power"}, {"multi_scale", "2"}});
  EXPECT_EQ(paths(read(grug_text(body), "power"), "power"),
            (Lines{"3 /panel0/pdu0", "4 /panel0/pdu1", "9 /panel0", "10 /panel0/pdu0/watt0",
                   "11 /panel0/pdu0/watt1", "12 /panel0/pdu1/watt0", "13 /panel0/pdu1/watt1"}));
}

TEST(GrugGenerate, ReadsTheFiveSubsystemsExample) {
  const std::string text = read_all(source_dir() + "/examples/machines/five-subsystems.graphml");
  const ResourceGraph graph = read(text);
  // 1 cluster, 1 core switch, 2 racks, 2 pdus, 2 edge switches, 8 nodes, 16 sockets, 128 cores,
  // 16 gpus, 32 memories; 4 roots; 1 + 2 + 8 and 2 bandwidths; 1 + 2 + 8 powers.
  EXPECT_EQ(graph.pool_count(), 208U + 4U + 13U + 11U);
  EXPECT_EQ(graph.tree_count(), 208U);
  const std::map<std::string, std::size_t> pools{{"containment", 208},
                                                 {"ibnet", 1 + 1 + 2 + 8},
                                                 {"ibnetbw", 1 + 1 + 2 + 8 + 11},
                                                 {"pfs1bw", 1 + 2 + 1 + 2 + 8},
                                                 {"power", 1 + 1 + 2 + 2 + 8 + 8}};
  for (const auto& [name, count] : pools) {
    EXPECT_EQ(paths(graph, name).size(), count) << name;
    EXPECT_EQ(edges(graph, name).size(), count - 1) << name;  // each subsystem is a tree
    EXPECT_EQ(read(text, name).tree_count(), count) << name;  // and can be the dominant one
  }
  // One edge in three subsystems, none lost.
  for (const char* name : {"ibnet", "ibnetbw", "pfs1bw"}) {
    const Lines found = edges(graph, name);
    const std::string words =
        name == std::string("ibnet") ? " connected_down/connected_up" : " conduit_of/conduit_from";
    EXPECT_EQ(std::ranges::count(found, "core_switch0->edge_switch1" + words), 1) << name;
    EXPECT_EQ(std::ranges::count(found, "edge_switch1->node4" + words), 1) << name;
    EXPECT_EQ(std::ranges::count(found, "edge_switch0->node4" + words), 0) << name;
  }
  EXPECT_EQ(std::ranges::count(edges(graph, "power"), "pdu1->node7 supplies_to/draws_from"), 1);
}

// The law of ids: a pool's number counts the pools of its recipe node that were made before it
// below the ancestor that id_scope reaches up to. Paths of creation numbers stand for ancestors.
void ids_count_within_their_scope() {
  struct Kind {
    std::size_t parent;
    std::int64_t count, scope, start, stride;
  };
  const auto kinds_max = static_cast<std::size_t>(*rc::gen::inRange(1, 7));
  std::vector<Kind> kinds;
  std::string body = root("0"), joins;
  for (std::size_t i = 1; i <= kinds_max; ++i) {
    const Kind kind{static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i))),
                    *rc::gen::inRange(0, 4), *rc::gen::inRange(-1, 5), *rc::gen::inRange(0, 50),
                    *rc::gen::inRange(-2, 4)};
    kinds.push_back(kind);
    body += typed(std::to_string(i));
    joins += edge(std::to_string(kind.parent), std::to_string(i),
                  {{"multi_scale", std::to_string(kind.count)},
                   {"id_scope", std::to_string(kind.scope)},
                   {"id_start", std::to_string(kind.start)},
                   {"id_stride", std::to_string(kind.stride)}});
  }
  const auto graph = read_grug(grug_text(body + joins));
  RC_ASSERT(graph.has_value());

  using Ancestry = std::vector<std::size_t>;  // creation number at each level, the pool itself last
  std::vector<std::vector<Ancestry>> made(kinds_max + 1);
  std::vector<std::pair<std::string, std::int64_t>> expected{{"0", 0}};
  made[0] = {{0}};
  const auto walk = [&](const auto& self, std::size_t source) -> void {
    for (std::size_t i = 1; i <= kinds_max; ++i) {
      const Kind& kind = kinds[i - 1];
      if (kind.parent != source) continue;
      std::map<Ancestry, std::int64_t> seen;
      for (const Ancestry& parent : made[source]) {
        const auto up = std::min<std::size_t>(
            parent.size() - 1, static_cast<std::size_t>(std::max<std::int64_t>(kind.scope, 0)));
        const Ancestry within(parent.begin(), parent.end() - static_cast<std::ptrdiff_t>(up));
        for (std::int64_t c = 0; c < kind.count; ++c) {
          const std::int64_t stride = kind.scope == 0 ? 1 : kind.stride;
          const std::int64_t id = kind.scope < 0 ? -1 : kind.start + stride * seen[within]++;
          Ancestry self_path = parent;
          self_path.push_back(expected.size());
          made[i].push_back(self_path);
          expected.emplace_back(std::to_string(i), id);
        }
      }
      self(self, i);
    }
  };
  walk(walk, 0);
  RC_ASSERT(graph->pool_count() == expected.size());
  for (std::uint32_t p = 0; p < graph->pool_count(); ++p) {
    const auto& [type, id] = expected[graph->created(PoolId{p})];
    RC_ASSERT(graph->type_name(PoolId{p}) == type);
    RC_ASSERT(graph->id(PoolId{p}) == id);
  }
}

TEST(GrugGenerate, IdsCountWithinTheirScope) {
  EXPECT_TRUE(rc::check("ids count within their scope", ids_count_within_their_scope));
}

}  // namespace
}  // namespace copse::grug
