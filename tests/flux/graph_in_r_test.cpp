// SPDX-License-Identifier: Apache-2.0
#include "flux/machine/graph_in_r.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flux/machine/machine.hpp"

namespace copse::flux {
namespace {

// A graph of a cluster; each line adds a pool: parent, type, name, id, rank (-1: none).
class Graph {
 public:
  Graph() { add(-1, "cluster", "c", 0, -1); }
  int add(int above, const std::string& type, const std::string& name, int id, int rank) {
    const int number = static_cast<int>(paths_.size());
    paths_.push_back((above < 0 ? "" : paths_[static_cast<std::size_t>(above)]) + "/" + name);
    const std::string given = rank < 0 ? "" : fmt::format(R"("rank":{},)", rank);
    pools_ += fmt::format(
        R"({}{{"id":"{}","metadata":{{"type":"{}","name":"{}","id":{},{}"paths":{{"containment":"{}"}}}}}})",
        number > 0 ? "," : "", number, type, name, id, given, paths_.back());
    if (above >= 0) {
      edges_ += fmt::format(R"({}{{"source":"{}","target":"{}"}})", edges_.empty() ? "" : ",",
                            above, number);
    }
    return number;
  }
  // A node, or another pool, with cores.
  int add_node(int above, const std::string& type, const std::string& name, int rank,
               const std::vector<int>& cores) {
    const int node = add(above, type, name, 0, rank);
    for (const int core : cores) add(node, "core", fmt::format("core{}", core), core, rank);
    return node;
  }
  [[nodiscard]] std::string in_r(const std::string& lite, const std::string& hosts,
                                 const std::string& writer = "") const {
    return fmt::format(
        R"({{"version":1,"execution":{{"R_lite":[{}],"nodelist":["{}"],"starttime":0,"expiration":0}},"scheduling":{{{}"graph":{{"nodes":[{}],"edges":[{}]}}}}}})",
        lite, hosts, writer, pools_, edges_);
  }

