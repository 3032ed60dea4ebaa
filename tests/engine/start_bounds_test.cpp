// SPDX-License-Identifier: Apache-2.0
//
// The bounds on start times exclude no time at which the walk finds something, on machines with
// pools of unusual sizes or at unusual depths.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "engine/jobs.hpp"

namespace copse {
namespace {

std::int64_t start_of(Engine& e, const std::string& text, JobId number) {
  const auto m = match(e, Operation::allocate_orelse_reserve, text, number);
  return m ? m->start : -1;
}

// A rack with one node that has cores, and one without.
TEST(StartBounds, PoolsOfATypeMayBeLeavesAndNot) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  const auto rack = t.child(cluster, {"rack", 0});
  t.child(rack, {"node", 0});
  const auto node = t.child(rack, {"node", 1});
  for (int c = 0; c < 2; ++c) t.child(node, {"core", c});
  const auto e = engine(with_policy("low"), t.build());
  ASSERT_TRUE(allocate(*e, cores(1, "160"), 1));  // by the counts both nodes are free
  EXPECT_EQ(start_of(*e, job(res("rack", "1", slot("2", res("node")))), 2), 160);
  EXPECT_EQ(start_of(*e, job(res("rack", "1", slot("2", res("node")))), 3), 260);
}

// Four units of nodes are two nodes: two sockets are enough.
TEST(StartBounds, UnitsMayComeInPoolsOfSeveral) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int n = 0; n < 2; ++n) {
    const auto node = t.child(cluster, {"node", n, 2});
    const auto socket = t.child(node, {"socket", 0});
    for (int c = 0; c < 2; ++c) t.child(socket, {"core", c});
  }
  const auto e = engine(with_policy("low"), t.build());
  const std::string text =
      job(res("node", "4", slot("1", res("socket", "1", res("core", "1")))), "70");
  EXPECT_EQ(start_of(*e, text, 1), 0);
  EXPECT_EQ(start_of(*e, text, 2), 70);
}

// A request names no pool of size 0, but an exclusive parent includes it.
TEST(StartBounds, PoolsMayBeOfSizeZero) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int r = 0; r < 2; ++r) {
    const auto rack = t.child(cluster, {"rack", r});
    t.child(t.child(rack, {"node", r, 1 - r}), {"core", 0});
  }
  const auto e = engine(with_policy("low"), t.build());
  ASSERT_EQ(start_of(*e, nodes(1), 1), 0);
  EXPECT_EQ(start_of(*e, nodes(1), 2), 100);
  EXPECT_EQ(start_of(*e, nodes(2), 3), -1);
  for (const JobId number : {JobId{1}, JobId{2}}) ASSERT_TRUE(e->cancel(number));
  const std::string all =
      job(res("cluster", "1", slot("1", res("core", "1")), ", exclusive: true"));
  EXPECT_EQ(start_of(*e, all, 4), 0);
  EXPECT_EQ(start_of(*e, nodes(1), 5), 100);
  std::vector<PoolId> both = e->graph().of_type(e->graph().find_type("node"));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_TRUE(e->update(6, both, 500, 10));
  EXPECT_EQ(start_of(*e, nodes(1, "400"), 7), 510);
}

// --- Many pools, of which the walk visits only the open ones

// Racks with this number of nodes; the ids are shuffled unless `in_order`.
ResourceGraph many_nodes(int racks, int nodes, bool in_order) {
  GraphText t;
  std::vector<int> ids(static_cast<std::size_t>(racks * nodes));
  std::iota(ids.begin(), ids.end(), 0);
  if (!in_order) std::shuffle(ids.begin(), ids.end(), std::mt19937(7));
  const auto cluster = t.pool({"cluster", 0});
  for (int n = 0, r = 0; r < racks; ++r) {
    const auto parent = racks == 1 ? cluster : t.child(cluster, {"rack", r});
    for (int k = 0; k < nodes; ++k, ++n) {
      const auto node = t.child(parent, {"node", ids[static_cast<std::size_t>(n)]});
      for (int c = 0; c < 4; ++c) t.child(node, {"core", c});
    }
  }
  return t.build();
}

