// SPDX-License-Identifier: Apache-2.0
//
// Promises that take other groups of nodes, so that one more starts.
#include "queue/counts/node_sharing.hpp"

#include <gtest/gtest.h>

#include "plan/flat.hpp"

namespace copse::queue {
namespace {

using Parts = std::vector<std::pair<std::uint32_t, std::int64_t>>;

// Eight nodes; some jobs need nodes 0-3. Groups: 0-3 (0), and 4-7 (1).
struct Shared : testing::Test {
  std::unique_ptr<Engine> engine = plan::flat_engine(8, 4);
  CountedNodes nodes{engine->graph()};
  NodeSet all = NodeSet(8, true);
  NodeSet half{true, true, true, true, false, false, false, false};
  NodeCounts counts{NodeGroups::make(*engine, nodes, {.sets = {all, half}, .resources = {}}, {})};

  [[nodiscard]] NodeCounts::Need need(const NodeSet& set, std::int64_t number) const {
    return *counts.need({number, std::make_shared<const NodeSet>(set), {}});
  }
  // A running job on a number of nodes of a group.
  void run(std::uint32_t group, std::int64_t number, std::int64_t end_s) {
    counts.add(0, end_s, {.parts = {{group, number}}, .nodes = number});
  }
};

TEST_F(Shared, EachTakesWhatIsFreeAtItsStart) {
  run(1, 3, 10);
  NodeSharing sharing(counts);
  EXPECT_EQ(sharing.next(5, 20, need(all, 2))->parts, (Parts{{1, 1}, {0, 1}}));
  EXPECT_EQ(sharing.next(10, 30, need(all, 3))->parts, (Parts{{1, 3}}));
  EXPECT_EQ(sharing.next(20, 40, need(half, 4))->parts, (Parts{{0, 4}}));
  EXPECT_FALSE(sharing.next(25, 40, need(all, 2)));  // one is free
}

TEST_F(Shared, APromiseLeavesNodesThatAnotherNeeds) {
  run(1, 4, 10);
  // It took nodes 0-3 while others ran on 4-7, and moved to their end.
  const auto any = counts.use(0, 20, need(all, 4));
  ASSERT_TRUE(any);
  EXPECT_EQ(any->parts, (Parts{{0, 4}}));
  counts.add(10, 30, *any);
  const auto few = need(half, 4);
  EXPECT_FALSE(counts.use(10, 30, few));
  EXPECT_TRUE(counts.sums_fit(10, 30, few));
  EXPECT_FALSE(counts.sums_fit(10, 30, need(all, 5)));

  int asked = 0;
  const auto share = [&](std::int64_t start_s, std::int64_t end_s) {
    ++asked;
    NodeSharing sharing(counts);
    const auto others = sharing.next(10, 30, need(all, 4));
    const auto own = sharing.next(start_s, end_s, few);
    counts.exchange({10, 30, *any}, *others);
    return own;
  };
  const auto at = counts.earliest(10, 1'000, 20, 1'000, few, share);
  ASSERT_TRUE(at);
  EXPECT_EQ(at->start_s, 10);
  EXPECT_EQ(at->use.parts, (Parts{{0, 4}}));
  EXPECT_EQ(asked, 1);
  counts.add(10, 30, at->use);
  counts.check(std::vector<NodeCounts::Start>{
      {0, 10, {.parts = {{1, 4}}, .nodes = 4}},
      {10, 30, at->use},
      {10, 30, {.parts = {{1, 4}}, .nodes = 4, .set = any->set}},
  });
}

TEST_F(Shared, WithoutSharingTheNextStartIsLater) {
  run(1, 4, 10);
  counts.add(10, 30, *counts.use(0, 20, need(all, 4)));
  EXPECT_EQ(counts.earliest(10, 1'000, 20, 1'000, need(half, 4))->start_s, 30);
}

}  // namespace
}  // namespace copse::queue