 private:
  std::vector<std::string> paths_;
  std::string pools_, edges_;
};

InstanceMachine machine_of(const std::string& r) {
  const auto all = read_inventory(r);
  EXPECT_TRUE(all) << all.error().message();
  auto out = machine_of_r(r, *all, true, {});
  EXPECT_TRUE(out) << out.error().message();
  return std::move(*out);
}

// "PATH rank" of each pool of the type.
std::string places(const InstanceMachine& machine, std::string_view type) {
  const ResourceGraph& graph = machine.engine->graph();
  std::string out;
  for (const PoolId pool : graph.of_type(graph.find_type(type))) {
    if (graph.removed(pool)) continue;
    out += fmt::format("{} {};", graph.path(pool, graph.dominant()), graph.rank(pool));
  }
  return out;
}

// A rabbit is a pool of another type than node, with a rank and cores.
TEST(GraphInRTest, StorageNodesHaveRanks) {
  Graph graph;
  const int chassis = graph.add(0, "chassis", "chassis0", 0, -1);
  graph.add(chassis, "ssd", "ssd0", 0, -1);
  graph.add_node(chassis, "node", "n1", 0, {0, 1});
  graph.add_node(chassis, "storage_node", "rabbit", 1, {0});
  const auto machine = machine_of(
      graph.in_r(R"({"rank":"0","children":{"core":"0-1"}},{"rank":"1","children":{"core":"0"}})",
                 "n1,rabbit"));
  EXPECT_EQ(machine.summary(), "machine: 1 node, 3 cores, 0 gpus (the graph in R)");
  EXPECT_TRUE(machine.remarks.empty());
  EXPECT_EQ(places(machine, "ssd"), "/c/chassis0/ssd0 -1;");
  EXPECT_EQ(places(machine, "storage_node"), "/c/chassis0/rabbit 1;");
}

TEST(GraphInRTest, WithoutRanksNamesDecide) {
  Graph graph;
  const int chassis = graph.add(0, "chassis", "chassis0", 0, -1);
  graph.add(chassis, "ssd", "ssd0", 0, -1);
  graph.add_node(chassis, "node", "b", -1, {0});
  graph.add_node(chassis, "node", "a", -1, {0});
  graph.add_node(chassis, "node", "spare", -1, {0});
  const auto machine = machine_of(graph.in_r(R"({"rank":"0-1","children":{"core":"0"}})", "a,b"));
  EXPECT_EQ(machine.source, "the graph in R");
  EXPECT_EQ(places(machine, "node"), "/c/chassis0/b 1;/c/chassis0/a 0;");
  EXPECT_EQ(places(machine, "core"), "/c/chassis0/b/core0 1;/c/chassis0/a/core0 0;");
  EXPECT_EQ(places(machine, "ssd"), "/c/chassis0/ssd0 -1;");
  ASSERT_EQ(machine.remarks.size(), 1U);
  EXPECT_EQ(machine.remarks[0], "the graph in R has nodes without a rank, 1: left out");
}

// Flux excludes ranks, and R has none of them.
TEST(GraphInRTest, OtherRanksAreLeftOut) {
  Graph graph;
  for (int rank = 0; rank < 4; ++rank) {
    graph.add_node(0, "node", fmt::format("n{}", rank), rank, {0, 1});
  }
  const auto machine =
      machine_of(graph.in_r(R"({"rank":"0,3","children":{"core":"0-1"}})", "n[0,3]"));
  EXPECT_EQ(places(machine, "node"), "/c/n0 0;/c/n3 3;");
  ASSERT_EQ(machine.remarks.size(), 1U);
  EXPECT_EQ(machine.remarks[0], "the graph in R has rank [1-2], which R has not: left out");
}

// In an instance in a job, Flux numbers ranks and cores from 0. GPUs keep their ids.
TEST(GraphInRTest, RanksAndCoresOfAJobAreRenumbered) {
  Graph graph;
  const int rack = graph.add(0, "rack", "rack7", 7, -1);
  graph.add(rack, "ssd", "ssd0", 0, -1);
  const int node = graph.add_node(rack, "node", "same", 3, {4, 6});
  graph.add(node, "gpu", "gpu1", 1, 3);
  graph.add_node(rack, "node", "same", 5, {2, 3});
  const auto machine = machine_of(graph.in_r(R"({"rank":"0","children":{"core":"0-1","gpu":"1"}},)"
                                             R"({"rank":"1","children":{"core":"0-1"}})",
                                             "same,same"));
  EXPECT_TRUE(machine.remarks.empty());
  EXPECT_EQ(places(machine, "node"), "/c/rack7/same 0;/c/rack7/same 1;");
  EXPECT_EQ(places(machine, "core"),
            "/c/rack7/same/core0 0;/c/rack7/same/core1 0;/c/rack7/same/core0 1;"
            "/c/rack7/same/core1 1;");
  EXPECT_EQ(places(machine, "gpu"), "/c/rack7/same/gpu1 0;");
  EXPECT_EQ(places(machine, "ssd"), "/c/rack7/ssd0 -1;");
}

TEST(GraphInRTest, WhatIsNotUsedIsSaid) {
  Graph graph;
  graph.add_node(0, "node", "n0", 0, {0});
  const auto remark = [&](const std::string& lite, const std::string& hosts,
                          const std::string& writer = "") {
    const auto machine = machine_of(graph.in_r(lite, hosts, writer));
    return machine.source + ": " + (machine.remarks.empty() ? "" : machine.remarks[0]);
  };
  const std::string one = R"({"rank":"0","children":{"core":"0"}})";
  EXPECT_EQ(remark(one, "n0"), "the graph in R: ");
  EXPECT_EQ(remark(R"({"rank":"0-1","children":{"core":"0"}})", "n[0-1]"),
            "R: the key scheduling in R is not used: it has no rank 1");
  EXPECT_EQ(remark(R"({"rank":"0","children":{"core":"0-1"}})", "n0"),
            "R: the key scheduling in R is not used: it has 1 of the 2 cores of rank 0");
  EXPECT_EQ(remark(R"({"rank":"0","children":{"core":"0","gpu":"0"}})", "n0"),
            "the graph in R: the graph in R lacks gpus that R has on rank 0");
  EXPECT_EQ(remark(one, "n0", R"("writer":"fluxion:jgf_shorthand",)"),
            "R: the key scheduling in R is not used: it leaves out what whole nodes contain");
  EXPECT_EQ(remark(one, "n0", R"("writer":"poem",)"),
            "R: the key scheduling in R is not used: its writer is poem");
  const auto nonsense = machine_of(
      R"({"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["n0"],)"
      R"("starttime":0,"expiration":0},"scheduling":"nonsense"})");
  ASSERT_EQ(nonsense.remarks.size(), 1U);
  EXPECT_EQ(nonsense.remarks[0], "the key scheduling in R is not used: it is not JGF");
}

// Queues are properties of ranks.
TEST(GraphInRTest, PropertiesOfRAreAdded) {
  Graph graph;
  graph.add_node(0, "node", "n0", 0, {0});
  std::string r = graph.in_r(R"({"rank":"0","children":{"core":"0"}})", "n0");
  r.insert(r.find(R"("starttime")"), R"("properties":{"fast":"0"},)");
  const auto machine = machine_of(r);
  const ResourceGraph& graph_of = machine.engine->graph();
  const auto* has = graph_of.properties(graph_of.of_type(graph_of.find_type("node")).front());
  ASSERT_NE(has, nullptr);
  EXPECT_TRUE(has->contains("fast"));
}

// Flux reports this where all ranks are excluded.
TEST(GraphInRTest, AnRWithoutRanksIsAnEmptyMachine) {
  const auto machine =
      machine_of(R"({"version":1,"execution":{"R_lite":[],"starttime":0.0,"expiration":0.0}})");
  EXPECT_EQ(machine.summary(), "machine: 0 nodes, 0 cores, 0 gpus (R)");
}

}  // namespace
}  // namespace copse::flux
