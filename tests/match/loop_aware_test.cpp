// SPDX-License-Identifier: Apache-2.0
//
// The loop-aware walk, one rule at a time. tests/property compares it with a trial of all
// placements.
#include "match/loop_aware/loop_aware_traverser.hpp"

#include <algorithm>
#include <memory>

#include "engine/jobs.hpp"

namespace copse {
namespace {

std::unique_ptr<Engine> searching(ResourceGraph graph, const std::string& policy = "low",
                                  std::uint64_t pools_max = 1'000'000) {
  return engine({.policy = *find_policy(policy),
                 .traverser = Traverser::loop_aware,
                 .search_pools_max = pools_max},
                std::move(graph));
}
std::unique_ptr<Engine> searching() { return searching(machine()); }

// cluster0 > rack0 > node0 with 8 cores, node1 with 4, node2 with 4.
ResourceGraph unlike_nodes() {
  GraphText t;
  const auto rack = t.child(t.pool({"cluster", 0}), {"rack", 0});
  int id = 0;
  for (const int cores : {8, 4, 4}) {
    const auto node = t.child(rack, {.type = "node", .id = id, .rank = id});
    ++id;
    for (int c = 0; c < cores; ++c) t.child(node, {"core", c});
  }
  return t.build();
}

// cluster0 > node0 > memory pools of these sizes.
ResourceGraph memories(const std::vector<std::int64_t>& sizes) {
  GraphText t;
  const auto node = t.child(t.pool({"cluster", 0}), {"node", 0});
  int id = 0;
  for (const std::int64_t size : sizes) t.child(node, {"memory", id++, size});
  return t.build();
}

std::string node_with(const std::string& cores) {
  return res("node", "1", slot("1", res("core", cores)));
}

TEST(LoopAware, SimpleStillRefusesSiblings) {
  const auto e = engine();
  const auto refused = allocate(*e, job(node_with("1") + ", " + node_with("2")));
  EXPECT_EQ(error_of(refused), "insufficient");
  ASSERT_EQ(remarks_of(refused).size(), 1u);
  EXPECT_NE(remarks_of(refused)[0].find("same resource type"), std::string::npos);
}

TEST(LoopAware, SiblingsOfOneTypeGetDifferentPools) {
  const auto e = searching(unlike_nodes());
  // The second sibling fits only node0, which the first would get: low ids come first.
  const auto given = allocate(*e, job(res("rack", "1", node_with("1") + ", " + node_with("6"))));
  EXPECT_EQ(
      taken(*e, given),
      (Paths{"/rack0/node0/core0", "/rack0/node0/core1", "/rack0/node0/core2", "/rack0/node0/core3",
             "/rack0/node0/core4", "/rack0/node0/core5", "/rack0/node1/core0"}));
  EXPECT_TRUE(remarks_of(given).empty());
}

TEST(LoopAware, ALaterSiblingMakesAnEarlierOneMove) {
  // Three siblings with needs of equal weight; running jobs decide which pools fit each.
  const auto e = searching(unlike_nodes());
  ASSERT_TRUE(allocate(*e, job(res("rack", "1", slot("1", res("node")))), 1));       // node0
  ASSERT_TRUE(allocate(*e, job(res("node", "1", slot("1", res("core", "3")))), 2));  // of node1
  // node1 has one core left: only the sibling with one core fits.
  const auto given = allocate(*e, job(res("rack", "1", node_with("1") + ", " + node_with("2"))), 3);
  EXPECT_EQ(taken(*e, given),
            (Paths{"/rack0/node1/core3", "/rack0/node2/core0", "/rack0/node2/core1"}));
}

TEST(LoopAware, TooManySiblingsAreInfeasible) {
  const auto e = searching(unlike_nodes());
  const std::string big = job(res("rack", "1", node_with("5") + ", " + node_with("6")));
  EXPECT_EQ(error_of(match(*e, Operation::allocate_with_satisfiability, big)), "infeasible");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, big)), "infeasible");
  const auto later = match(*e, Operation::allocate_orelse_reserve, big);
  EXPECT_EQ(error_of(later), "infeasible");
  EXPECT_TRUE(remarks_of(later).empty());
}