std::string some_job(std::mt19937& random, int nodes_max) {
  const auto below = [&](int n) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(n));
  };
  const std::string duration = std::to_string(50 + 10 * below(30));
  switch (below(6)) {
    case 4: return job(slot(std::to_string(1 + below(9)), res("core")), duration);
    case 5: return job(slot("2", res("core", std::to_string(1 + below(4)))), duration);
    case 0: return cores(3, duration);
    case 1: return cores(1 + below(4), duration);
    case 2: return nodes(1 + below(nodes_max), duration);
    default: return nodes(1, duration);
  }
}

// The same jobs, reserved and cancelled: the answers equal those of an engine that visits all pools
// at every time.
void expect_as_over_all(const std::string& policy, int racks, int nodes_each, bool in_order) {
  SCOPED_TRACE(policy + " " + std::to_string(racks) + (in_order ? "" : " shuffled"));
  EngineOptions all = with_policy(policy);
  all.exhaustive = true;
  const auto e = engine(with_policy(policy), many_nodes(racks, nodes_each, in_order));
  const auto judge = engine(std::move(all), many_nodes(racks, nodes_each, in_order));
  std::mt19937 random(static_cast<std::uint32_t>(racks));
  std::vector<JobId> running;
  const auto total = static_cast<JobId>(racks * nodes_each);
  for (JobId number = 1; number < 4 * total; ++number) {
    const std::string text = some_job(random, number < total / 8 ? racks * nodes_each / 4 : 3);
    const auto a = match(*e, Operation::allocate_orelse_reserve, text, number);
    const auto b = match(*judge, Operation::allocate_orelse_reserve, text, number);
    ASSERT_TRUE(a && b);
    ASSERT_EQ(a->start, b->start) << number << " " << text;
    ASSERT_EQ(paths_of(e->graph(), a->selection, true), paths_of(e->graph(), b->selection, true))
        << number << " " << text;
    running.push_back(number);
    for (int k = 0; k < 2 && number > total && random() % 2 == 0; ++k) {
      std::swap(running[random() % running.size()], running.back());
      ASSERT_TRUE(e->cancel(running.back()) && judge->cancel(running.back()));
      running.pop_back();
    }
  }
}

TEST(StartBounds, LeaveOpenWhatAWalkOverManyChildrenFinds) {
  for (const char* policy : {"first", "low", "high", "hinode"}) {
    expect_as_over_all(policy, 1, 150, true);
    expect_as_over_all(policy, 1, 150, false);
  }
}

TEST(StartBounds, LeaveOpenWhatAWalkOverManyNodesInRacksFinds) {
  for (const char* policy : {"first", "low", "high", "hinode"}) {
    expect_as_over_all(policy, 2, 70, true);
    expect_as_over_all(policy, 20, 7, false);
    expect_as_over_all(policy, 70, 2, true);
  }
}

// A slot of cores can be formed in nodes and in sockets: what is open of the nodes is no bound.
TEST(StartBounds, SlotsMayBeInPoolsOfTwoTypes) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  const auto flat = t.child(cluster, {"node", 0});
  for (int c = 0; c < 2; ++c) t.child(flat, {"core", c});
  const auto deep = t.child(cluster, {"node", 1});
  for (int s = 0; s < 2; ++s) t.child(t.child(deep, {"socket", s}), {"core", 2 + s});
  const auto e = engine(with_policy("low"), t.build());
  const std::string two = job(slot("1", res("core", "2")), "100");
  const std::string one = job(slot("1", res("core", "1")), "30");
  EXPECT_EQ(start_of(*e, two, 1), 0);
  EXPECT_EQ(start_of(*e, two, 2), 100);
  EXPECT_EQ(start_of(*e, one, 3), 0);
  EXPECT_EQ(start_of(*e, one, 4), 0);
  EXPECT_EQ(start_of(*e, one, 5), 30);
}

}  // namespace
}  // namespace copse
