// SPDX-License-Identifier: Apache-2.0
//
// Answers of jobs that wait because of a reservation.
#include "formats/hres/hres.hpp"
#include "queue/answered_queue.hpp"
#include "request/constraint.hpp"

namespace copse::queue {
namespace {

// Free nodes do not help a job that would run into a reservation.
TEST(Answers, AReservationTakesSomeOfWhatFits) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=1/node", 600);
  (void)desk.work();
  ReservationSpec upkeep{.name = "upkeep", .start_s = 300, .duration_s = 100};
  upkeep.request = request_of("slot=2/node");
  ASSERT_TRUE(desk.queue.reserve(upkeep));
  desk.submit(2, "slot=4/node", 600);
  desk.submit(3, "slot=4/node", 200);
  (void)desk.work();
  AnsweredQueue asked(desk);
  EXPECT_NE(
      asked.text(2).find("of 4 nodes 3 fit now: 1 is allocated to a job (job 1 until 600 s); of "
                         "those that fit, reservation \"upkeep\" holds 2 nodes from 300 s on\n"),
      std::string::npos)
      << asked.text(2);
  EXPECT_EQ(asked.text(3).find("upkeep"), std::string::npos) << asked.text(3);  // it ends before
}

// By name in text, and as a number in JSON.
TEST(Answers, AReservationThatHoldsNodesIsNamed) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=1/node", 600);
  (void)desk.work();
  ReservationSpec upkeep{.name = "upkeep", .start_s = 0, .duration_s = 100};
  upkeep.request = request_of("slot=1/node");
  ASSERT_TRUE(desk.queue.reserve(upkeep));
  desk.submit(2, "slot=4/node", 600);
  (void)desk.work();
  AnsweredQueue asked(desk);
  EXPECT_NE(
      asked.text(2).find("2 fit now: 2 are allocated (soonest: reservation \"upkeep\" until 100 s, "
                         "job 1 until 600 s)"),
      std::string::npos)
      << asked.text(2);
  EXPECT_NE(asked.json(2).find(R"({"name": "reservation \"upkeep\"", "start": 0, "end": 100)"),
            std::string::npos)
      << asked.json(2);
}

// A job on hold, and one that waits for a reservation, have answers like all others.
TEST(Answers, OfThoseBesideTheLines) {
  Desk desk(2, "easy");
  ASSERT_TRUE(desk.queue.reserve({.name = "maint", .start_s = 100, .duration_s = 50}));
  const Request request = request_of("slot=1/node");
  ASSERT_TRUE(desk.queue.submit(
      {.id = 1, .duration_s = 10, .reservation = "maint", .kind = "node", .request = &request}));
  desk.submit(2, "slot=1/node", 60);
  ASSERT_TRUE(desk.queue.hold(2));
  (void)desk.work();
  AnsweredQueue asked(desk);
  ASSERT_EQ(asked.answers.all().size(), 2U);
  EXPECT_EQ(asked.answers.all()[0].why.cause, Reason::Cause::reservation);
  EXPECT_EQ(asked.answers.all()[1].why.cause, Reason::Cause::on_hold);
}

// All occurrences are known, also unbooked ones: three days fit between two of them, eight do not.
TEST(Answers, TimesThatAreNotBookedAreKnown) {
  for (const std::int64_t count : {std::int64_t{8}, std::int64_t{9}, INT64_MAX}) {
    Desk desk(2, "easy");
    ASSERT_TRUE(desk.queue.reserve({.name = "maint",
                                    .start_s = kDay_s,
                                    .duration_s = 3600,
                                    .every_s = kWeek_s,
                                    .count = count}));
    desk.submit(1, "slot=2/node", 3 * kDay_s);
    desk.submit(2, "slot=2/node", 8 * kDay_s);
    (void)desk.work();
    AnsweredQueue asked(desk);
    EXPECT_TRUE(asked.text(1).contains("when: 90,000 s (promised)")) << asked.text(1);
    const std::int64_t eighth_s = kDay_s + 7 * kWeek_s + 3600;
    const auto when = asked.answers.of(2);
    ASSERT_TRUE(when);
    if (count == INT64_MAX) {
      EXPECT_EQ(when->expected_s, std::nullopt);
      ASSERT_TRUE(when->unbooked);
      EXPECT_EQ(when->unbooked->from_s, kDay_s + 8 * kWeek_s);
    } else {
      EXPECT_EQ(when->expected_s, count == 8 ? eighth_s : eighth_s + kWeek_s);
      EXPECT_FALSE(when->unbooked);
    }
  }
}

