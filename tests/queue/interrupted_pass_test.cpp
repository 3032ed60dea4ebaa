// SPDX-License-Identifier: Apache-2.0
//
// Events between two budgets of a pass have the same effect as events before it.
#include "queue/answers/answers.hpp"
#include "queue/events.hpp"
#include "request/constraint.hpp"

namespace copse::queue {
namespace {

void work_a_little(JobQueue& queue) {
  WorkBudget budget{.jobs = 1};
  ASSERT_FALSE(queue.work(budget));
}

// Job 2, the first, has a promise for 100. Jobs 3 and 4 fit now, and would delay it.
struct Head : Desk {
  Head() : Desk(6, "easy") {
    submit(1, "slot=2/node", 100);
    submit(2, "slot=6/node", 50);
    work();
    submit(3, "slot=1/node", 1000);
    submit(4, "slot=2/node", 1000);
    work_a_little(queue);
  }
  // The first job has its promise again, and no job has overtaken it.
  void expect_promised(std::int64_t start_s) {
    (void)work();
    EXPECT_EQ(queue.promised_start(2), start_s);
    EXPECT_NE(queue.state(3), JobState::running);
    EXPECT_NE(queue.state(4), JobState::running);
  }
};

TEST(InterruptedPass, AJobThatRunsLongerLetsNobodyPassTheHead) {
  Head desk;
  ASSERT_TRUE(desk.queue.set_end(1, 130));
  desk.expect_promised(130);
}

TEST(InterruptedPass, AReservationLetsNobodyPassTheHead) {
  Head desk;
  ASSERT_TRUE(desk.queue.reserve({.name = "maintenance",
                                  .start_s = 140,
                                  .duration_s = 20,
                                  .constraint = *parse_constraint(R"({"hostlist": ["node0"]})"),
                                  .users = std::vector<std::string>()}));
  desk.expect_promised(160);
}

TEST(InterruptedPass, ANodeThatComesUpLetsNobodyPassTheHead) {
  Head desk;
  const ResourceGraph& graph = desk.engine->graph();
  desk.queue.set_status(graph.of_type(graph.find_type("node")).back(), Status::up);
  desk.expect_promised(100);
}

TEST(InterruptedPass, OtherLayersLetNobodyPassTheHead) {
  Head desk;
  desk.queue.layers_changed();
  desk.expect_promised(100);
}

TEST(InterruptedPass, OfAQueueThatIsStoppedNobodyStarts) {
  for (const char* discipline : {"easy", "conservative"}) {
    Desk desk(8, discipline);
    for (JobId job = 1; job <= 6; ++job) desk.submit(job, "slot=1/node", 100);
    desk.submit(7, "slot=8/node", 100);
    work_a_little(desk.queue);
    ASSERT_EQ(desk.queue.state(1), JobState::running);
    ASSERT_TRUE(desk.queue.set_stopped("", true));
    EXPECT_EQ(desk.work(), Words{"start 1"});
    desk.advance(100);
    EXPECT_EQ(desk.said.take(), Words{});
    ASSERT_TRUE(desk.queue.set_stopped("", false));
    (void)desk.work();
    EXPECT_EQ(desk.queue.state(6), JobState::running);
    EXPECT_EQ(desk.queue.promised_start(7), 200);
  }
}

TEST(InterruptedPass, AnotherDisciplineHoldsAtOnce) {
  Head desk;
  ASSERT_TRUE(desk.queue.set_discipline("", *find_discipline("fcfs")));
  (void)desk.work();
  EXPECT_FALSE(desk.queue.promised_start(2));
  EXPECT_NE(desk.queue.state(3), JobState::running);
}

// Job 1 fits at no time while a node is down. The discipline decides whether a job overtakes it.
TEST(InterruptedPass, AnotherDisciplineAsksAgainWhoIsPassed) {
  Desk desk(4, "easy");
  const ResourceGraph& graph = desk.engine->graph();
  desk.queue.set_status(graph.of_type(graph.find_type("node")).front(), Status::down);
  desk.submit(1, "slot=4/node", 100);
  EXPECT_EQ(desk.work(), Words{"unplaceable 1"});
  ASSERT_TRUE(desk.queue.set_discipline("", *find_discipline("fcfs")));
  desk.submit(2, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), Words{});
  ASSERT_TRUE(desk.queue.set_discipline("", *find_discipline("easy")));
  EXPECT_EQ(desk.work(), (Words{"unplaceable 1", "start 2"}));
}

// Of a set of nodes that the groups of counted promises do not know, or of parts of nodes, which
// cannot be counted.
TEST(InterruptedPass, AJobOfAnotherKindJoins) {
  for (const char* discipline : {"easy", "conservative", "fcfs"}) {
    for (const bool counted : {true, false}) {
      Desk desk(4, discipline);
      for (JobId job = 1; job <= 3; ++job) desk.submit(job, "slot=3/node", 100);
      work_a_little(desk.queue);
      ASSERT_TRUE(desk.queue.view().promises.counting());
      Request request = request_of(counted ? "slot=2/node" : "slot=3/core=2");
      if (counted) request.constraint = *parse_constraint(R"({"hostlist": ["node[0-1]"]})");
      ASSERT_TRUE(
          desk.queue.submit({.id = 4, .duration_s = 50, .kind = "other", .request = &request}));
      (void)desk.work();
      EXPECT_EQ(desk.queue.view().promises.counting(), counted);
      EXPECT_EQ(desk.queue.state(1), JobState::running);
      EXPECT_NE(desk.queue.state(2), JobState::running);
      if (std::string(discipline) == "conservative") {
        EXPECT_EQ(desk.queue.promised_start(2), 100);
        EXPECT_EQ(desk.queue.promised_start(3), 200);
        EXPECT_TRUE(desk.queue.promised_start(4));
      }
    }
  }
}

// Answers have the sequence number of a state: each budget with a decision changes it.
TEST(InterruptedPass, AnswersAreOfTheSliceThatIsOver) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=2/node", 100);
  (void)desk.work();
  desk.submit(2, "slot=3/node", 100);
  desk.submit(3, "slot=4/node", 100);
  desk.submit(4, "slot=1/node", 1000);
  work_a_little(desk.queue);
  Answers answers(desk.queue);
  WorkBudget all;
  ASSERT_TRUE(answers.work(all));
  ASSERT_TRUE(answers.of(3));
  // Job 4 has not started, but will in the rest of the pass.
  ASSERT_EQ(desk.queue.state(4), JobState::waiting);
  EXPECT_EQ(answers.of(3)->expected_s, 1000);
  const auto made_for = answers.made_for();
  (void)desk.work();
  ASSERT_EQ(desk.queue.state(4), JobState::running);
  EXPECT_NE(desk.queue.sequence(), made_for);
  ASSERT_TRUE(answers.work(all));
  EXPECT_EQ(answers.of(3)->expected_s, 1000);
}

