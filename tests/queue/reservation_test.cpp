// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservation.hpp"

#include "formats/hres/hres.hpp"
#include "queue/events.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"

namespace copse::queue {
namespace {

Constraint hosts(const char* text) {
  auto made = parse_constraint(std::string("{\"hostlist\": [\"") + text + "\"]}");
  EXPECT_TRUE(made);
  return made ? *made : Constraint();
}

ReservationSpec maintenance(const char* nodes, std::int64_t start_s, std::int64_t duration_s) {
  return {.name = "maintenance",
          .start_s = start_s,
          .duration_s = duration_s,
          .constraint = hosts(nodes),
          .users = std::vector<std::string>()};
}

ReservationSpec dedicated(const char* nodes, std::int64_t start_s, std::int64_t duration_s) {
  return {
      .name = "course", .start_s = start_s, .duration_s = duration_s, .constraint = hosts(nodes)};
}

void submit_to(Desk& desk, const char* reservation, JobId id, const std::string& shape,
               std::int64_t duration_s, const char* user = "ada") {
  const Request request = request_of(shape);
  const auto ok = desk.queue.submit({.id = id,
                                     .submit_s = desk.engine->now(),
                                     .duration_s = duration_s,
                                     .user = user,
                                     .reservation = reservation,
                                     .kind = shape,
                                     .request = &request});
  EXPECT_TRUE(ok) << (ok ? "" : ok.error().message());
}

std::vector<std::string> nodes_of(const Desk& desk, JobId job) {
  std::vector<std::string> out;
  const ResourceGraph& graph = desk.engine->graph();
  const Grant* grant = desk.engine->grant(job);
  if (grant == nullptr) return out;
  for (const Taken& taken : grant->selection.taken) {
    if (graph.type(taken.first) != graph.find_type("node")) continue;
    for (std::uint32_t i = 0; i < taken.count; ++i) {
      out.push_back(graph.name(PoolId{taken.first.v + i}));
    }
  }
  return out;
}

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

// Such as from a queue that was on the engine before.
TEST(Reservation, GrantsWithIdsOfReservationsAreLeftAlone) {
  Desk desk(2, "easy");
  const ResourceGraph& graph = desk.engine->graph();
  const PoolId node0 = graph.of_type(graph.find_type("node")).front();
  ASSERT_TRUE(desk.engine->update(kReservationIds, std::vector{node0}, 20, 100));
  const auto taken = desk.queue.reserve(maintenance("node0", 100, 50));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::exists) << taken.error().message();
  EXPECT_TRUE(desk.queue.reservations().empty());
  ASSERT_TRUE(desk.queue.reserve(maintenance("node1", 100, 50)));
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 120, 50)));  // when the other is over
  EXPECT_EQ(desk.engine->grant_count(), 3U);
  EXPECT_EQ(desk.engine->grant(kReservationIds)->end, 120);
  EXPECT_EQ(nodes_of(desk, kReservationIds + 1), Words{"node1"});
  EXPECT_EQ(nodes_of(desk, kReservationIds + 2), Words{"node0"});
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

TEST(Reservation, JobsThatNameItStartInItAndEndByItsEnd) {
  Desk desk(3, "fcfs");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node[1-2]", 100, 50)));
  submit_to(desk, "course", 1, "slot=1/node", 30);
  submit_to(desk, "course", 2, "slot=2/node", 20);
  submit_to(desk, "course", 3, "slot=1/node", 40);
  submit_to(desk, "course", 4, "slot=1/node", 51);
  EXPECT_EQ(desk.work(), (Words{"deny 4"}));
  EXPECT_EQ(desk.queue.next_time(), 100);
  desk.advance(100);
  EXPECT_EQ(desk.said.take(), (Words{"start 1", "start 3"}));
  EXPECT_NE(nodes_of(desk, 1), Words{"node0"});
  EXPECT_NE(nodes_of(desk, 3), Words{"node0"});
  // Nobody else gets what they leave.
  desk.end(3, 100);
  desk.submit(5, "slot=2/node", 5);
  EXPECT_EQ(desk.work(), Words());
  desk.advance(130);
  EXPECT_EQ(desk.said.take(), (Words{"start 2"}));
  desk.advance(150);
  EXPECT_EQ(desk.said.take(), (Words{"start 5"}));
}

TEST(Reservation, JobsWithinShareNodesAndTheRestStaysReserved) {
  Desk desk(2, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 0, 100)));
  submit_to(desk, "course", 1, "slot=1/core=3", 50);
  submit_to(desk, "course", 2, "slot=1/core=1", 100);
  submit_to(desk, "course", 3, "slot=1/core=1", 20);
  EXPECT_EQ(desk.work(), (Words{"start 1", "start 2"}));
  desk.end(1, 0);
  desk.submit(4, "slot=1/core=4", 10);
  desk.submit(5, "slot=1/core=1", 10);
  EXPECT_EQ(desk.work(), (Words{"start 3", "start 4", "plan 5 at 10"}));
}

