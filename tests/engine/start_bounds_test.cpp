// SPDX-License-Identifier: Apache-2.0
//
// What bounds the times that are tried leaves open every time at which the walk finds something, on
// machines whose pools are of unusual sizes or stand at unusual depths.
#include <gtest/gtest.h>

#include "engine/jobs.hpp"

namespace copse {
namespace {

std::int64_t start_of(Engine& e, const std::string& text, JobId number) {
  const auto m = match(e, Operation::allocate_orelse_reserve, text, number);
  return m ? m->start : -1;
}

// A rack with a node that has cores and one that has nothing.
TEST(StartBounds, PoolsOfATypeMayBeLeavesAndNot) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  const auto rack = t.child(cluster, {"rack", 0});
  t.child(rack, {"node", 0});
  const auto node = t.child(rack, {"node", 1});
  for (int c = 0; c < 2; ++c) t.child(node, {"core", c});
  const auto e = engine(with_policy("low"), t.build());
  ASSERT_TRUE(allocate(*e, cores(1, "160"), 1));  // by the numbers both nodes are free
  EXPECT_EQ(start_of(*e, job(res("rack", "1", slot("2", res("node")))), 2), 160);
  EXPECT_EQ(start_of(*e, job(res("rack", "1", slot("2", res("node")))), 3), 260);
}

// Four units of nodes are two nodes: two sockets do.
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

// What is of size 0 nobody asks for, but who takes all takes it, too.
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

}  // namespace
}  // namespace copse
