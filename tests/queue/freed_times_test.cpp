// SPDX-License-Identifier: Apache-2.0
#include "queue/freed_times.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace copse::queue {
namespace {

TEST(FreedTimes, KnowsTheLeastBeginningOfThoseThatAreWideEnough) {
  FreedTimes freed;
  EXPECT_EQ(freed.least_from(0, 1), INT64_MAX);
  freed.add(50, 8);
  freed.add(20, 3);
  freed.add(90, 100);
  EXPECT_EQ(freed.least_from(0, 1), 20);
  EXPECT_EQ(freed.least_from(0, 8), 50);
  EXPECT_EQ(freed.least_from(1, 8), 90);
  EXPECT_EQ(freed.least_from(2, 64), 90);
  EXPECT_EQ(freed.least_from(3, 1), INT64_MAX);
}

TEST(FreedTimes, OfATimeWithoutNodesNobodyHasAnything) {
  FreedTimes freed;
  freed.add(5, 0);
  freed.add(6, -3);
  EXPECT_EQ(freed.least_from(0, 1), INT64_MAX);
  freed.add(7, 1);  // they have numbers all the same
  EXPECT_EQ(freed.least_from(2, 1), 7);
  EXPECT_EQ(freed.least_from(3, 1), INT64_MAX);
}

// By a list: never later than the first that has enough nodes, and never one that has not half of
// them, but for numbers of nodes beyond 2^20.
TEST(FreedTimes, EqualsAListUpToAPowerOfTwo) {
  std::mt19937_64 random(3);
  struct Freed {
    std::int64_t from_s, nodes;
  };
  FreedTimes freed;
  std::vector<Freed> list;
  for (int n = 0; n < 2'000; ++n) {
    const Freed next{static_cast<std::int64_t>(random() % 5'000),
                     static_cast<std::int64_t>(random() % (n % 9 == 0 ? 5'000 : 20))};
    freed.add(next.from_s, next.nodes);
    list.push_back(next);
    const std::size_t first = random() % list.size();
    const auto nodes = static_cast<std::int64_t>(1 + random() % 6'000);
    std::int64_t enough = INT64_MAX, half = INT64_MAX;
    for (std::size_t i = first; i < list.size(); ++i) {
      if (list[i].nodes >= nodes) enough = std::min(enough, list[i].from_s);
      if (list[i].nodes > nodes / 2) half = std::min(half, list[i].from_s);
    }
    const std::int64_t found = freed.least_from(static_cast<std::uint32_t>(first), nodes);
    ASSERT_LE(found, enough);
    ASSERT_GE(found, half);
  }
}

}  // namespace
}  // namespace copse::queue
