// SPDX-License-Identifier: Apache-2.0
//
// One answer for each reason that there is, as people read it.
#include "queue/answers/answers.hpp"

#include "formats/hres/hres.hpp"
#include "queue/answers/answer_text.hpp"
#include "queue/events.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"

namespace copse::queue {
namespace {

struct Asked {
  explicit Asked(Desk& desk) : answers(desk.queue) {
    WorkBudget all;
    EXPECT_TRUE(answers.work(all));
  }
  std::string text(JobId job) {
    const auto answer = answers.of(job);
    std::string out;
    if (answer) append_answer_text(out, *answer);
    return answer ? out : answer.error().text;
  }
  std::string json(JobId job) {
    std::string out;
    append_answer_json(out, *answers.of(job));
    return out;
  }
  Answers answers;
};

TEST(Answers, TooLittleIsFree) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=3/node", 600);
  desk.submit(2, "slot=2/node", 600);
  desk.submit(3, "slot=2/node", 300);
  (void)desk.work();
  Asked asked(desk);
  EXPECT_EQ(asked.text(2), R"(job 2 waits; no job is ahead
  why:  needs 2 nodes; of 4 nodes 1 fits now: 3 are held by jobs (job 1 until 600 s)
  when: 600 s (promised)
  to start now: ask for 1 node
)");
  EXPECT_EQ(asked.text(3), R"(job 3 waits; job 2 is ahead
  why:  needs 2 nodes; of 4 nodes 1 fits now: 3 are held by jobs (job 1 until 600 s)
  when: 600 s if nothing else happens
  to start now: ask for 1 node
)");
  EXPECT_EQ(asked.text(1), "job 1 runs already");
  EXPECT_EQ(asked.text(9), "there is no job 9");
}

// What is free now is no use to a job that would meet a reservation.
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
  Asked asked(desk);
  EXPECT_NE(asked.text(2).find("of 4 nodes 3 fit now: 1 is held by a job (job 1 until 600 s); of "
                               "what fits, reservation \"upkeep\" has 2 nodes from 300 s on\n"),
            std::string::npos)
      << asked.text(2);
  EXPECT_EQ(asked.text(3).find("upkeep"), std::string::npos) << asked.text(3);  // it ends before
}

// By name in texts and in numbers.
TEST(Answers, AReservationThatHoldsNodesIsNamed) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=1/node", 600);
  (void)desk.work();
  ReservationSpec upkeep{.name = "upkeep", .start_s = 0, .duration_s = 100};
  upkeep.request = request_of("slot=1/node");
  ASSERT_TRUE(desk.queue.reserve(upkeep));
  desk.submit(2, "slot=4/node", 600);
  (void)desk.work();
  Asked asked(desk);
  EXPECT_NE(
      asked.text(2).find("2 fit now: 2 are held (soonest: reservation \"upkeep\" until 100 s, "
                         "job 1 until 600 s)"),
      std::string::npos)
      << asked.text(2);
  EXPECT_NE(asked.json(2).find(R"({"name": "reservation \"upkeep\"", "start": 0, "end": 100)"),
            std::string::npos)
      << asked.json(2);
}

// The form of promises must not be seen.
TEST(Answers, OthersArePromisedTheirStarts) {
  for (const bool held : {false, true}) {
    Desk desk(4, "easy");
    if (held) {
      desk.submit(9, "slot=1/core", 1);
      ASSERT_TRUE(desk.queue.hold(9));
    }
    desk.submit(1, "slot=3/node", 600);
    desk.submit(2, "slot=4/node", 600);
    desk.submit(3, "slot=1/node", 3200);
    (void)desk.work();
    Asked asked(desk);
    EXPECT_EQ(asked.text(3), R"(job 3 waits; job 2 is ahead
  why:  it fits now, but not for its whole duration: job 2 is to start at 600 s
  when: 1,200 s if nothing else happens
  to start now: ask for 600 s or less
)");
  }
}

TEST(Answers, NobodyPasses) {
  Desk desk(4, "fcfs");
  desk.submit(1, "slot=3/node", 600);
  desk.submit(2, "slot=2/node", 600);
  desk.submit(3, "slot=1/node", 10);
  (void)desk.work();
  EXPECT_EQ(Asked(desk).text(3), R"(job 3 waits; job 2 is ahead
  why:  job 2 is ahead, and no job may overtake it in this queue (fcfs)
  when: 600 s if nothing else happens
)");
}

TEST(Answers, BeyondTheDepth) {
  Desk desk(4, "easy", 2);
  desk.submit(1, "slot=4/node", 600);
  for (const JobId job : {JobId{2}, JobId{3}, JobId{4}}) desk.submit(job, "slot=2/node", 600);
  (void)desk.work();
  EXPECT_EQ(Asked(desk).text(4), R"(job 4 waits; 2 jobs are ahead, job 2 first
  why:  the queue examines its first 2 jobs only (queue-depth), and 2 are ahead; it examines this one when 1 of them has started
  when: 1,200 s if nothing else happens
)");
}