TEST(Reservation, SaysWhoMayUseIt) {
  Desk desk(1, "easy");
  ReservationSpec spec = dedicated("node0", 10, 20);
  spec.users = {"ada"};
  ASSERT_TRUE(desk.queue.reserve(spec));
  submit_to(desk, "course", 1, "slot=1/node", 5, "bo");
  EXPECT_EQ(desk.work(), Words{"deny 1"});
  const Request request = request_of("slot=1/node");
  const auto unknown = desk.queue.submit(
      {.id = 2, .duration_s = 5, .reservation = "curse", .kind = "k", .request = &request});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().text, "unknown reservation \"curse\"; did you mean \"course\"?");
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
  // Beside what runs it does not fit; then it takes a node that a job has.
  spec.request = request_of("slot=1/node");
  const auto one = desk.queue.reserve(spec);
  ASSERT_TRUE(one) << one.error().message();
  ASSERT_EQ(one->size(), 1U);
  EXPECT_EQ(one->front().job, 1U);
}

// It waits for nothing that never comes, however often the reservation is repeated.
TEST(Reservation, WhatItCanNeverServeIsDeniedAtOnce) {
  Desk desk(4, "easy");
  ReservationSpec spec = dedicated("node[0-1]", 100, 50);
  spec.every_s = kDay_s;
  ASSERT_TRUE(desk.queue.reserve(spec));
  submit_to(desk, "course", 1, "slot=3/node", 10);
  EXPECT_EQ(desk.work(), (Words{"deny 1"}));
  submit_to(desk, "course", 2, "slot=2/node", 10);
  EXPECT_EQ(desk.work(), Words{});
  desk.advance(100);
  EXPECT_EQ(desk.said.take(), (Words{"start 2"}));
}

TEST(Reservation, LaterTimesAreKnown) {
  const LaterTimes later{.from_s = 1000, .last_s = 3000, .every_s = 100, .duration_s = 10};
  EXPECT_EQ(later.first_in(0, 1000), std::nullopt);
  EXPECT_EQ(later.first_in(0, 1001), 1000);
  EXPECT_EQ(later.first_in(1009, 1100), 1000);
  EXPECT_EQ(later.first_in(1010, 1100), std::nullopt);
  EXPECT_EQ(later.first_in(1010, 1101), 1100);
  EXPECT_EQ(later.first_in(3009, 9999), 3000);
  EXPECT_EQ(later.first_in(3010, 9999), std::nullopt);
  ReservationSpec spec = maintenance("node0", 100, 50);
  EXPECT_FALSE(later_times(spec, 1, 0, 10'000));
  spec.every_s = 100;
  spec.count = 10;
  const auto two = later_times(spec, 8, 0, 10'000);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->from_s, 900);
  EXPECT_EQ(two->last_s, 1000);
  spec.count = INT64_MAX;
  EXPECT_EQ(later_times(spec, 8, 0, 10'000)->last_s, 9'900);
  spec.until_s = 1'200;
  EXPECT_EQ(later_times(spec, 8, 0, 10'000)->last_s, 1'100);
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
  // Between two times it does not fit. What is behind the last one booked is told to nobody, until
  // that is the last of all.
  EXPECT_EQ(desk.work(), Words{});
  desk.advance(200);
  EXPECT_EQ(desk.said.take(), Words{});
  desk.advance(250);
  EXPECT_EQ(desk.said.take(), (Words{"plan 1 at 1050"}));
  for (int t = 300; t <= 1050; t += 50) desk.advance(t);
  EXPECT_EQ(desk.said.take(), (Words{"start 1"}));
  EXPECT_TRUE(desk.queue.reservations().empty());
}

TEST(Reservation, WhenItIsOverOrCancelledJobsThatNameItAreDenied) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 10, 20)));
  submit_to(desk, "course", 1, "slot=1/node", 15);
  submit_to(desk, "course", 2, "slot=1/node", 15);
  (void)desk.work();
  desk.advance(10);
  EXPECT_EQ(desk.said.take(), Words{"start 1"});
  desk.advance(30);
  EXPECT_EQ(desk.said.take(), Words{"deny 2"});
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 40, 20)));
  submit_to(desk, "course", 3, "slot=1/node", 15);
  ASSERT_TRUE(desk.queue.cancel_reservation("course"));
  EXPECT_EQ(desk.work(), Words{"deny 3"});
  EXPECT_FALSE(desk.queue.cancel_reservation("course"));
}

TEST(Reservation, WhenItIsGoneJobsHeldAreDeniedToo) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 10, 20)));
  submit_to(desk, "course", 1, "slot=1/node", 15);
  ASSERT_TRUE(desk.queue.hold(1));
  ASSERT_TRUE(desk.queue.cancel_reservation("course"));
  EXPECT_EQ(desk.work(), Words{"deny 1"});
  EXPECT_FALSE(desk.queue.release(1));
}

