// SPDX-License-Identifier: Apache-2.0
//
// One answer for each reason, as readers get it. Those of reservations are in
// answers_of_reservations_test.cpp.
#include "queue/answers/answers.hpp"

#include "formats/hres/hres.hpp"
#include "queue/answered_queue.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"

namespace copse::queue {
namespace {

TEST(Answers, TooLittleIsFree) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=3/node", 600);
  desk.submit(2, "slot=2/node", 600);
  desk.submit(3, "slot=2/node", 300);
  (void)desk.work();
  AnsweredQueue asked(desk);
  EXPECT_EQ(asked.text(2), R"(job 2 waits; no job is ahead
  why:  needs 2 nodes; of 4 nodes 1 fits now: 3 are allocated to jobs (job 1 until 600 s)
  when: 600 s (promised)
  to start now: ask for 1 node
)");
  EXPECT_EQ(asked.text(3), R"(job 3 waits; job 2 is ahead
  why:  needs 2 nodes; of 4 nodes 1 fits now: 3 are allocated to jobs (job 1 until 600 s)
  when: 600 s if nothing else happens
  to start now: ask for 1 node
)");
  EXPECT_EQ(asked.text(1), "job 1 runs already");
  EXPECT_EQ(asked.text(9), "there is no job 9");
}

// The form of promises must not be visible.
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
    AnsweredQueue asked(desk);
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
  EXPECT_EQ(AnsweredQueue(desk).text(3), R"(job 3 waits; job 2 is ahead
  why:  job 2 is ahead, and no job may overtake it in this queue (fcfs)
  when: 600 s if nothing else happens
)");
}

TEST(Answers, BeyondTheDepth) {
  Desk desk(4, "easy", 2);
  desk.submit(1, "slot=4/node", 600);
  for (const JobId job : {JobId{2}, JobId{3}, JobId{4}}) desk.submit(job, "slot=2/node", 600);
  (void)desk.work();
  EXPECT_EQ(AnsweredQueue(desk).text(4), R"(job 4 waits; 2 jobs are ahead, job 2 first
  why:  the queue examines its first 2 jobs only (queue-depth), and 2 are ahead; it examines this one when 1 of them has started
  when: 1,200 s if nothing else happens
)");
}

// Jobs that fit at no time are skipped.
TEST(Answers, TheDepthCountsThoseThatAreLookedAt) {
  Desk desk(4, "easy", 1);
  const TypeId node = desk.engine->graph().find_type("node");
  desk.queue.set_status(desk.engine->graph().of_type(node).back(), Status::down);
  desk.submit(1, "slot=2/node", 600);
  desk.submit(2, "slot=4/node", 600);
  desk.submit(3, "slot=2/node", 600);
  (void)desk.work();
  EXPECT_EQ(AnsweredQueue(desk).text(3), R"(job 3 waits; job 2 is ahead
  why:  needs 2 nodes; of 4 nodes 1 fits now: 2 are allocated to jobs (job 1 until 600 s), 1 is down (node3)
  when: 600 s (promised)
  to start now: ask for 1 node
)");
}

// It would fit now, but its queue examines it only when the first job has started.
TEST(Answers, TheDepthDelays) {
  Desk desk(4, "easy", 1);
  desk.submit(1, "slot=3/node", 600);
  desk.submit(2, "slot=4/node", 600);
  desk.submit(3, "slot=1/node", 100);
  (void)desk.work();
  EXPECT_EQ(AnsweredQueue(desk).text(3), R"(job 3 waits; job 2 is ahead
  why:  the queue examines its first job only (queue-depth), and 1 is ahead; it examines this one when that has started
  when: 1,200 s if nothing else happens
)");
}

// A job does not wait for its own promise.
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
    AnsweredQueue asked(desk);
    for (const JobId job : {JobId{3}, JobId{4}}) {
      const std::string text = asked.text(job);
      EXPECT_TRUE(text.contains("job 2 is to start at 600 s")) << text;
      EXPECT_TRUE(text.contains("ask for 600 s or less")) << text;
    }
  }
}

