// SPDX-License-Identifier: Apache-2.0
#include "state/pool_statuses.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

// As the header says it, by a walk over all pools.
std::int64_t units_by_walk(const ResourceGraph& graph, const std::map<std::uint32_t, Status>& given,
                           TypeId type) {
  std::int64_t out = 0;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    bool good = graph.type(PoolId{v}) == type;
    for (PoolId up{v}; up != kNoPool && good; up = graph.parent(up)) {
      const auto at = given.find(up.v);
      good = at == given.end() || usable(at->second);
    }
    if (good) out += graph.size(PoolId{v});
  }
  return out;
}

TEST(PoolStatuses, AllAreUpAtFirst) {
  const ResourceGraph graph = machine();
  const PoolStatuses statuses(graph.pool_count());
  EXPECT_TRUE(statuses.all_usable());
  EXPECT_TRUE(statuses.not_up().empty());
  EXPECT_EQ(statuses.status(graph.root()), Status::up);
  EXPECT_TRUE(statuses.check());
}

TEST(PoolStatuses, SetSaysWhetherAPoolBecameUsableOrUnusable) {
  PoolStatuses statuses(100);
  EXPECT_TRUE(statuses.set(PoolId{70}, Status::down));
  EXPECT_FALSE(statuses.set(PoolId{70}, Status::down));
  EXPECT_FALSE(statuses.usable(PoolId{70}));
  EXPECT_TRUE(statuses.usable(PoolId{6}));
  EXPECT_TRUE(statuses.set(PoolId{70}, Status::up));
  EXPECT_TRUE(statuses.all_usable());
  EXPECT_TRUE(statuses.check());
}

TEST(PoolStatuses, NewPoolsAreUp) {
  PoolStatuses statuses(64);
  statuses.set(PoolId{63}, Status::down);
  statuses.resize(200);
  EXPECT_TRUE(statuses.usable(PoolId{199}));
  EXPECT_FALSE(statuses.usable(PoolId{63}));
  EXPECT_TRUE(statuses.check());
}

TEST(PoolStatuses, CountUsableUnitsAsAWalkDoes) {
  const ResourceGraph graph = machine();
  std::minstd_rand random(7);
  PoolStatuses statuses(graph.pool_count());
  std::map<std::uint32_t, Status> given;
  const std::vector<Status> all{Status::up, Status::degraded, Status::failing, Status::down,
                                Status::unknown};
  for (int step = 0; step < 300; ++step) {
    const auto pool = static_cast<std::uint32_t>(random() % graph.pool_count());
    const Status status = all[random() % all.size()];
    statuses.set(PoolId{pool}, status);
    given[pool] = status;
    ASSERT_TRUE(statuses.check());
    for (const char* type : {"node", "core", "memory", "cluster"}) {
      const TypeId t = graph.find_type(type);
      ASSERT_EQ(statuses.usable_units(graph, t), units_by_walk(graph, given, t)) << type;
    }
  }
}

}  // namespace
}  // namespace copse
