// SPDX-License-Identifier: Apache-2.0
#include "hres/channels.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "formats/grug/grug.hpp"
#include "graph/graph_builder.hpp"
#include "hres/availability/channel_availability.hpp"
#include "paths.hpp"

namespace copse {
namespace {

ResourceGraph example(const std::string& name) {
  const std::string path = source_dir() + "/examples/machines/" + name;
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  auto graph = read_grug(text, path, "containment");
  EXPECT_TRUE(graph);
  return std::move(*graph);
}

SubsystemId subsystem(const ResourceGraph& graph, std::string_view name) {
  return SubsystemId{static_cast<std::uint8_t>(graph.names().subsystems.find(name))};
}

// The paths of the capacities on a path, lowest first; "" between the pools on it.
std::vector<std::string> path_start(Channels& channels, const ResourceGraph& graph,
                                    const char* path, std::uint32_t channel) {
  std::vector<std::string> out;
  for (std::uint32_t n = channels.path_start(graph.at_path(path).front(), channel);
       n != Channels::kNone; n = channels.path_pool(n).up) {
    for (const std::uint32_t c : channels.capacities(channels.path_pool(n))) {
      out.push_back(graph.path(channels.capacity(c), channels.channel(channel).subsystem));
    }
  }
  return out;
}

TEST(Channels, CapacitiesAreChildrenOfTheTypeAskedFor) {
  const ResourceGraph graph = example("five-subsystems.graphml");
  Channels channels(graph, {subsystem(graph, "power")});
  const auto power = channels.find("power");
  ASSERT_TRUE(power && *power);
  const std::vector<std::string> wanted{"/panel0/pdu1/node4/power0", "/panel0/pdu1/power0",
                                        "/panel0/power0"};
  EXPECT_EQ(path_start(channels, graph, "/cluster0/rack1/node4", **power), wanted);
  // A pool outside the subsystem is charged as the lowest pool above it that is in it.
  EXPECT_EQ(path_start(channels, graph, "/cluster0/rack1/node4/socket1/core9", **power), wanted);
  EXPECT_EQ(channels.path_start(graph.at_path("/cluster0/rack1").front(), **power),
            Channels::kNone);
}

TEST(Channels, CapacitiesArePoolsOfASize) {
  const ResourceGraph graph = example("io-path.graphml");
  Channels channels(graph, {subsystem(graph, "pfs1bw")});
  const auto bandwidth = channels.find("pfs1bw");
  ASSERT_TRUE(bandwidth && *bandwidth);
  EXPECT_EQ(path_start(channels, graph, "/cluster0/rack0/node1", **bandwidth),
            (std::vector<std::string>{"/pfs1bw0/core_switch0/edge_switch0", "/pfs1bw0/core_switch0",
                                      "/pfs1bw0"}));
}

TEST(Channels, ANameStandsForTheOneTypeOfItsLeaves) {
  const ResourceGraph graph = example("five-subsystems.graphml");
  Channels channels(graph, {subsystem(graph, "pfs1bw"), subsystem(graph, "ibnetbw")});
  const auto by_name = channels.find("pfs1bw");
  ASSERT_TRUE(by_name && *by_name);
  EXPECT_EQ(path_start(channels, graph, "/cluster0/rack0/node1", **by_name),
            (std::vector<std::string>{"/pfs0/bandwidth0", "/pfs0/bandwidth1"}));
  const auto both = channels.find("bandwidth");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().text,
            "bandwidth is of several auxiliary subsystems: pfs1bw, ibnetbw; ask for it by the name "
            "of one");
}

TEST(Channels, OtherWordsMeanOtherThings) {
  const ResourceGraph graph = example("five-subsystems.graphml");
  Channels channels(graph, {subsystem(graph, "power")});
  for (const char* word : {"node", "core", "pdu", "bandwidth", "slot", "ibnet", "nothing"}) {
    const auto found = channels.find(word);
    ASSERT_TRUE(found) << word;
    EXPECT_FALSE(*found) << word;
  }
  const auto panel = channels.find("panel");  // only power has the type: its root is the capacity
  ASSERT_TRUE(panel && *panel);
  EXPECT_EQ(path_start(channels, graph, "/cluster0/rack0/node1", **panel),
            (std::vector<std::string>{"/panel0"}));
}

// A pool with several parents in the subsystem follows the edge that was added last.
TEST(Channels, OfSeveralParentsTheLastCounts) {
  GraphBuilder b;
  const auto containment = *b.subsystem("containment"), power = *b.subsystem("power");
  auto add = [&](const char* type, std::int64_t size, std::int64_t id) {
    return *b.add_pool({*b.type(type), b.basename(type), *b.unit(""), size, id, -1});
  };
  const auto cluster = add("cluster", 1, 0), node = add("node", 1, 0), root = add("power", 9, 0);
  const auto a = add("power", 5, 1), c = add("power", 7, 2);
  ASSERT_TRUE(b.set_root(containment, cluster));
  ASSERT_TRUE(b.set_root(power, root));
  ASSERT_TRUE(b.add_edge(cluster, node, containment));
  for (const auto& [from, to] : {std::pair{root, a}, {root, c}, {a, node}, {c, node}}) {
    ASSERT_TRUE(b.add_edge(from, to, power));
  }
  const auto graph = b.build();
  ASSERT_TRUE(graph);
  Channels channels(*graph, {power});
  EXPECT_EQ(path_start(channels, *graph, "/cluster0/node0", **channels.find("power")),
            (std::vector<std::string>{"/power0/power2", "/power0"}));
}

TEST(Channels, TimesAreSumsOfWhatIsCharged) {
  const ResourceGraph graph = example("power-panel.graphml");
  Channels channels(graph, {subsystem(graph, "power")});
  const std::uint64_t untouched = channels.fingerprint();
  const PoolId panel = graph.at_path("/panel0/power0").front();
  const CapacityCharge charge{panel, subsystem(graph, "power"), 6'000'000'000};
  channels.apply({&charge, 1}, 10, 20, 1);
  channels.apply({&charge, 1}, 15, 30, 1);
  EXPECT_EQ(channels.most_charged(panel, 0, 10), 0);
  EXPECT_EQ(channels.most_charged(panel, 0, 11), 6'000'000'000);
  EXPECT_EQ(channels.most_charged(panel, 12, 16), 12'000'000'000);
  channels.apply({&charge, 1}, 10, 20, -1);
  channels.apply({&charge, 1}, 15, 30, -1);
  EXPECT_EQ(channels.planner(panel), nullptr);
  EXPECT_EQ(channels.fingerprint(), untouched);
}

TEST(ChannelAvailability, TakesAndGivesBack) {
  const ResourceGraph graph = example("power-panel.graphml");
  State state(graph, 0);
  Channels channels(graph, {subsystem(graph, "power")});
  const ChannelNeed need[] = {{**channels.find("power"), 2000}};
  ChargeLedger ledger;
  ChannelAvailability availability(graph, state, channels, ledger);
  std::vector<PoolId> nodes = graph.of_type(graph.find_type("node"));
  ASSERT_EQ(nodes.size(), 8u);
  ledger.begin();
  availability.begin(0, 0, 100, false);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_TRUE(availability.take(nodes[n], 0, need));
  const std::size_t mark = ledger.mark();
  EXPECT_TRUE(availability.take(nodes[4], 0, need));
  EXPECT_FALSE(ledger.contended());
  EXPECT_FALSE(availability.take(nodes[5], 0, need));  // the panel
  EXPECT_TRUE(ledger.contended());
  EXPECT_EQ(availability.refusal().pool, graph.at_path("/panel0/power0").front());
  EXPECT_EQ(availability.refusal().free, 10'000);
  EXPECT_EQ(availability.refusal().wanted, 12'000);
  ledger.undo_to(mark);
  EXPECT_TRUE(availability.take(nodes[5], 0, need));
  std::vector<CapacityCharge> charges;
  availability.charges(charges);
  ASSERT_EQ(charges.size(), 8u);  // panel, two pdus, five nodes
  EXPECT_EQ(charges.front().amount, 10'000);
  EXPECT_EQ(charges[1].amount, 8'000);
  ledger.reset();
  EXPECT_TRUE(availability.take(nodes[7], 0, need));
  EXPECT_FALSE(availability.lacks({need[0].channel, 10'000}));
  EXPECT_TRUE(availability.lacks({need[0].channel, 10'001}));
}

TEST(ChannelAvailability, WhatIsDownSuppliesNothing) {
  const ResourceGraph graph = example("power-panel.graphml");
  State state(graph, 0);
  Channels channels(graph, {subsystem(graph, "power")});
  const ChannelNeed need[] = {{**channels.find("power"), 2000}};
  ChargeLedger ledger;
  ChannelAvailability availability(graph, state, channels, ledger);
  const PoolId node = graph.at_path("/cluster0/rack0/node0").front();
  for (const char* path : {"/panel0", "/panel0/power0", "/panel0/pdu0", "/panel0/pdu0/power0"}) {
    const PoolId pool = graph.at_path(path).front();
    state.set_status(pool, Status::down);
    ledger.begin();
    availability.begin(0, 0, 100, false);
    EXPECT_FALSE(availability.eligible(node, 0, need)) << path;
    EXPECT_EQ(availability.refusal().cause, ChannelAvailability::Cause::down) << path;
    EXPECT_EQ(availability.refusal().pool, pool);
    ledger.begin();
    availability.begin(0, 0, 100, true);
    EXPECT_TRUE(availability.eligible(node, 0, need)) << path;
    state.set_status(pool, Status::up);
    ledger.begin();
    availability.begin(0, 0, 100, false);
    EXPECT_TRUE(availability.eligible(node, 0, need)) << path;
  }
}

}  // namespace
}  // namespace copse
