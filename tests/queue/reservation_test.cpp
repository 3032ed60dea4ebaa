// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservation.hpp"
#include "base/job_id.hpp"

#include "formats/hres/hres.hpp"
#include "queue/reservation_desk.hpp"
#include "request/hres.hpp"

namespace copse::queue {
namespace {

TEST(Reservation, PlannedJobsKeepOutOfIt) {
  Desk desk(2, "easy");
  const auto losses = desk.queue.reserve(maintenance("node0", 100, 50));
  ASSERT_TRUE(losses) << losses.error().message();
  EXPECT_TRUE(losses->empty());
  desk.submit(1, "slot=1/node", 120);
  desk.submit(2, "slot=2/node", 200);
  desk.submit(3, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "start 3", "plan 2 at 150"}));
  EXPECT_EQ(nodes_of(desk, 1), Words{"node1"});
  EXPECT_EQ(nodes_of(desk, 3), Words{"node0"});
  desk.advance(100);
  desk.advance(120);
  desk.advance(150);
  EXPECT_EQ(desk.said.take(), Words{"start 2"});
  EXPECT_TRUE(desk.queue.reservations().empty());
}

// For instance of a former queue on the same engine.
TEST(Reservation, GrantsWithIdsOfReservationsAreLeftAlone) {
  Desk desk(2, "easy");
  const ResourceGraph& graph = desk.engine->graph();
  const PoolId node0 = graph.of_type(graph.find_type("node")).front();
  ASSERT_TRUE(desk.engine->update(kFirstReservationId, std::vector{node0}, 20, 100));
  const auto taken = desk.queue.reserve(maintenance("node0", 100, 50));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::exists) << taken.error().message();
  EXPECT_TRUE(desk.queue.reservations().empty());
  ASSERT_TRUE(desk.queue.reserve(maintenance("node1", 100, 50)));
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 120, 50)));  // after the other one has ended
  EXPECT_EQ(desk.engine->grant_count(), 3U);
  EXPECT_EQ(desk.engine->grant(kFirstReservationId)->end, 120);
  EXPECT_EQ(nodes_of(desk, kFirstReservationId + 1), Words{"node1"});
  EXPECT_EQ(nodes_of(desk, kFirstReservationId + 2), Words{"node0"});
  desk.queue.check();
}

TEST(Reservation, RunningJobsThatReachInAreListedAndNotHarmed) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=1/node", 130);
  desk.submit(2, "slot=1/node", 90);
  (void)desk.work();
  const auto losses = desk.queue.reserve(maintenance("node[0-1]", 100, 50));
  ASSERT_TRUE(losses);
  ASSERT_EQ(losses->size(), 1U);
  EXPECT_EQ(losses->front().job, 1U);
  EXPECT_EQ(losses->front().nodes.size(), 1U);
  EXPECT_EQ(losses->front().seconds(), 30);
  EXPECT_EQ(desk.engine->grant(1)->end, 130);
  // It ends early: the reservation has its node from then on.
  desk.advance(110);
  desk.end(1, 110);
  desk.submit(3, "slot=1/node", 5);
  EXPECT_EQ(desk.work(), (Words{"plan 3 at 150"}));
}

TEST(Reservation, PromisesInItsWayAreMadeAnew) {
  Desk desk(2, "conservative");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=1/node", 100);
  desk.submit(3, "slot=2/node", 50);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100", "plan 3 at 200"}));
  ASSERT_TRUE(desk.queue.reserve(maintenance("node[0-1]", 210, 50)));
  EXPECT_EQ(desk.work(), (Words{"plan 3 at 260"}));
  EXPECT_EQ(desk.queue.promised_start(2), 100);
  ASSERT_TRUE(desk.queue.cancel_reservation("maintenance"));
  EXPECT_EQ(desk.work(), (Words{"plan 3 at 200"}));
}

TEST(Reservation, OfAShapeTakesNodesThatAreFreeThen) {
  Desk desk(3, "conservative");
  desk.submit(1, "slot=1/node", 200);
  (void)desk.work();
  ReservationSpec spec{.name = "course", .start_s = 100, .duration_s = 50};
  spec.request = request_of("slot=2/node");
  const auto losses = desk.queue.reserve(spec);
  ASSERT_TRUE(losses) << losses.error().message();
  EXPECT_TRUE(losses->empty());
  spec.name = "more";
  const auto more = desk.queue.reserve(spec);
  ASSERT_FALSE(more);
  // It does not fit next to running jobs; then it takes a node of a job.
  spec.request = request_of("slot=1/node");
  const auto one = desk.queue.reserve(spec);
  ASSERT_TRUE(one) << one.error().message();
  ASSERT_EQ(one->size(), 1U);
  EXPECT_EQ(one->front().job, 1U);
}

