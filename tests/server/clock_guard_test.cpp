// SPDX-License-Identifier: Apache-2.0
#include "server/clock_guard.hpp"

#include <gtest/gtest.h>

namespace copse::server {
namespace {

TEST(ClockGuard, FollowsAClockThatGoes) {
  ClockGuard guard(100);
  EXPECT_EQ(guard.time(5'000, 7), 5'000);
  EXPECT_EQ(guard.time(5'010, 17), 5'010);
  EXPECT_EQ(guard.time(5'100, 20), 5'100);  // 87 more than have passed
  EXPECT_EQ(guard.time(4'000, 21), 4'000);  // set back
  EXPECT_EQ(guard.jumped_s(), 0);
}

TEST(ClockGuard, DoesNotFollowAJumpUntilItIsSetBack) {
  ClockGuard guard(100);
  EXPECT_EQ(guard.time(5'000, 0), 5'000);
  EXPECT_EQ(guard.time(1'000'000, 10), 5'010);
  EXPECT_EQ(guard.jumped_s(), 994'990);
  EXPECT_EQ(guard.time(1'000'200, 210), 5'210);
  EXPECT_EQ(guard.jumped_s(), 994'990);
  EXPECT_EQ(guard.time(5'300, 290), 5'300);
  EXPECT_EQ(guard.jumped_s(), 0);
}

TEST(ClockGuard, CountsTheTimeAsleep) {
  ClockGuard guard(100);
  EXPECT_EQ(guard.time(5'000, 0), 5'000);
  EXPECT_EQ(guard.time(1'000'000, 995'000), 1'000'000);
  EXPECT_EQ(guard.jumped_s(), 0);
}

}  // namespace
}  // namespace copse::server