// Who fits at no time is passed over.
TEST(Answers, TheDepthCountsThoseThatAreLookedAt) {
  Desk desk(4, "easy", 1);
  const TypeId node = desk.engine->graph().find_type("node");
  desk.queue.set_status(desk.engine->graph().of_type(node).back(), Status::down);
  desk.submit(1, "slot=2/node", 600);
  desk.submit(2, "slot=4/node", 600);
  desk.submit(3, "slot=2/node", 600);
  (void)desk.work();
  EXPECT_EQ(Asked(desk).text(3), R"(job 3 waits; job 2 is ahead
  why:  needs 2 nodes; of 4 nodes 1 fits now: 2 are held by jobs (job 1 until 600 s), 1 is down (node3)
  when: 600 s (promised)
  to start now: ask for 1 node
)");
}

// It would fit now, but its queue looks at it only when the first job has started.
TEST(Answers, TheDepthDelays) {
  Desk desk(4, "easy", 1);
  desk.submit(1, "slot=3/node", 600);
  desk.submit(2, "slot=4/node", 600);
  desk.submit(3, "slot=1/node", 100);
  (void)desk.work();
  EXPECT_EQ(Asked(desk).text(3), R"(job 3 waits; job 2 is ahead
  why:  the queue examines its first job only (queue-depth), and 1 is ahead; it examines this one when that has started
  when: 1,200 s if nothing else happens
)");
}

// Its own promise is not what it waits for.
TEST(Answers, NobodyWaitsForItself) {
  for (const bool held : {false, true}) {
    Desk desk(4, "conservative");
    if (held) {
      desk.submit(9, "slot=1/core", 1);
      ASSERT_TRUE(desk.queue.hold(9));
    }
    desk.submit(1, "slot=3/node", 600);
    desk.submit(2, "slot=4/node", 600);
    for (const JobId job : {JobId{3}, JobId{4}}) desk.submit(job, "slot=1/node", 3200);
    (void)desk.work();
    Asked asked(desk);
    for (const JobId job : {JobId{3}, JobId{4}}) {
      const std::string text = asked.text(job);
      EXPECT_TRUE(text.contains("job 2 is to start at 600 s")) << text;
      EXPECT_TRUE(text.contains("ask for 600 s or less")) << text;
    }
  }
}

// A job that is held, and one that waits for a reservation, are answered for like all others.
TEST(Answers, OfThoseBesideTheLines) {
  Desk desk(2, "easy");
  ASSERT_TRUE(desk.queue.reserve({.name = "maint", .start_s = 100, .duration_s = 50}));
  const Request request = request_of("slot=1/node");
  ASSERT_TRUE(desk.queue.submit(
      {.id = 1, .duration_s = 10, .reservation = "maint", .kind = "node", .request = &request}));
  desk.submit(2, "slot=1/node", 60);
  ASSERT_TRUE(desk.queue.hold(2));
  (void)desk.work();
  Asked asked(desk);
  ASSERT_EQ(asked.answers.all().size(), 2U);
  EXPECT_EQ(asked.answers.all()[0].why.cause, Reason::Cause::reservation);
  EXPECT_EQ(asked.answers.all()[1].why.cause, Reason::Cause::on_hold);
}

// Its own queue is what keeps it waiting: another one would take it.
TEST(Answers, AnotherQueueDoesNotStopIt) {
  Desk desk(4, {{.name = "batch", .discipline = *find_discipline("fcfs")},
                {.name = "other", .discipline = *find_discipline("easy")}});
  desk.submit(1, "slot=3/node", 600, 0, "batch");
  desk.submit(2, "slot=2/node", 600, 0, "batch");
  desk.submit(3, "slot=1/node", 600, 0, "batch");
  (void)desk.work();
  EXPECT_TRUE(Asked(desk).text(3).ends_with("to start now: submit it to queue \"other\"\n"));
}

// All its times are known, also those that are not booked: three days fit between two of them, eight
// do not.
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
    Asked asked(desk);
    EXPECT_TRUE(asked.text(1).contains("when: 90,000 s (promised)")) << asked.text(1);
    const std::int64_t eighth_s = kDay_s + 7 * kWeek_s + 3600;
    const auto when = asked.answers.of(2);
    ASSERT_TRUE(when);
    if (count == INT64_MAX) {
      EXPECT_EQ(when->expected_s, std::nullopt);
      ASSERT_TRUE(when->beyond);
      EXPECT_EQ(when->beyond->from_s, kDay_s + 8 * kWeek_s);
    } else {
      EXPECT_EQ(when->expected_s, count == 8 ? eighth_s : eighth_s + kWeek_s);
      EXPECT_FALSE(when->beyond);
    }
  }
}

