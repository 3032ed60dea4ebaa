// SPDX-License-Identifier: Apache-2.0
//
// A clock that advances: which grants end and begin, and what is refused. tests/property compares
// streams of random events and clock changes with the oracle.
#include "engine/jobs.hpp"

namespace copse {
namespace {

TEST(Clock, EndsGrantsAndBeginsReservations) {
  const auto e = engine();
  const std::uint64_t empty = e->fingerprint();
  const std::string job = nodes(4, "100");  // the whole machine
  ASSERT_TRUE(allocate(*e, job, 1));
  const auto reserved = match(*e, Operation::allocate_orelse_reserve, job, 2);
  ASSERT_TRUE(reserved);
  EXPECT_EQ(reserved->start, 100);

  ASSERT_TRUE(e->advance(99));
  EXPECT_EQ(e->now(), 99);
  EXPECT_NE(e->grant(1), nullptr);
  EXPECT_EQ(error_of(allocate(*e, job, 3)), "insufficient");

  ASSERT_TRUE(e->advance(100));
  EXPECT_EQ(e->grant(1), nullptr);
  ASSERT_NE(e->grant(2), nullptr);
  EXPECT_EQ(error_of(allocate(*e, job, 3)), "insufficient");  // job 2 runs
  const auto after = match(*e, Operation::allocate_orelse_reserve, job, 3);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->start, 200);

  ASSERT_TRUE(e->advance(1000));  // 2 and 3 have ended, though 3 was never seen running
  EXPECT_EQ(e->grant_count(), 0U);
  EXPECT_EQ(e->fingerprint(), empty);
  const auto now = allocate(*e, job, 4);
  ASSERT_TRUE(now);
  EXPECT_EQ(now->start, 1000);
}

// A reservation that has begun is freed like an allocation.
TEST(Clock, CancelsWhatBegan) {
  const auto e = engine();
  const std::uint64_t empty = e->fingerprint();
  ASSERT_TRUE(allocate(*e, nodes(4, "10"), 1));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, cores(3, "10"), 2));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(2, "10"), 3));
  ASSERT_TRUE(e->advance(15));
  EXPECT_EQ(e->grant_count(), 2U);
  ASSERT_TRUE(e->cancel(2));
  ASSERT_TRUE(e->cancel(3));
  EXPECT_EQ(e->fingerprint(), empty);
}

TEST(Clock, AGrantEndsAtAnotherTime) {
  const auto e = engine();
  const std::uint64_t empty = e->fingerprint();
  ASSERT_TRUE(allocate(*e, nodes(3, "100"), 1));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4, "50"), 2));  // at 100
  const std::uint64_t before = e->fingerprint();
  EXPECT_EQ(error_of(e->set_end(1, 101)), "insufficient");
  EXPECT_EQ(error_of(e->set_end(1, 0)), "invalid");
  EXPECT_EQ(error_of(e->set_end(1, e->options().horizon + 1)), "invalid");
  EXPECT_EQ(error_of(e->set_end(3, 10)), "not_found");
  EXPECT_EQ(e->fingerprint(), before);
  ASSERT_TRUE(e->advance(10));
  ASSERT_TRUE(e->set_end(1, 60));
  EXPECT_EQ(match(*e, Operation::allocate_orelse_reserve, nodes(4, "40"), 3)->start, 60);
  ASSERT_TRUE(e->cancel(3));
  ASSERT_TRUE(e->set_end(2, 200));
  ASSERT_TRUE(e->set_end(1, 100));
  ASSERT_TRUE(e->advance(100));
  EXPECT_EQ(e->grant(1), nullptr);
  ASSERT_TRUE(e->advance(199));
  ASSERT_NE(e->grant(2), nullptr);
  ASSERT_TRUE(e->advance(200));
  EXPECT_EQ(e->grant_count(), 0U);
  EXPECT_EQ(e->fingerprint(), empty);
}

TEST(Clock, NeverGoesBackNorBeyondTheHorizon) {
  EngineOptions options = with_policy("low");
  options.horizon = 1000;
  const auto e = engine(options);
  ASSERT_TRUE(allocate(*e, nodes(1, "0"), 1));  // without an end: until the horizon
  ASSERT_TRUE(e->advance(500));
  EXPECT_EQ(error_of(e->advance(499)), "invalid");
  EXPECT_EQ(error_of(e->advance(1000)), "invalid");
  EXPECT_EQ(error_of(e->advance(INT64_MIN)), "invalid");
  EXPECT_EQ(error_of(e->advance(INT64_MAX)), "invalid");
  EXPECT_EQ(e->now(), 500);
  ASSERT_TRUE(e->advance(999));
  EXPECT_NE(e->grant(1), nullptr);
}

// Numbers of grants are reused: an event of a removed grant must not end its successor.
TEST(Clock, ForgetsWhatWasCancelled) {
  const auto e = engine();
  ASSERT_TRUE(e->advance(1));
  for (JobId id = 1; id <= 10'000; ++id) {
    ASSERT_TRUE(allocate(*e, nodes(1, std::to_string(10 + id % 7)), id));
    ASSERT_TRUE(e->cancel(id));
  }
  ASSERT_TRUE(allocate(*e, nodes(1, "50"), 20'000));
  ASSERT_TRUE(e->advance(40));
  EXPECT_NE(e->grant(20'000), nullptr);
  ASSERT_TRUE(e->advance(51));
  EXPECT_EQ(e->grant(20'000), nullptr);
}

// A rebuilt machine keeps its clock.
TEST(Clock, OutlivesANewGraph) {
  const auto e = engine();
  ASSERT_TRUE(e->advance(5));
  ASSERT_TRUE(allocate(*e, nodes(1, "10"), 1));
  ASSERT_TRUE(e->compact());
  EXPECT_EQ(e->now(), 5);
  ASSERT_TRUE(e->advance(15));
  EXPECT_EQ(e->grant_count(), 0U);
}

}  // namespace
}  // namespace copse