// Its own queue blocks it: another one would not.
TEST(Answers, AnotherQueueDoesNotStopIt) {
  Desk desk(4, {{.name = "batch", .discipline = *find_discipline("fcfs")},
                {.name = "other", .discipline = *find_discipline("easy")}});
  desk.submit(1, "slot=3/node", 600, 0, "batch");
  desk.submit(2, "slot=2/node", 600, 0, "batch");
  desk.submit(3, "slot=1/node", 600, 0, "batch");
  (void)desk.work();
  EXPECT_TRUE(
      AnsweredQueue(desk).text(3).ends_with("to start now: submit it to queue \"other\"\n"));
}

TEST(Answers, HeldAndStopped) {
  Desk desk(4, {{.name = "batch", .discipline = *find_discipline("easy")}});
  desk.submit(1, "slot=4/node", 600, 0, "batch");
  desk.submit(2, "slot=4/node", 600, 0, "batch");
  ASSERT_TRUE(desk.queue.hold(1));
  ASSERT_TRUE(desk.queue.set_stopped("batch", true));
  (void)desk.work();
  AnsweredQueue asked(desk);
  EXPECT_EQ(asked.text(1), R"(job 1 is held in queue "batch"
  why:  it is held until it is released
)");
  EXPECT_EQ(asked.text(2), R"(job 2 waits in queue "batch"; no job is ahead
  why:  queue "batch" is stopped: none of its jobs starts until it is started again; they keep their positions
  when: not known
)");
  EXPECT_EQ(
      asked.json(1),
      R"({"job": 1, "state": "held", "queue": "batch", "ahead": 0, "why": {"cause": "held", )"
      R"("short": "it is held until it is released", "text": "it is held until it is released"}, "expected": null})");
  EXPECT_EQ(
      asked.json(2),
      R"({"job": 2, "state": "waiting", "queue": "batch", "ahead": 0, "why": {"cause": )"
      R"("stopped", "short": "queue \"batch\" is stopped: none of its jobs starts until it is started again", )"
      R"("text": "queue \"batch\" is stopped: none of its jobs starts until )"
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
  EXPECT_EQ(AnsweredQueue(desk).text(2), R"(job 2 waits; no job is ahead
  why:  needs 4 nodes; of 4 nodes 2 fit now: 1 is allocated to a job (job 1 until 600 s), 1 is down (node3); it waits until enough of them are up again
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
  EXPECT_EQ(AnsweredQueue(desk).text(2), R"(job 2 waits in queue "small"; no job is ahead
  why:  needs 1 node; of 2 nodes none fits now: 1 is allocated to a job (job 1 until 600 s), 1 is excluded by the constraint; it would fit now on nodes that its queue excludes
  when: 600 s (promised)
  to start now: submit it to queue "batch"
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
  EXPECT_EQ(AnsweredQueue(desk).text(2), R"(job 2 waits; no job is ahead
  why:  needs 1 of licence; of 4 nodes none fits now; layer node[0-3] has 0 of 1 left (job 1 until 60 s)
  when: 60 s (promised)
)");
}

TEST(Answers, NothingIsToEnd) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=1/node", 0);
  desk.submit(2, "slot=2/node", 60);
  (void)desk.work();
  const std::string text = AnsweredQueue(desk).text(2);
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
  AnsweredQueue asked(desk);
  const std::string json = asked.json(3);
  EXPECT_TRUE(json.starts_with(
      R"~({"job": 3, "state": "waiting", "queue": "", "ahead": 1, "first": 2, "why": {"cause": "resources", "short": "waits for 1 of 0 free nodes", "text": "needs 1 node; of 2 nodes none fits now: 2 are allocated to jobs (job 1 until 600 s)", "explanation": {"verdict": "insufficient")~"))
      << json;
  EXPECT_TRUE(json.ends_with(R"~(]}}, "expected": 1200})~")) << json;
}

// For all jobs, in budgets, and again only when an event happened.
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
  EXPECT_EQ(answers.size(), 48U);  // the previous ones are kept
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

}  // namespace
}  // namespace copse::queue