TEST(InterruptedPass, WhatCannotBeAdoptedChangesAnswersToo) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=2/node", 100);
  (void)desk.work();
  const std::uint64_t before = desk.queue.sequence();
  const Request request = request_of("slot=1/node");
  const ResourceGraph& graph = desk.engine->graph();
  const std::vector<PoolId> node{graph.of_type(graph.find_type("node")).front()};
  EXPECT_FALSE(desk.queue.adopt(
      {.job = {.id = 3, .duration_s = 500, .kind = "n", .request = &request}, .pools = node}));
  EXPECT_GT(desk.queue.sequence(), before);
  (void)desk.work();
  EXPECT_EQ(desk.queue.promised_start(2), 100);
}

// The number of a kind without jobs is reused for another kind, of the other queue.
TEST(InterruptedPass, AKindOfAnotherQueueIsNotTriedInItsPlace) {
  Desk desk(4, std::vector<QueueSpec>{{.name = "a", .discipline = *find_discipline("easy")},
                                      {.name = "b", .discipline = *find_discipline("easy")}});
  const auto submit = [&](JobId job, const char* in, const std::string& shape,
                          const std::string& kind) {
    const Request request = request_of(shape);
    (void)desk.queue.submit(
        {.id = job, .duration_s = 1'000, .queue = in, .kind = kind, .request = &request});
  };
  submit(1, "a", "slot=1/node", "one");
  submit(2, "a", "slot=1/node", "one");
  submit(3, "a", "slot=4/node", "all");
  submit(4, "a", "slot=3/node", "first");
  submit(5, "a", "slot=3/node", "second");
  (void)desk.work();
  desk.end(2, 0);
  for (int n = 0; n < 2; ++n) work_a_little(desk.queue);
  ASSERT_TRUE(desk.queue.cancel(5));
  constexpr int kKinds = 3'000;
  for (int n = 0; n < kKinds; ++n) {
    submit(JobId(10'000 + n), "a", "slot=9/node", "refused " + std::to_string(n));
  }
  for (int n = 0; n < kKinds; ++n) {
    submit(JobId(20'000 + n), "b", "slot=1/node", "of b " + std::to_string(n));
  }
  (void)desk.work();
  EXPECT_EQ(desk.queue.waiting() + desk.queue.running(), std::size_t{kKinds} + 3);
  for (int n = 0; n < kKinds; ++n) (void)desk.queue.cancel(JobId(20'000 + n));
  (void)desk.work();
}

}  // namespace
}  // namespace copse::queue
