// SPDX-License-Identifier: Apache-2.0
//
// Grants outside the queue leave promises what they are: times. oracle_test.cpp has random streams.
#include "queue/counts/outside_grants.hpp"

#include <gtest/gtest.h>

#include <string>

#include "queue/events.hpp"

namespace copse::queue {
namespace {

class OutsideGrantsDesk : public testing::Test {
 protected:
  // True: it was made.
  bool grant(JobId id, const std::string& shape, std::int64_t duration_s, bool later = false) {
    auto prepared = desk.engine->prepare(request_of(shape));
    EXPECT_TRUE(prepared);
    prepared->set_duration(duration_s);
    const Operation operation =
        later ? Operation::allocate_orelse_reserve : Operation::allocate_with_satisfiability;
    return desk.queue.grant_outside_queue(operation, *prepared, id).has_value();
  }
  // Three of the nodes that are free then are promised; the lowest node is free before.
  void promise_three_of_four() {
    desk.submit(1, "slot=1/node", 10);
    desk.submit(2, "slot=2/node", 100);
    desk.submit(3, "slot=1/node", 50);
    desk.submit(4, "slot=3/node", 100);
    EXPECT_EQ(desk.work(), (Words{"start 1", "start 2", "start 3", "plan 4 at 100"}));
    desk.advance(10);
    (void)desk.said.take();
  }

  Desk desk{5, "conservative"};
};

// Nodes 1 to 3 would have been promised, so that node 1 served no longer job.
TEST_F(OutsideGrantsDesk, OfACorePinNoPromise) {
  ASSERT_TRUE(grant(9, "slot=1/core", 10'000));
  promise_three_of_four();
  desk.submit(5, "slot=1/node", 200);
  EXPECT_EQ(desk.work(), Words{"start 5"});
  desk.submit(6, "slot=1/node", 10);  // the rest of a node is for jobs of cores alone
  EXPECT_EQ(desk.work(), Words{"plan 6 at 50"});
}

TEST_F(OutsideGrantsDesk, ToComeAreReservedTimes) {
  desk.submit(8, "slot=5/node", 1'000);
  EXPECT_EQ(desk.work(), Words{"start 8"});
  ASSERT_TRUE(grant(9, "slot=1/node", 10, true));
  EXPECT_EQ(desk.engine->grant(9)->start, 1'000);
  desk.end(8, 0);
  EXPECT_EQ(desk.work(), Words{});
  desk.submit(1, "slot=5/node", 1'005);
  EXPECT_EQ(desk.work(), Words{"plan 1 at 1010"});
  desk.submit(2, "slot=4/node", 1'005);
  EXPECT_EQ(desk.work(), Words{"start 2"});
}

// One that begins now, and breaks a promise, is refused or gets other nodes.
TEST_F(OutsideGrantsDesk, BreakNoPromise) {
  ASSERT_TRUE(grant(9, "slot=1/core", 10'000));
  promise_three_of_four();
  EXPECT_FALSE(grant(10, "slot=2/node", 10));
  EXPECT_TRUE(grant(10, "slot=1/node", 200));
  EXPECT_FALSE(grant(11, "slot=1/core=4", 95));
  EXPECT_EQ(desk.queue.promised_start(4), 100);
  ASSERT_TRUE(desk.queue.free_outside_queue(10));
  EXPECT_TRUE(grant(11, "slot=1/core=4", 95));
  EXPECT_EQ(desk.queue.promised_start(4), 100);
}

}  // namespace
}  // namespace copse::queue
