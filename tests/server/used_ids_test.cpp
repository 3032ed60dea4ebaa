// SPDX-License-Identifier: Apache-2.0
#include "server/grants/used_ids.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace copse::server {
namespace {

constexpr JobId kLast = static_cast<JobId>(kIdEnd) - 1;

TEST(UsedIdsTest, AChosenIdMovesNoOther) {
  UsedIds used;
  for (const JobId id : {kLast, JobId{1} << 62, JobId{3}}) used.add(id);
  EXPECT_EQ(used.next(), 1U);
  used.add(1);
  used.add(2);
  EXPECT_EQ(used.next(), 4U);
  EXPECT_EQ(used.text(), std::to_string(kLast));
}

TEST(UsedIdsTest, TheNextIsTheSmallestThatWasNeverUsed) {
  std::mt19937_64 random(7);
  UsedIds used;
  std::set<JobId> model;
  for (int i = 0; i < 2'000; ++i) {
    const JobId id = 1 + random() % 700;
    used.add(id);
    model.insert(id);
    JobId next = 1;
    while (model.contains(next)) ++next;
    ASSERT_EQ(used.next(), next);
    if (i % 100 != 0) continue;
    UsedIds again;
    ASSERT_TRUE(again.restore(used.next(), used.text()).has_value());
    ASSERT_EQ(again.next(), used.next());
    ASSERT_EQ(again.text(), used.text());
  }
}

TEST(UsedIdsTest, ForgetsTheLargestBeyondItsBound) {
  UsedIds used;
  for (JobId id = 2; id <= 2 * (UsedIds::kRangesMax + 5); id += 2) used.add(id);
  used.add(1);
  EXPECT_EQ(used.next(), 3U);
  UsedIds again;
  ASSERT_TRUE(again.restore(used.next(), used.text()).has_value());
  again.add(2 * UsedIds::kRangesMax + 1);  // next to the last that is remembered
  EXPECT_TRUE(again.text().ends_with(std::to_string(2 * UsedIds::kRangesMax) + "-" +
                                     std::to_string(2 * UsedIds::kRangesMax + 1)));
}

// An earlier version continued after an id that a client had chosen.
TEST(UsedIdsTest, BeginsAgainBelowTheBound) {
  UsedIds used;
  ASSERT_TRUE(used.restore(JobId{1} << 62, "").has_value());
  EXPECT_EQ(used.next(), 1U);
  ASSERT_TRUE(used.restore(8, "10-11").has_value());
  EXPECT_EQ(used.next(), 8U);
  EXPECT_FALSE(used.restore(1, "3-").has_value());
  EXPECT_FALSE(used.restore(1, "9007199254740992").has_value());
}

}  // namespace
}  // namespace copse::server
