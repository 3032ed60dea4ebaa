// SPDX-License-Identifier: Apache-2.0
#include "plan/waiting.hpp"

#include <gtest/gtest.h>

#include <set>

#include "property/random.hpp"

namespace copse::plan {
namespace {

TEST(RankSet, IsASet) {
  for (const std::uint32_t bound : {0U, 1U, 63U, 64U, 65U, 4096U, 4097U, 300'000U}) {
    RankSet set(bound);
    std::set<std::uint32_t> model;
    property::Random random(bound);
    for (int step = 0; bound > 0 && step < 3000; ++step) {
      const auto rank = static_cast<std::uint32_t>(random.below(bound));
      if (model.contains(rank)) {
        set.erase(rank);
        model.erase(rank);
      } else if (random.chance(60)) {
        set.insert(rank);
        model.insert(rank);
      }
      const auto from = static_cast<std::uint32_t>(random.below(bound + 1));
      const auto next = model.lower_bound(from);
      ASSERT_EQ(set.next(from), next == model.end() ? RankSet::kNone : *next) << bound;
      ASSERT_EQ(set.size(), model.size());
    }
    EXPECT_EQ(set.next(bound), RankSet::kNone);
  }
}

TEST(Waiting, KeepsListsByRequest) {
  Waiting waiting(10, 3);
  waiting.insert(5, 1, 50);
  waiting.insert(2, 1, 20);
  waiting.insert(7, 0, 70);
  EXPECT_EQ(waiting.order().next(0), 2U);
  ASSERT_EQ(waiting.of(1).size(), 2U);
  EXPECT_EQ(waiting.of(1)[0].duration_s, 20);
  EXPECT_EQ(waiting.requests(), (std::vector<std::uint32_t>{1, 0}));
  waiting.erase(2, 1);
  waiting.erase(5, 1);
  EXPECT_EQ(waiting.requests(), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(waiting.order().next(0), 7U);
}

}  // namespace
}  // namespace copse::plan
