// SPDX-License-Identifier: Apache-2.0
//
// Cases in which the treepool traverser finds more than flux-core's TreePool, and its state under
// all operations of an engine.
#include "engine/treepool_machine.hpp"
#include "graph/small_graph.hpp"

namespace copse::test {
namespace {

constexpr const char* kFourNuma = R"({"numa": [{"cores": "0-3", "gpus": "0"},
    {"cores": "4-7", "gpus": "1"}, {"cores": "8-11", "gpus": "2"}, {"cores": "12-15",
    "gpus": "3"}]})";
constexpr const char* kTwoSockets = R"({"socket": [{"numa": [{"cores": "0-3", "gpus": "0"},
    {"cores": "4-7", "gpus": "1"}]}, {"numa": [{"cores": "8-11", "gpus": "2"},
    {"cores": "12-15", "gpus": "3"}]}]})";

Nodes four_numa(const std::string& ranks) { return {ranks, "0-15", "0-3", kFourNuma}; }
Nodes two_sockets(const std::string& ranks) { return {ranks, "0-15", "0-3", kTwoSockets}; }

// Slots of 3 cores: one in each NUMA domain, and the fifth from the rest, as with GPUs.
TEST(Treepool, SlotsOfCoresSpillToCoarserLevels) {
  TreepoolMachine m({four_numa("0")});
  EXPECT_EQ(m.alloc("node/slot=5/core=3", 1), "0: core 0-14");
  EXPECT_EQ(m.nslots, 5);
  EXPECT_EQ(m.alloc("slot=1/core=2", 2), "insufficient");
}

// All pools of a socket are in use one by one, and the socket itself is planned for later: freed
// pools are free until then.
TEST(Treepool, PlansOfASocketAreSeenBehindWhatIsInUseBelowIt) {
  TreepoolMachine m(machine());
  Engine& e = *m.engine;
  const PoolId socket = at(e.graph(), "/cluster0/rack0/node0/socket0");
  std::vector<PoolId> below(e.graph().children(socket).begin(), e.graph().children(socket).end());
  ASSERT_TRUE(e.update(1, below, 0, 100));
  ASSERT_TRUE(e.update(2, {&socket, 1}, 200, 100));
  EXPECT_NE(m.alloc("slot=1/core=5", 3, "", 300, Operation::allocate), "insufficient");
  ASSERT_TRUE(e.cancel(3));
  ASSERT_TRUE(e.cancel(1));
  EXPECT_EQ(m.alloc("slot=4/node/core=8", 3, "", 300, Operation::allocate), "insufficient");
  EXPECT_NE(m.alloc("slot=4/node/core=8", 3, "", 200, Operation::allocate), "insufficient");
}

// A node on which all slots fit domains is chosen before one on which some would cross domains.
TEST(Treepool, NodesWithoutSpillingComeFirst) {
  TreepoolMachine m({four_numa("0-1")});
  EXPECT_EQ(m.alloc("slot=1/core=4", 1), "0: core 0-3");
  EXPECT_EQ(m.alloc("node/slot=4/core=3", 2), "1: core 0-2,4-6,8-10,12-14");
  EXPECT_EQ(m.alloc("node/slot=4/core=3", 3), "0: core 4-15");
}

