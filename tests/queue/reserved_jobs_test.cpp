// SPDX-License-Identifier: Apache-2.0
//
// Jobs that name a reservation.
#include "formats/hres/hres.hpp"
#include "queue/reservation_desk.hpp"
#include "request/hres.hpp"

namespace copse::queue {
namespace {

TEST(ReservedJobs, JobsThatNameItStartInItAndEndByItsEnd) {
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
  // No other job gets their resources when they end.
  desk.end(3, 100);
  desk.submit(5, "slot=2/node", 5);
  EXPECT_EQ(desk.work(), Words());
  desk.advance(130);
  EXPECT_EQ(desk.said.take(), (Words{"start 2"}));
  desk.advance(150);
  EXPECT_EQ(desk.said.take(), (Words{"start 5"}));
}

TEST(ReservedJobs, JobsWithinShareNodesAndTheRestStaysReserved) {
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

TEST(ReservedJobs, SaysWhoMayUseIt) {
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

// A job that can never be served does not wait, however often the reservation repeats.
TEST(ReservedJobs, WhatItCanNeverServeIsDeniedAtOnce) {
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

TEST(ReservedJobs, WhenItIsOverOrCancelledJobsThatNameItAreDenied) {
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

TEST(ReservedJobs, WhenItIsGoneJobsHeldAreDeniedToo) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 10, 20)));
  submit_to(desk, "course", 1, "slot=1/node", 15);
  ASSERT_TRUE(desk.queue.hold(1));
  ASSERT_TRUE(desk.queue.cancel_reservation("course"));
  EXPECT_EQ(desk.work(), Words{"deny 1"});
  EXPECT_FALSE(desk.queue.release(1));
}

TEST(ReservedJobs, AJobWithoutEndHasItToItsEnd) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 10, 20)));
  submit_to(desk, "course", 1, "slot=1/node", 0);
  (void)desk.work();
  desk.advance(15);
  EXPECT_EQ(desk.said.take(), Words{"start 1"});
  EXPECT_EQ(desk.engine->grant(1)->end, 30);
}

// It overlaps the reservation already when it overruns.
TEST(ReservedJobs, AJobThatOverrunsInItKeepsWhatItHas) {
  Desk desk(1, "easy");
  ASSERT_TRUE(desk.queue.reserve(dedicated("node0", 10, 100)));
  submit_to(desk, "course", 1, "slot=1/node", 5);
  (void)desk.work();
  desk.advance(10);
  EXPECT_EQ(desk.said.take(), Words{"start 1"});
  ASSERT_TRUE(desk.queue.advance(15));
  desk.queue.work();
  EXPECT_EQ(desk.engine->grant(1)->end, 17);
  ASSERT_TRUE(desk.queue.advance(20));
  desk.queue.work();
  EXPECT_EQ(desk.engine->grant(1)->end, 30);
  desk.end(1, 20);
  desk.queue.work();
  EXPECT_EQ(desk.engine->grant_count(), 1U);  // its own
}

TEST(ReservedJobs, WhoMayUseItNoMoreWaits) {
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

TEST(ReservedJobs, AJobThatWaitsForItAsksForNoMoreThanItLasts) {
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

// Both before and after the change, the remaining licence is kept for jobs that name it.
TEST(ReservedJobs, AChangeKeepsWhomItHasLetIn) {
  for (const std::int64_t duration_s : {100, 150, 5}) {  // the same, longer, ended before it begins
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

}  // namespace
}  // namespace copse::queue