// Its times are booked eight weeks ahead: nobody knows what is free later.
TEST(Answers, AReservationRepeatsWithoutEnd) {
  Desk desk(2, "easy");
  ASSERT_TRUE(desk.queue.reserve(
      {.name = "maint", .start_s = kDay_s, .duration_s = 3600, .every_s = kWeek_s}));
  desk.submit(1, "slot=1/node", 10 * kDay_s);
  (void)desk.work();
  EXPECT_FALSE(desk.queue.view().promises.due().empty());
  Asked asked(desk);
  EXPECT_TRUE(asked.text(1).contains("when: not known: reservation \"maint\" repeats"))
      << asked.text(1);
  EXPECT_TRUE(asked.json(1).contains(R"("expected": null, "unbooked": {"reservation": "maint", )"))
      << asked.json(1);
}

TEST(Answers, HeldAndStopped) {
  Desk desk(4, {{.name = "batch", .discipline = *find_discipline("easy")}});
  desk.submit(1, "slot=4/node", 600, 0, "batch");
  desk.submit(2, "slot=4/node", 600, 0, "batch");
  ASSERT_TRUE(desk.queue.hold(1));
  ASSERT_TRUE(desk.queue.set_stopped("batch", true));
  (void)desk.work();
  Asked asked(desk);
  EXPECT_EQ(asked.text(1), R"(job 1 is held in queue "batch"
  why:  it is held until it is released
)");
  EXPECT_EQ(asked.text(2), R"(job 2 waits in queue "batch"; no job is ahead
  why:  queue "batch" is stopped: none of its jobs starts until it is started again; they keep their positions
  when: not known
)");
  EXPECT_EQ(asked.json(1),
            R"({"job": 1, "state": "held", "queue": "batch", "ahead": 0, "why": {"cause": "held", )"
            R"("text": "it is held until it is released"}, "expected": null})");
  EXPECT_EQ(asked.json(2),
            R"({"job": 2, "state": "waiting", "queue": "batch", "ahead": 0, "why": {"cause": )"
            R"("stopped", "text": "queue \"batch\" is stopped: none of its jobs starts until )"
            R"(it is started again; they keep their positions"}, "expected": null})");
}

TEST(Answers, NodesAreDown) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=1/node", 600);
  (void)desk.work();
  const TypeId node = desk.engine->graph().find_type("node");
  desk.queue.set_status(desk.engine->graph().of_type(node).back(), Status::down);
  desk.submit(2, "slot=4/node", 600);
  (void)desk.work();
  EXPECT_EQ(Asked(desk).text(2), R"(job 2 waits; no job is ahead
  why:  needs 4 nodes; of 4 nodes 2 fit now: 1 is held by a job (job 1 until 600 s), 1 is down (node3); it waits until enough of them are up again
  when: not known
  to start now: ask for 2 nodes
)");
}

Constraint first_node() {
  Constraint out;
  out.op = Constraint::Op::hostlist;
  out.words = {"node0"};
  return out;
}

TEST(Answers, AConstraintAndAnotherQueue) {
  Desk desk(
      2, {{.name = "batch", .discipline = *find_discipline("easy")},
          {.name = "small", .discipline = *find_discipline("easy"), .constraint = first_node()}});
  desk.submit(1, "slot=1/node", 600, 0, "small");
  desk.submit(2, "slot=1/node", 600, 0, "small");
  (void)desk.work();
  EXPECT_EQ(Asked(desk).text(2), R"(job 2 waits in queue "small"; no job is ahead
  why:  needs 1 node; of 2 nodes none fits now: 1 is held by a job (job 1 until 600 s), 1 is excluded by the constraint; it would fit now on nodes that its queue excludes
  when: 600 s (promised)
  to start now: submit it to queue "batch"
)");
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
  Asked asked(desk);
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

TEST(Answers, ALayerHasTooLittle) {
  Desk desk(4, "easy");
  const auto spec = read_hres(
      "- {resource: licence, mode: MODE_1, layers: [{nodes: \"node[0-3]\", count: 1}]}\n", "l");
  ASSERT_TRUE(spec);
  ASSERT_TRUE(desk.engine->add_resources(*spec));
  Request request = request_of("slot=1/node");
  request.hres = *parse_hres_request("licence");
  for (const JobId job : {JobId{1}, JobId{2}}) {
    ASSERT_TRUE(
        desk.queue.submit({.id = job, .duration_s = 60, .kind = "node", .request = &request}));
  }
  (void)desk.work();
  EXPECT_EQ(Asked(desk).text(2), R"(job 2 waits; no job is ahead
  why:  needs 1 of licence; of 4 nodes none can be served now; layer node[0-3] has 0 of 1 left (job 1 until 60 s)
  when: 60 s (promised)
)");
}

TEST(Answers, NothingIsToEnd) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=1/node", 0);
  desk.submit(2, "slot=2/node", 60);
  (void)desk.work();
  const std::string text = Asked(desk).text(2);
  EXPECT_TRUE(
      text.contains("; the jobs that use them have no time limit, so it waits until they end\n"
                    "  when: not known\n  to start now: ask for 1 node\n"))
      << text;
}