TEST(Treepool, GpusAboveTheLeavesServeSlots) {
  TreepoolMachine m({{"0", "0-7", "0-1", R"({"gpus": "0-1",
      "numa": [{"cores": "0-3"}, {"cores": "4-7"}]})"}});
  EXPECT_EQ(m.alloc("slot=2/[core=2;gpu=1]", 1), "0: core 0-3 gpu 0-1");
  TreepoolMachine s({{"0", "0-7", "0-1", R"({"socket": [
      {"gpus": "0", "numa": [{"cores": "0-1"}, {"cores": "2-3"}]},
      {"gpus": "1", "numa": [{"cores": "4-5"}, {"cores": "6-7"}]}]})"}});
  EXPECT_EQ(s.alloc("slot=1/core=1", 1), "0: core 0");
  EXPECT_EQ(s.alloc("slot=1/[core=4;gpu=1]", 2), "0: core 4-7 gpu 1");  // socket 1
  EXPECT_EQ(s.alloc("slot=1/socket{x}", 3), "insufficient");
}

// A domain of cores does not hide the domains in it; cores outside all domains are still cores.
TEST(Treepool, CoresBesideDomainsCount) {
  TreepoolMachine m({{"0", "0-9", "", R"({"cores": "0-7",
      "numa": [{"cores": "0-3"}, {"cores": "4-7"}]})"}});
  EXPECT_EQ(m.alloc("slot=1/core=1", 1), "0: core 8");  // 8-9: the smallest group
  EXPECT_EQ(m.alloc("slot=1/numa{x}", 2), "0: core 0-3");
  EXPECT_EQ(m.alloc("slot=5/core=1", 3), "0: core 4-7,9");
  EXPECT_EQ(m.alloc("slot=1/core=1", 4), "insufficient");
}

// A request that does not fit the empty machine is never granted.
TEST(Treepool, FeasibilityIsAllocationOnAnEmptyMachine) {
  TreepoolMachine m({four_numa("0-1")});
  EXPECT_EQ(m.satisfy("node{x}/slot=5/core=3"), "satisfiable");
  EXPECT_EQ(m.satisfy("node{x}/slot=6/core=3"), "infeasible");  // flux-core: one slot is enough
  EXPECT_EQ(m.satisfy("slot=9/numa{x}"), "infeasible");
  EXPECT_EQ(m.satisfy("slot=8/numa{x}"), "satisfiable");
  EXPECT_EQ(m.alloc("slot=8/numa{x}", 1), "0-1: core 0-15 gpu 0-3");
  EXPECT_EQ(m.satisfy("slot=8/numa{x}"), "satisfiable");
  EXPECT_EQ(m.alloc("slot=1/core=1", 2), "insufficient");
  EXPECT_EQ(m.alloc("slot=1/core=17", 3), "infeasible");
  EXPECT_EQ(m.alloc("slot=1/l3{x}", 4), "infeasible");
}

// Status does not affect feasibility.
TEST(Treepool, DownNodesAreFeasible) {
  TreepoolMachine m({four_numa("0-1")});
  for (std::int32_t rank : {0, 1}) m.engine->set_status(m.node(rank), Status::down);
  EXPECT_EQ(m.alloc("slot=1/core=1", 1), "insufficient");
  EXPECT_EQ(m.satisfy("slot=2/node{x}"), "satisfiable");
  m.engine->set_status(m.node(1), Status::up);
  EXPECT_EQ(m.alloc("slot=1/core=1", 2), "1: core 0");
}

TEST(Treepool, RangesTakeTheMostThatThereIs) {
  TreepoolMachine m({four_numa("0-3")});
  EXPECT_EQ(m.alloc("slot=2-3/node/core=9", 1), "0-2: core 0-8");  // slots above the node
  EXPECT_EQ(m.nslots, 3);
  // Below it: rank 3 has room for four slots, the others for two.
  EXPECT_EQ(m.alloc("node/slot=1-4/core=3", 2), "3: core 0-2,4-6,8-10,12-14");
  EXPECT_EQ(m.nslots, 4);
  EXPECT_EQ(m.alloc("slot=1/node=1/core=2-6", 3), "0: core 9-14");
  // Rank 3 has 4 cores left, ranks 1 and 2 have 7.
  EXPECT_EQ(m.alloc("slot=1/node=1/[core=2;gpu=1-2]", 4), "3: core 3,7 gpu 0-1");
}

TEST(Treepool, SetsAndStepsAreCounts) {
  TreepoolMachine m({four_numa("0-6")});
  EXPECT_EQ(m.alloc("node=1,3,5,9/slot/core=16", 1), "0-4: core 0-15");
  EXPECT_EQ(m.nslots, 5);
  EXPECT_EQ(m.alloc("slot=2-64:2:*/core=3", 2), "5-6: core 0-2,4-6,8-10,12-14");
  EXPECT_EQ(m.nslots, 8);
  // Under a count above it, a range keeps its steps.
  TreepoolMachine c({four_numa("0-6")});
  EXPECT_EQ(c.alloc("cluster=2/node=1-9/slot/core=16", 1), "0-5: core 0-15");
}

TEST(Treepool, NodesAndDomainsInASlotAreExclusiveByDefault) {
  TreepoolMachine m({four_numa("0-2")});
  EXPECT_EQ(m.alloc("slot=1/core=1", 1), "0: core 0");
  EXPECT_EQ(m.alloc("slot=2/node", 2), "1-2: core 0-15 gpu 0-3");
  EXPECT_EQ(m.nslots, 2);
  EXPECT_EQ(m.alloc("slot=1/numa", 3), "0: core 4-7 gpu 1");
  EXPECT_EQ(m.alloc("slot=1/node{-x}", 4), "invalid");
}

// If groups are equal, the first names count for all nodes, as in flux-core (D-9: a recorded
// cluster pins it); if they differ, each node type has its own.
TEST(Treepool, LayoutsWithTheSameGroupsHaveTheFirstNames) {
  TreepoolMachine same({{"0-1", "0-3", "", R"({"apu": [{"cores": "0-1"}, {"cores": "2-3"}]})"},
                        {"2-3", "0-3", "", R"({"numa": [{"cores": "0-1"}, {"cores": "2-3"}]})"}});
  EXPECT_EQ(same.alloc("slot=3/numa{x}", 1), "infeasible");
  EXPECT_EQ(same.alloc("slot=5/apu{x}", 2), "0-1: core 0-3; 2: core 0-1");
  TreepoolMachine own({{"0-1", "0-3", "", R"({"apu": [{"cores": "0-1"}, {"cores": "2-3"}]})"},
                       {"2-3", "0-3", "", R"({"numa": [{"cores": "0"}, {"cores": "1-3"}]})"}});
  EXPECT_EQ(own.alloc("slot=3/numa{x}", 1), "2: core 0-3; 3: core 0");
  EXPECT_EQ(own.alloc("slot=5/apu{x}", 2), "infeasible");
}

TEST(Treepool, OnlyDomainsWithResourcesCount) {
  TreepoolMachine m({{"0", "0-7", "", R"({"storage": [{"path": "/l", "capacity": 1}],
      "numa": [{"cores": "0-3", "memory": 64}, {"cores": "4-7"}, {"memory": 128}]})"}});
  EXPECT_EQ(m.satisfy("slot=1/storage{x}"), "infeasible");
  EXPECT_EQ(m.satisfy("slot=3/numa{x}"), "infeasible");
  EXPECT_EQ(m.alloc("slot=2/numa{x}", 1), "0: core 0-7");
}

// Memory of two types over the same cores: two domains with the same cores.
TEST(Treepool, OverlappingDomainsAreTakenOnce) {
  TreepoolMachine m({{"0", "0-3", "", R"({"numa": [{"cores": "0-1", "memory": 64},
      {"cores": "2-3", "memory": 64}, {"cores": "0-1", "memory": 16},
      {"cores": "2-3", "memory": 16}]})"}});
  EXPECT_EQ(m.satisfy("slot=4/numa{x}"), "infeasible");
  EXPECT_EQ(m.satisfy("node{x}/slot=4/core=2"), "infeasible");
  EXPECT_EQ(m.alloc("slot=2/numa{x}", 1), "0: core 0-3");
}

TEST(Treepool, CountsOfDomainsAreKept) {
  TreepoolMachine m({two_sockets("0-3")});
  EXPECT_EQ(m.alloc("slot=1/numa=2{x}", 1), "0: core 0-7 gpu 0-1");
  EXPECT_EQ(m.nslots, 1);
  EXPECT_EQ(m.alloc("slot=1/socket=2/core=3", 2), "1: core 0-2,8-10");
  // A whole domain that has the requested resources in it.
  EXPECT_EQ(m.alloc("slot=1/socket{x}/[core=5;gpu=2]", 3), "0: core 8-15 gpu 2-3");
  EXPECT_EQ(m.satisfy("slot=1/socket{x}/core=9"), "infeasible");
  // A domain in a domain.
  EXPECT_EQ(m.alloc("slot=1/socket/numa{x}", 4), "1: core 4-7 gpu 1");
  EXPECT_EQ(m.satisfy("slot=1/socket/numa=3{x}"), "infeasible");
  // Domains that hold slots.
  EXPECT_EQ(m.alloc("node/socket=2/slot=2/core=4", 5), "2: core 0-15");
  EXPECT_EQ(m.nslots, 4);
}

// A level that a layout omits groups nothing.
TEST(Treepool, LocalitiesThatNoNodeHasArePassedThrough) {
  TreepoolMachine m({four_numa("0")});
  EXPECT_EQ(m.alloc("slot=1/socket/core=6", 1), "0: core 0-5");
  EXPECT_EQ(m.alloc("slot=1/socket=2/core=2", 2), "0: core 6-9");
}

TEST(Treepool, RequestsThatHaveNoMeaning) {
  TreepoolMachine m({four_numa("0")});
  EXPECT_EQ(m.alloc("core=1", 1), "invalid");
  EXPECT_EQ(m.alloc("node/core=1", 1), "invalid");
  EXPECT_EQ(m.alloc("slot/gpu=1", 1), "invalid");
  EXPECT_EQ(m.alloc("[slot{a}/core;slot{b}/core]", 1), "invalid");
  EXPECT_EQ(m.alloc("slot/[core=1;core=2]", 1), "invalid");
  EXPECT_EQ(m.alloc("node/node/slot/core", 1), "invalid");
}

// RFC 20: an R lists the cores that it allocates.
TEST(Treepool, NodesWithoutCoresAreNotGiven) {
  TreepoolMachine m({{"0", "", "0-1", "{}"}, four_numa("1")});
  EXPECT_EQ(m.alloc("slot=1/node", 1), "1: core 0-15 gpu 0-3");
  EXPECT_EQ(m.alloc("slot=1/node", 2), "insufficient");
  EXPECT_EQ(m.alloc("slot=2/node", 3), "infeasible");
}

// RFC 49: memory and storage are hints, and not tracked.
TEST(Treepool, HintsAreSaidToBeHints) {
  TreepoolMachine m({four_numa("0")});
  EXPECT_EQ(m.alloc("slot/[core=1;memory=999]", 1), "0: core 0");
  EXPECT_EQ(m.remarks, std::vector<std::string>{"memory is a hint: nothing is counted of it"});
}

TEST(Treepool, EmptyConstraintsHoldOrDoNot) {
  TreepoolMachine m({four_numa("0-1")});
  EXPECT_EQ(m.alloc("slot/core", 1, R"({"or": []})"), "0: core 0");
  EXPECT_EQ(m.alloc("slot/core", 2, R"({"and": []})"), "0: core 1");
  EXPECT_EQ(m.alloc("slot/core", 3, R"({"not": []})"), "infeasible");
  EXPECT_EQ(m.alloc("slot/core", 4, R"({"ranks": ["5-9", "1"]})"), "1: core 0");
  EXPECT_EQ(m.alloc("slot=5/core=4", 5, R"({"hostlist": ["n1"]})"), "infeasible");
}

TEST(Treepool, RanksNeedNotBeginAtZero) {
  TreepoolMachine m({four_numa("3,7-8")});
  EXPECT_EQ(m.alloc("slot=3/node/numa{x}", 1), "3,7-8: core 0-3 gpu 0");
}

// --- What the engine does with grants

TEST(Treepool, WhatIsGivenBackIsFreeAgain) {
  TreepoolMachine m({four_numa("0-1")});
  const std::uint64_t before = m.engine->fingerprint();
  EXPECT_EQ(m.alloc("slot=6/numa{x}", 1), "0: core 0-15 gpu 0-3; 1: core 0-7 gpu 0-1");
  // A rank of it.
  std::vector<PoolId> pools;
  m.engine->graph().preorder(m.node(0), [&](PoolId p) {
    pools.push_back(p);
    return true;
  });
  ASSERT_EQ(m.engine->cancel_part(1, pools), false);
  EXPECT_EQ(m.alloc("slot=1/node{x}", 2), "0: core 0-15 gpu 0-3");
  ASSERT_TRUE(m.engine->cancel(2));
  ASSERT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.engine->fingerprint(), before);
  EXPECT_EQ(m.alloc("slot=2/node{x}", 3), "0-1: core 0-15 gpu 0-3");
}

TEST(Treepool, AReservationWaitsForWhatRuns) {
  TreepoolMachine m({four_numa("0-1")});
  const Operation reserve = Operation::allocate_orelse_reserve;
  EXPECT_EQ(m.alloc("slot=1/node{x}", 1, {}, 100), "0: core 0-15 gpu 0-3");
  EXPECT_EQ(m.alloc("slot=1/numa{x}", 2, {}, 50), "1: core 0-3 gpu 0");
  EXPECT_EQ(m.alloc("slot=2/node{x}", 3, {}, 10, reserve), "0-1: core 0-15 gpu 0-3");
  EXPECT_EQ(m.start, 100);
  // A request that would overlap the reservation waits; one that does not may start first.
  EXPECT_EQ(m.alloc("slot=1/node/core=1", 4, {}, 101), "insufficient");
  EXPECT_EQ(m.alloc("slot=1/node/core=1", 5, {}, 100), "1: core 4");
  EXPECT_EQ(m.alloc("slot=1/node{x}", 6, {}, 20, reserve), "0: core 0-15 gpu 0-3");
  EXPECT_EQ(m.start, 110);
  ASSERT_TRUE(m.engine->advance(100));
  EXPECT_EQ(m.alloc("slot=1/core=1", 7, {}, 5), "insufficient");
  ASSERT_TRUE(m.engine->advance(110));
  EXPECT_EQ(m.alloc("slot=1/core=1", 8, {}, 5), "1: core 0");
  EXPECT_EQ(m.alloc("slot=1/node{x}", 9, {}, 5), "insufficient");
  ASSERT_TRUE(m.engine->cancel(6));
  EXPECT_EQ(m.alloc("slot=1/node{x}", 10, {}, 5), "0: core 0-15 gpu 0-3");
}

// Both windows touch, so both fit; the free cores over the window decide the best fit.
TEST(Treepool, PlansCountOnlyWhereTheyOverlap) {
  TreepoolMachine m({four_numa("0-1")});
  EXPECT_EQ(m.alloc("slot=2/node{x}", 1, {}, 10), "0-1: core 0-15 gpu 0-3");
  EXPECT_EQ(m.alloc("slot=1/core=8", 2, {}, 10, Operation::allocate_orelse_reserve), "0: core 0-7");
  ASSERT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.alloc("slot=1/core=4", 3, {}, 10), "0: core 0-3");   // nothing planned until 10
  EXPECT_EQ(m.alloc("slot=1/core=4", 4, {}, 11), "0: core 8-11");  // 4 to 7 are planned from 10
  EXPECT_EQ(m.alloc("slot=1/core=16", 5, {}, 11), "1: core 0-15");
}

TEST(Treepool, UpdateTakesWhatAnotherChose) {
  TreepoolMachine m({four_numa("0-1")});
  const PoolId core = PoolId{m.node(0).v + 1};
  ASSERT_TRUE(m.engine->update(1, std::vector{core}, 0, 100));
  EXPECT_EQ(m.alloc("slot=1/numa{x}", 2), "0: core 4-7 gpu 1");
  ASSERT_TRUE(m.engine->update(3, std::vector{m.node(1)}, 0, 100));
  EXPECT_EQ(m.alloc("slot=1/node{x}", 4), "insufficient");
  ASSERT_TRUE(m.engine->cancel(3));
  EXPECT_EQ(m.alloc("slot=1/node{x}", 5), "1: core 0-15 gpu 0-3");
  // The whole machine for one job.
  TreepoolMachine all({four_numa("0-1")});
  ASSERT_TRUE(all.engine->update(1, std::vector{all.engine->graph().root()}, 0, 100));
  EXPECT_EQ(all.alloc("slot=1/core=1", 2), "insufficient");
  ASSERT_TRUE(all.engine->cancel(1));
  EXPECT_EQ(all.alloc("slot=1/core=1", 2), "0: core 0");
}

TEST(Treepool, ACoreThatIsDownIsNotGiven) {
  TreepoolMachine m({four_numa("0-1")});
  const PoolId core{m.node(0).v + 1};
  m.engine->set_status(core, Status::down);
  EXPECT_EQ(m.alloc("slot=1/core=4", 1), "0: core 4-7");
  EXPECT_EQ(m.alloc("slot=1/node{x}", 2), "1: core 0-15 gpu 0-3");
  EXPECT_EQ(m.alloc("slot=1/core=12", 3), "insufficient");
  ASSERT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.alloc("slot=1/core=16", 3), "insufficient");
  m.engine->set_status(core, Status::up);
  EXPECT_EQ(m.alloc("slot=1/core=16", 4), "0: core 0-15");
}

TEST(Treepool, NodesComeAndGo) {
  TreepoolMachine m({four_numa("0-1")});
  EXPECT_EQ(m.alloc("slot=1/node{x}", 1), "0: core 0-15 gpu 0-3");
  auto lost = m.engine->remove(std::vector{m.node(1)});
  ASSERT_TRUE(lost);
  EXPECT_EQ(m.alloc("slot=1/core=1", 2), "insufficient");
  EXPECT_EQ(m.satisfy("slot=2/node{x}"), "infeasible");
  ASSERT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.alloc("slot=1/numa{x}", 3), "0: core 0-3 gpu 0");
}

}  // namespace
}  // namespace copse::test