// Occurrences are booked eight weeks ahead; free times after that are unknown.
TEST(Answers, AReservationRepeatsWithoutEnd) {
  Desk desk(2, "easy");
  ASSERT_TRUE(desk.queue.reserve(
      {.name = "maint", .start_s = kDay_s, .duration_s = 3600, .every_s = kWeek_s}));
  desk.submit(1, "slot=1/node", 10 * kDay_s);
  (void)desk.work();
  EXPECT_FALSE(desk.queue.view().promises.due().empty());
  AnsweredQueue asked(desk);
  EXPECT_TRUE(asked.text(1).contains("when: not known: reservation \"maint\" repeats"))
      << asked.text(1);
  EXPECT_TRUE(asked.json(1).contains(R"("expected": null, "unbooked": {"reservation": "maint", )"))
      << asked.json(1);
}

TEST(Answers, Reservations) {
  Desk desk(2, "easy");
  ReservationSpec spec{.name = "maint", .start_s = 100, .duration_s = 50};
  ASSERT_TRUE(desk.queue.reserve(spec));
  desk.submit(1, "slot=1/node", 200);
  const Request request = request_of("slot=1/node");
  ASSERT_TRUE(desk.queue.submit(
      {.id = 2, .duration_s = 10, .reservation = "maint", .kind = "node", .request = &request}));
  (void)desk.work();
  AnsweredQueue asked(desk);
  EXPECT_EQ(asked.text(1), R"(job 1 waits; no job is ahead
  why:  reservation "maint" holds resources that it needs, from 100 s until 150 s
  when: 150 s (promised)
  to start now: ask for 100 s or less
)");
  EXPECT_EQ(asked.text(2), R"(job 2 waits; no job is ahead
  why:  it waits for reservation "maint", which begins at 100 s
  when: 100 s at the earliest
)");
}

ReservationSpec reserved(const char* name, const char* nodes, std::int64_t start_s,
                         std::int64_t duration_s) {
  return {.name = name,
          .start_s = start_s,
          .duration_s = duration_s,
          .constraint = *parse_constraint(std::string("{\"hostlist\": [\"") + nodes + "\"]}")};
}

// Two nodes are not reserved; the job is blocked by the promise of the first job.
TEST(Answers, APromiseIsTheReasonWhereAReservationAloneIsNot) {
  Desk desk(4, "easy");
  ASSERT_TRUE(desk.queue.reserve(reserved("r0", "node0", 60, 50)));
  desk.submit(1, "slot=1/node", 65);
  desk.submit(2, "slot=4/node", 10);
  desk.submit(3, "slot=1/node", 200);
  (void)desk.work();
  const std::string text = AnsweredQueue(desk).text(3);
  EXPECT_TRUE(text.contains("job 2 is to start at 110 s")) << text;
  EXPECT_TRUE(text.contains("to start now: ask for 110 s or less")) << text;
}

TEST(Answers, NameTheReservationThatFollowsThoseInTheWay) {
  Desk desk(4, "easy");
  ASSERT_TRUE(desk.queue.reserve(reserved("maint", "node[0-3]", 100, 900)));
  desk.submit(1, "slot=4/node", 100);
  desk.submit(2, "slot=1/node", 50);
  (void)desk.work();
  const std::string text = AnsweredQueue(desk).text(2);
  EXPECT_TRUE(text.contains(
      "(job 1 until 100 s); then reservation \"maint\" holds resources that it needs, from "
      "100 s until 1,000 s\n  when: 1,000 s (promised)"))
      << text;
}

TEST(Answers, NodesOfAReservationAreDown) {
  Desk desk(2, "easy");
  ASSERT_TRUE(desk.queue.reserve(reserved("course", "node0", 10, 100)));
  const Request request = request_of("slot=1/node");
  ASSERT_TRUE(desk.queue.submit(
      {.id = 1, .duration_s = 50, .reservation = "course", .kind = "node", .request = &request}));
  const ResourceGraph& graph = desk.engine->graph();
  desk.queue.set_status(graph.of_type(graph.find_type("node")).front(), Status::down);
  desk.advance(10);
  const std::string text = AnsweredQueue(desk).text(1);
  EXPECT_TRUE(text.contains("of the 1 node of reservation \"course\", 1 is down; it ends at 110 s"))
      << text;
}

// Job 2 does not fit after job 1, so it waits for the next occurrence.
TEST(Answers, OfAReservationThatRepeatsTheNextTimeIsKnown) {
  Desk desk(2, "easy");
  ReservationSpec course = reserved("course", "node0", 10, 100);
  course.every_s = kDay_s;
  course.count = 2;
  ASSERT_TRUE(desk.queue.reserve(course));
  const Request request = request_of("slot=1/node");
  for (const JobId job : {JobId{1}, JobId{2}}) {
    ASSERT_TRUE(desk.queue.submit({.id = job,
                                   .duration_s = 100,
                                   .reservation = "course",
                                   .kind = "node",
                                   .request = &request}));
  }
  desk.advance(10);
  desk.advance(20);
  const std::string text = AnsweredQueue(desk).text(2);
  EXPECT_TRUE(text.contains("when: 86,410 s at the earliest")) << text;
}

}  // namespace
}  // namespace copse::queue