TEST(Answers, AsJson) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=2/node", 600);
  desk.submit(2, "slot=2/node", 600);
  desk.submit(3, "slot=1/node", 600);
  (void)desk.work();
  Asked asked(desk);
  const std::string json = asked.json(3);
  EXPECT_TRUE(json.starts_with(
      R"~({"job": 3, "state": "waiting", "queue": "", "ahead": 1, "first": 2, "why": {"cause": "resources", "text": "needs 1 node; of 2 nodes none fits now: 2 are held by jobs (job 1 until 600 s)", "explanation": {"verdict": "insufficient")~"))
      << json;
  EXPECT_TRUE(json.ends_with(R"~(]}}, "expected": 1200})~")) << json;
}

// Of all, in budgets, and again only when something happened.
TEST(Answers, OfAll) {
  Desk desk(2, "easy");
  for (JobId job = 1; job <= 50; ++job) desk.submit(job, "slot=1/node", 100);
  (void)desk.work();
  Answers answers(desk.queue);
  std::size_t turns = 0;
  for (bool done = false; !done; ++turns) {
    WorkBudget budget{.jobs = 10};
    done = answers.work(budget);
  }
  EXPECT_GE(turns, 5U);
  ASSERT_EQ(answers.all().size(), 48U);
  EXPECT_EQ(answers.all().front().why.cause, Reason::Cause::resources);
  EXPECT_EQ(answers.all().back().when.start_s, 2400);
  WorkBudget one{.jobs = 1};
  EXPECT_TRUE(answers.work(one));
  desk.end(1, 10);
  desk.advance(10);
  EXPECT_FALSE(answers.work(one));
  EXPECT_EQ(answers.size(), 48U);  // those of before are kept
  EXPECT_FALSE(answers.at(0));     // it runs now
  EXPECT_EQ(answers.all().size(), 47U);
}

TEST(Answers, PromisesAreMeasured) {
  Desk desk(1, "easy");
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=1/node", 100);
  (void)desk.work();
  EXPECT_FALSE(desk.queue.promise_errors().at(0.5));
  desk.end(1, 40);
  desk.advance(40);
  EXPECT_EQ(desk.queue.promise_errors().at(0.5), -60);
  EXPECT_EQ(desk.queue.promise_errors().count(), 1U);
}

ReservationSpec reserved(const char* name, const char* nodes, std::int64_t start_s,
                         std::int64_t duration_s) {
  return {.name = name,
          .start_s = start_s,
          .duration_s = duration_s,
          .constraint = *parse_constraint(std::string("{\"hostlist\": [\"") + nodes + "\"]}")};
}

// Two nodes are not of the reservation; what is in the way is what the head was promised.
TEST(Answers, APromiseIsTheReasonWhereAReservationAloneIsNot) {
  Desk desk(4, "easy");
  ASSERT_TRUE(desk.queue.reserve(reserved("r0", "node0", 60, 50)));
  desk.submit(1, "slot=1/node", 65);
  desk.submit(2, "slot=4/node", 10);
  desk.submit(3, "slot=1/node", 200);
  (void)desk.work();
  const std::string text = Asked(desk).text(3);
  EXPECT_TRUE(text.contains("job 2 is to start at 110 s")) << text;
  EXPECT_TRUE(text.contains("to start now: ask for 110 s or less")) << text;
}

TEST(Answers, NameTheReservationThatFollowsThoseInTheWay) {
  Desk desk(4, "easy");
  ASSERT_TRUE(desk.queue.reserve(reserved("maint", "node[0-3]", 100, 900)));
  desk.submit(1, "slot=4/node", 100);
  desk.submit(2, "slot=1/node", 50);
  (void)desk.work();
  const std::string text = Asked(desk).text(2);
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
  const std::string text = Asked(desk).text(1);
  EXPECT_TRUE(text.contains("of the 1 node of reservation \"course\", 1 is down; it ends at 110 s"))
      << text;
}

// Job 2 does not fit in behind job 1: its time is the next.
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
  const std::string text = Asked(desk).text(2);
  EXPECT_TRUE(text.contains("when: 86,410 s at the earliest")) << text;
}

}  // namespace
}  // namespace copse::queue