TEST(LoopAware, SiblingsAreReservedAtTheEarliestTime) {
  const auto e = searching(unlike_nodes());
  const std::string text = job(res("rack", "1", node_with("4") + ", " + node_with("6")), "50");
  const auto first = allocate(*e, text, 1);
  ASSERT_TRUE(first);
  const auto second = match(*e, Operation::allocate_orelse_reserve, text, 2);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->start, 50);
  EXPECT_EQ(taken(*e, second), taken(*e, first));
  ASSERT_TRUE(e->cancel(1));
  const auto third = allocate(*e, text, 3);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->start, 0);
}

TEST(LoopAware, ASlotBesideOthersAtItsLevel) {
  const auto e = searching();
  const auto given =
      allocate(*e, job(res("socket", "1",
                           slot("2", res("core")) + ", " + res("gpu") + ", " +
                               slot("1", res("core", "2") + ", " + res("memory", "8")))));
  EXPECT_EQ(taken(*e, given), (Paths{"/rack0/node0/socket0/core0", "/rack0/node0/socket0/core1",
                                     "/rack0/node0/socket0/core2", "/rack0/node0/socket0/core3",
                                     "/rack0/node0/socket0/memory0"}));
  EXPECT_EQ(
      error_of(allocate(
          *e, job(res("socket", "1", slot("3", res("core")) + ", " + slot("1", res("core", "2")))),
          2)),
      "insufficient");
}

TEST(LoopAware, ASlotBelowKeepsOutOfTheSubtreesOfItsSiblings) {
  const auto e = searching();
  const auto given = allocate(
      *e, job(res("node", "1",
                  res("socket", "1", slot("3", res("core"))) + ", " + slot("1", res("core")))));
  EXPECT_EQ(taken(*e, given), (Paths{"/rack0/node0/socket0/core0", "/rack0/node0/socket0/core1",
                                     "/rack0/node0/socket0/core2", "/rack0/node0/socket1/core0"}));
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability,
                           job(res("node", "1",
                                   res("socket", "2", slot("1", res("core"))) + ", " +
                                       slot("1", res("core")))))),
            "infeasible");
}

TEST(LoopAware, SlotsOfSeveralDepthsAtTheTop) {
  const auto e = searching();
  const auto good =
      allocate(*e, job(slot("3", res("node")) + ", " + slot("1", res("socket", "2"))));
  EXPECT_EQ(taken(*e, good).size(), 5u);  // three nodes, two sockets of the fourth
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability,
                           job(slot("4", res("node")) + ", " + slot("1", res("core"))))),
            "infeasible");
}

TEST(LoopAware, PoolsOfUnequalSizesArePacked) {
  // In order of ids the first share would get 3 + 3, and leave 2 + 1 for the second.
  const auto e = searching(memories({3, 3, 2, 1}));
  const auto given = allocate(*e, job(res("node", "1", slot("2", res("memory", "4")))));
  EXPECT_EQ(taken(*e, given).size(), 4u);
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability,
                           job(res("node", "1", slot("3", res("memory", "3")))))),
            "");  // 3, 3, 2 + 1
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability,
                           job(res("node", "1", slot("2", res("memory", "5")))))),
            "infeasible");  // 9 units, but two shares of 5 need 5 + 5
}

TEST(LoopAware, CountsGrowIntoWhatIsLeft) {
  const auto e = searching(unlike_nodes());
  const std::string grows = "{min: 1, max: 8, operator: '*', operand: 2}";
  const auto given = allocate(
      *e, job(res("rack", "1",
                  node_with("6") + ", " + res("node", "1", slot("1", res("core", grows))))));
  EXPECT_EQ(taken(*e, given).size(), 6u + 4u);
}

TEST(LoopAware, NodesGrowButNotIntoASibling) {
  const auto e = searching(unlike_nodes());
  const std::string grows = "{min: 1, max: 8, operator: '+', operand: 1}";
  const auto given = allocate(
      *e, job(res("rack", "1",
                  res("node", grows, slot("1", res("core", "4"))) + ", " + node_with("1"))));
  EXPECT_EQ(taken(*e, given).size(), 4u + 4u + 1u);
}

