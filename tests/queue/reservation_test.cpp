// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservation.hpp"
#include "base/job_id.hpp"

#include "formats/hres/hres.hpp"
#include "property/random.hpp"
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

// For instance of a former queue on the same engine: a reservation gets the rest of its nodes.
TEST(Reservation, GrantsWithIdsOfReservationsAreLeftAlone) {
  Desk desk(2, "easy");
  const ResourceGraph& graph = desk.engine->graph();
  const PoolId node0 = graph.of_type(graph.find_type("node")).front();
  ASSERT_TRUE(desk.engine->update(kFirstReservationId, std::vector{node0}, 20, 100));
  ASSERT_TRUE(desk.queue.reserve(maintenance("node0", 100, 50)));
  ASSERT_TRUE(desk.queue.reserve(dedicated("node1", 100, 50)));
  EXPECT_EQ(desk.engine->grant_count(), 3U);
  EXPECT_EQ(desk.engine->grant(kFirstReservationId)->end, 120);
  EXPECT_EQ(desk.engine->grant(kFirstReservationId + 1)->start, 120);
  EXPECT_EQ(nodes_of(desk, kFirstReservationId + 2), Words{"node1"});
  desk.queue.check();
}

// The ninth occurrence is booked when the first has ended.
TEST(Reservation, GrantsWithIdsOfReservationsDoNotPreventALaterOccurrence) {
  Desk desk(1, "easy");
  const ResourceGraph& graph = desk.engine->graph();
  const PoolId core = graph.of_type(graph.find_type("core")).front();
  ASSERT_TRUE(desk.engine->update(kFirstReservationId + 40, std::vector{core}, 810, 20));
  ReservationSpec daily = maintenance("node0", 10, 50);
  daily.every_s = 100;
  ASSERT_TRUE(desk.queue.reserve(daily));
  desk.advance(100);
  desk.submit(1, "slot=1/core", 730);
  EXPECT_EQ(desk.work(), Words{});
  const auto last = desk.queue.reservations().front().times.back();
  EXPECT_EQ(last.from_s, 810);
  EXPECT_EQ(last.nodes.size(), 1U);
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
  OccurrenceSeries later{.from_s = 1000, .last_s = 3000, .duration_s = 10};
  later.spec.duration_s = 10;
  later.spec.every_s = 100;
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

// The clock is an hour ahead from occurrence 3 on, and back from 6 on.
TEST(Reservation, OccurrencesFollowACalendar) {
  ReservationSpec spec{.name = "r", .start_s = 1'000, .duration_s = 86'400};
  spec.every_s = kDay_s;
  spec.count = 8;
  spec.nth_start = [](std::int64_t start_s, std::int64_t n) {
    return start_s + n * kDay_s - (n >= 3 && n < 6 ? 3'600 : 0);
  };
  EXPECT_EQ(spec.start_of(2), 1'000 + 2 * kDay_s);
  EXPECT_EQ(spec.start_of(3), 1'000 + 3 * kDay_s);  // when the one before has ended
  EXPECT_EQ(spec.start_of(4), 1'000 + 4 * kDay_s - 3'600);
  for (std::int64_t n = 0; n < 8; ++n) {
    EXPECT_EQ(spec.number_at(spec.start_of(n)), n);
    EXPECT_EQ(spec.number_at(spec.start_of(n) + 1), n + 1);
  }
  std::int64_t next = 0;
  EXPECT_EQ(next_starts(spec, next, 2 * kDay_s, INT64_MAX, 2),
            (std::vector<std::int64_t>{1'000 + kDay_s, 1'000 + 2 * kDay_s}));
  EXPECT_EQ(next, 3);
  const auto later = unbooked_series(spec, next, 2 * kDay_s, INT64_MAX);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->from_s, spec.start_of(3));
  EXPECT_EQ(later->last_s, spec.start_of(7));
  EXPECT_EQ(later->first_in(spec.start_of(5) - 10, spec.start_of(5)), spec.start_of(4));
  EXPECT_EQ(later->first_in(spec.start_of(7) + 86'400, INT64_MAX), std::nullopt);
}

// Cores of node0 are granted from 30 to 70, and from 110 to 140, while it is reserved.
TEST(Reservation, KeepsWhatIsFreeBetweenGrants) {
  Desk desk(1, "easy");
  const auto grant = [&](JobId id, std::int64_t at_s, std::int64_t duration_s, const char* shape) {
    auto request = desk.engine->prepare(request_of(shape));
    ASSERT_TRUE(request);
    request->set_duration(duration_s);
    ASSERT_TRUE(desk.engine->match_between(*request, id, at_s, at_s + 1));
  };
  grant(1, 0, 30, "slot=1/node{x}");
  grant(2, 30, 40, "slot=1/core=1");
  grant(3, 110, 30, "slot=1/core=2");
  ASSERT_TRUE(desk.queue.reserve(maintenance("node0", 29, 100)));
  for (std::int64_t at_s = 29; at_s < 129; ++at_s) {
    auto request = desk.engine->prepare(request_of("slot=1/core=1"));
    ASSERT_TRUE(request);
    request->set_duration(1);
    EXPECT_FALSE(desk.engine->match_between(*request, 4, at_s, at_s + 1)) << at_s;
  }
  desk.submit(5, "slot=1/core", 5);
  EXPECT_EQ(desk.work(), Words{"plan 5 at 129"});
}

// Random grants, now and later, of cores and of the whole node: no second of what is reserved is free.
TEST(Reservation, LeavesNothingFreeBesideGrants) {
  property::Random random(7);
  for (int n = 0; n < 300; ++n) {
    Desk desk(2, "easy");
    for (JobId id = 1; id <= 8; ++id) {
      const bool whole = random.chance(30);
      auto request = desk.engine->prepare(request_of(
          whole ? "slot=1/node{x}" : "slot=1/core=" + std::to_string(random.between(1, 4))));
      ASSERT_TRUE(request);
      request->set_duration(random.between(1, 20));
      const std::int64_t at_s = random.between(0, 40);
      (void)desk.engine->match_between(*request, id, at_s, at_s + 1);
    }
    const std::int64_t from_s = random.between(0, 40), until_s = from_s + random.between(1, 30);
    ASSERT_TRUE(desk.queue.reserve(maintenance("node[0-1]", from_s, until_s - from_s)));
    for (std::int64_t at_s = from_s; at_s < until_s; ++at_s) {
      auto request = desk.engine->prepare(request_of("slot=1/core=1"));
      ASSERT_TRUE(request);
      request->set_duration(1);
      EXPECT_FALSE(desk.engine->match_between(*request, 9, at_s, at_s + 1)) << n << ", " << at_s;
    }
  }
}

}  // namespace
}  // namespace copse::queue