TEST(Reservation, LaterTimesAreKnown) {
  const OccurrenceSeries later{.from_s = 1000, .last_s = 3000, .every_s = 100, .duration_s = 10};
  EXPECT_EQ(later.first_in(0, 1000), std::nullopt);
  EXPECT_EQ(later.first_in(0, 1001), 1000);
  EXPECT_EQ(later.first_in(1009, 1100), 1000);
  EXPECT_EQ(later.first_in(1010, 1100), std::nullopt);
  EXPECT_EQ(later.first_in(1010, 1101), 1100);
  EXPECT_EQ(later.first_in(3009, 9999), 3000);
  EXPECT_EQ(later.first_in(3010, 9999), std::nullopt);
  ReservationSpec spec = maintenance("node0", 100, 50);
  EXPECT_FALSE(unbooked_series(spec, 1, 0, 10'000));
  spec.every_s = 100;
  spec.count = 10;
  const auto two = unbooked_series(spec, 8, 0, 10'000);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->from_s, 900);
  EXPECT_EQ(two->last_s, 1000);
  spec.count = INT64_MAX;
  EXPECT_EQ(unbooked_series(spec, 8, 0, 10'000)->last_s, 9'900);
  spec.until_s = 1'200;
  EXPECT_EQ(unbooked_series(spec, 8, 0, 10'000)->last_s, 1'100);
}

TEST(Reservation, IsRepeatedAndBookedAhead) {
  Desk desk(1, "easy");
  ReservationSpec spec = maintenance("node0", 100, 50);
  spec.every_s = 100;
  spec.count = 10;
  ASSERT_TRUE(desk.queue.reserve(spec));
  ASSERT_EQ(desk.queue.reservations().size(), 1U);
  EXPECT_EQ(desk.queue.reservations().front().times.size(), kBookedMax);
  desk.advance(150);
  EXPECT_EQ(desk.queue.reservations().front().times.back().from_s, 900);
  desk.submit(1, "slot=1/node", 60);
  // It does not fit between two occurrences. A start after the last booked one is not reported,
  // until that is the last of all.
  EXPECT_EQ(desk.work(), Words{});
  desk.advance(200);
  EXPECT_EQ(desk.said.take(), Words{});
  desk.advance(250);
  EXPECT_EQ(desk.said.take(), (Words{"plan 1 at 1050"}));
  for (int t = 300; t <= 1050; t += 50) desk.advance(t);
  EXPECT_EQ(desk.said.take(), (Words{"start 1"}));
  EXPECT_TRUE(desk.queue.reservations().empty());
}

TEST(Reservation, AJobThatMayNotRunIntoItCostsNobodyAPromise) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(maintenance("node0", 100, 50)));
  desk.submit(1, "slot=1/node", 50);
  desk.submit(2, "slot=1/node", 40);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 50"}));
  EXPECT_FALSE(desk.queue.set_end(1, 120));
  EXPECT_EQ(desk.queue.promised_start(2), 50);
}

TEST(Reservation, IsTheReasonWhyAJobWaits) {
  Desk desk(2, "easy");
  ASSERT_TRUE(desk.queue.reserve(maintenance("node[0-1]", 50, 50)));
  desk.submit(1, "slot=1/node", 60);
  desk.submit(2, "slot=1/node", 40);
  EXPECT_EQ(desk.work(), (Words{"start 2", "plan 1 at 100"}));
  const QueueView view = desk.queue.view();
  const auto reason = view.reservations.reason(view.jobs.find(1));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->name, "maintenance");
  EXPECT_EQ(reason->from_s, 50);
  EXPECT_EQ(reason->until_s, 100);
  EXPECT_FALSE(reason->named);
}

TEST(Reservation, ChangesAndKeepsWhatItHadIfItCannot) {
  Desk desk(2, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 10, 20)));
  ReservationSpec other = maintenance("node1", 10, 20);
  ASSERT_TRUE(desk.queue.reserve(other));
  const auto before = desk.queue.reservations();
  const auto bad = desk.queue.change_reservation(dedicated("node[0-1]", 10, 20));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().text, "the reservation \"maintenance\" has node1 at that time");
  EXPECT_EQ(desk.queue.reservations().front().times.front().nodes,
            before.front().times.front().nodes);
  ASSERT_TRUE(desk.queue.change_reservation(dedicated("node[0-1]", 30, 20)));
  EXPECT_EQ(desk.queue.reservations().front().times.front().from_s, 30);
}

TEST(Reservation, AJobThatDoesNotEndInTimeKeepsWhatItHas) {
  Desk desk(1, "easy");
  desk.submit(1, "slot=1/node", 100);
  (void)desk.work();
  ASSERT_TRUE(desk.queue.reserve(maintenance("node0", 100, 200)));
  ASSERT_TRUE(desk.queue.advance(100));
  EXPECT_EQ(desk.work(), Words{});
  EXPECT_EQ(desk.engine->grant(1)->end, 102);
  ASSERT_TRUE(desk.queue.ended(1, 130));
  ASSERT_TRUE(desk.queue.advance(130));
  desk.submit(2, "slot=1/node", 10);
  EXPECT_EQ(desk.work(), Words({"plan 2 at 300"}));
}

// Grants from before the queue, or outside it.
TEST(Reservation, GetsItsNodesWhenAGrantBesideTheQueueEnds) {
  Desk desk(2, "easy");
  auto request = desk.engine->prepare(request_of("slot=2/node"));
  ASSERT_TRUE(request);
  request->set_duration(150);
  ASSERT_TRUE(desk.queue.grant_outside_queue(Operation::allocate, *request, 9));
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 100, 100)));
  submit_to(desk, "course", 1, "slot=1/node", 40);
  desk.advance(100);
  EXPECT_NE(desk.queue.state(1), JobState::running);
  desk.advance(150);
  EXPECT_EQ(desk.queue.state(1), JobState::running);
}

}  // namespace
}  // namespace copse::queue