TEST(LoopAware, AnswersOfOnePassAreKept) {
  for (const Policy& policy : bundled_policies()) {
    const auto simple = engine(with_policy(policy.name));
    const auto search = searching(machine(), policy.name);
    for (JobId number = 1; number < 12; ++number) {
      const std::string text = number % 3 == 0 ? nodes(1) : cores(3);
      const auto a = match(*simple, Operation::allocate_orelse_reserve, text, number);
      const auto b = match(*search, Operation::allocate_orelse_reserve, text, number);
      ASSERT_EQ(taken(*simple, a), taken(*search, b)) << policy.name;
      ASSERT_EQ(a->start, b->start);
    }
    EXPECT_EQ(simple->fingerprint(), search->fingerprint());
  }
}

TEST(LoopAware, SaysThatASearchEnded) {
  const auto e = searching(unlike_nodes(), "low", 3);
  const std::string text = job(res("rack", "1", node_with("4") + ", " + node_with("6")));
  const std::uint64_t before = e->fingerprint();
  for (const Operation operation :
       {Operation::allocate, Operation::allocate_with_satisfiability,
        Operation::allocate_orelse_reserve, Operation::satisfiability}) {
    const auto given = match(*e, operation, text);
    EXPECT_EQ(error_of(given), "insufficient");
    ASSERT_EQ(remarks_of(given).size(), 1u);
    EXPECT_NE(remarks_of(given)[0].find("bound of 3 pools"), std::string::npos)
        << remarks_of(given)[0];
  }
  EXPECT_EQ(e->fingerprint(), before);
}

TEST(LoopAware, ABoundThatSufficesIsNotMentioned) {
  const auto e = searching(unlike_nodes(), "low", 200);
  const auto given = allocate(*e, job(res("rack", "1", node_with("4") + ", " + node_with("6"))));
  ASSERT_TRUE(given);
  EXPECT_TRUE(remarks_of(given).empty());
}

TEST(LoopAware, WhatIsHardEndsAtTheBound) {
  // Bin covering: pools of twenty sizes, and shares that together need nearly all of them.
  std::vector<std::int64_t> sizes;
  std::int64_t units = 0;
  for (std::int64_t i = 0; i < 20; ++i) {
    sizes.push_back(1'000 + (i * i * 37 + i * 11) % 701);
    units += sizes.back();
  }
  const auto e = searching(memories(sizes), "low", 20'000);
  const auto given =
      match(*e, Operation::satisfiability,
            job(res("node", "1", slot("7", res("memory", std::to_string(units / 7))))));
  EXPECT_EQ(error_of(given), "insufficient");
  EXPECT_EQ(remarks_of(given).size(), 1u);
  EXPECT_LT(visits_of(given), 25'000u);
}

TEST(LoopAware, WhatLooksTheSameIsLookedIntoOnce) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int r = 0; r < 50; ++r) {
    const auto rack = t.child(cluster, {"rack", r});
    for (int n = 0; n < 4; ++n) {
      const auto node = t.child(rack, {"node", n});
      for (int c = 0; c < 8; ++c) t.child(node, {"core", c});
    }
  }
  const auto e = searching(t.build());
  // Each rack has enough units, but shares of five and four leave three and four units of a node.
  const std::string text = job(res("rack", "1",
                                   res("node", "3", slot("1", res("core", "5"))) + ", " +
                                       res("node", "2", slot("1", res("core", "4")))));
  const auto never = match(*e, Operation::satisfiability, text);
  EXPECT_EQ(error_of(never), "infeasible");
  EXPECT_LT(visits_of(never), 400u);
  // A partly used node is examined separately.
  const std::string fits = job(res("rack", "1",
                                   res("node", "3", slot("1", res("core", "5"))) + ", " +
                                       res("node", "1", slot("1", res("core", "4")))));
  for (JobId number = 1; number <= 50; ++number) ASSERT_TRUE(allocate(*e, fits, number));
  EXPECT_EQ(error_of(allocate(*e, fits, 51)), "insufficient");
}

}  // namespace
}  // namespace copse