TEST(Reservation, AJobWithoutEndHasItToItsEnd) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 10, 20)));
  submit_to(desk, "course", 1, "slot=1/node", 0);
  (void)desk.work();
  desk.advance(15);
  EXPECT_EQ(desk.said.take(), Words{"start 1"});
  EXPECT_EQ(desk.engine->grant(1)->end, 30);
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

// It is a guest already when it runs on.
TEST(Reservation, AJobThatOverrunsInItKeepsWhatItHas) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 10, 100)));
  submit_to(desk, "course", 1, "slot=1/node", 5);
  (void)desk.work();
  desk.advance(10);
  EXPECT_EQ(desk.said.take(), Words{"start 1"});
  ASSERT_TRUE(desk.queue.advance(15));
  desk.queue.work();
  EXPECT_EQ(desk.engine->grant(1)->end, 75);
  desk.end(1, 20);
  desk.queue.work();
  EXPECT_EQ(desk.engine->grant_count(), 1U);  // its own
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
  EXPECT_EQ(desk.engine->grant(1)->end, 160);
  ASSERT_TRUE(desk.queue.ended(1, 130));
  ASSERT_TRUE(desk.queue.advance(130));
  desk.submit(2, "slot=1/node", 10);
  EXPECT_EQ(desk.work(), Words({"plan 2 at 300"}));
}

TEST(Reservation, WhoMayUseItNoMoreWaits) {
  Desk desk(2, "easy");
  ReservationSpec course = dedicated("node0", 100, 100);
  course.users = {"ada", "bob"};
  ASSERT_TRUE(desk.queue.reserve(course));
  submit_to(desk, "course", 1, "slot=1/node", 50, "bob");
  course.users = {"ada"};
  ASSERT_TRUE(desk.queue.change_reservation(course));
  submit_to(desk, "course", 2, "slot=1/node", 50, "ada");
  desk.advance(100);
  EXPECT_EQ(desk.said.take(), Words{"start 2"});
  EXPECT_EQ(desk.queue.state(1), JobState::waiting);
}

TEST(Reservation, AJobThatWaitsForItAsksForNoMoreThanItLasts) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 100, 100)));
  submit_to(desk, "course", 1, "slot=1/node", 50);
  EXPECT_TRUE(desk.queue.set_duration(1, 100));
  const auto longer = desk.queue.set_duration(1, 101);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().text,
            "the job asks for 101 s, and the reservation \"course\" lasts 100 s");
  desk.advance(100);
  EXPECT_EQ(desk.said.take(), Words{"start 1"});
}

// Both before the change and after it, the licence that is left is kept for jobs that name it.
TEST(Reservation, AChangeKeepsWhomItHasLetIn) {
  for (const std::int64_t duration_s : {100, 150, 5}) {  // the same, longer, over before it begins
    Desk desk(4, "easy");
    const auto spec = read_hres(
        "- {resource: licence, mode: MODE_1, layers: [{nodes: \"node[0-3]\", count: 2}]}\n", "l");
    ASSERT_TRUE(spec);
    ASSERT_TRUE(desk.engine->add_resources(*spec));
    ReservationSpec course{.name = "course", .start_s = 10, .duration_s = 100};
    course.request = request_of("slot=2/node");
    course.request->hres = *parse_hres_request("licence:2");
    ASSERT_TRUE(desk.queue.reserve(course));
    Request request = request_of("slot=1/node");
    request.hres = *parse_hres_request("licence");
    const auto submit = [&](JobId job, const char* reservation) {
      ASSERT_TRUE(desk.queue.submit({.id = job,
                                     .duration_s = 50,
                                     .reservation = reservation,
                                     .kind = "licence",
                                     .request = &request}));
    };
    submit(1, "course");
    desk.advance(10);
    ASSERT_EQ(desk.queue.state(1), JobState::running);
    desk.advance(20);
    course.duration_s = duration_s;
    EXPECT_EQ(desk.queue.change_reservation(course).has_value(), duration_s >= 100);
    submit(2, "");
    submit(3, "course");
    (void)desk.work();
    EXPECT_NE(desk.queue.state(2), JobState::running);
    EXPECT_EQ(desk.queue.state(3), JobState::running);
    EXPECT_GT(desk.queue.next_time().value_or(0), 20);
  }
}

// Grants that were there before the queue, or beside it.
TEST(Reservation, GetsItsNodesWhenAGrantBesideTheQueueEnds) {
  Desk desk(2, "easy");
  auto request = desk.engine->prepare(request_of("slot=2/node"));
  ASSERT_TRUE(request);
  request->set_duration(150);
  ASSERT_TRUE(desk.queue.grant_beside(Operation::allocate, *request, 9));
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 100, 100)));
  submit_to(desk, "course", 1, "slot=1/node", 40);
  desk.advance(100);
  EXPECT_NE(desk.queue.state(1), JobState::running);
  desk.advance(150);
  EXPECT_EQ(desk.queue.state(1), JobState::running);
}

}  // namespace
}  // namespace copse::queue
