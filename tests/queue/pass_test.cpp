// SPDX-License-Identifier: Apache-2.0
//
// Passes: the order in which jobs are examined, and the effects on promises. Each case was a
// difference between the queue and the oracle, or was found by reading it.
#include "queue/events.hpp"

namespace copse::queue {
namespace {

TEST(Pass, AHigherPriorityCostsNobodyItsPromise) {
  Desk desk(1, "conservative");
  for (JobId job = 1; job <= 3; ++job) desk.submit(job, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100", "plan 3 at 200"}));
  ASSERT_TRUE(desk.queue.set_priority(2, 5));
  EXPECT_EQ(desk.work(), Words{});
  ASSERT_TRUE(desk.queue.set_priority(3, INT64_MAX));
  EXPECT_EQ(desk.work(), Words{});
  desk.end(1, 0);
  EXPECT_EQ(desk.work(), (Words{"start 3"}));
  EXPECT_EQ(desk.queue.promised_start(2), 100);
}

// Job 3 does not fit next to the promise of job 2; job 4 still may.
TEST(Pass, WhoAsksForNoEndIsTheLongest) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=2/node", 100);
  desk.submit(3, "slot=1/node", 0);
  desk.submit(4, "slot=1/node", 50);
  EXPECT_EQ(desk.work(), (Words{"start 1", "start 4", "plan 2 at 100"}));
}

// Jobs 3 to 6 fit next to the promise of job 2, and the queue examines two waiting jobs.
TEST(Pass, WhoStartsLeavesItsPlaceWithinTheDepth) {
  Desk desk(4, "easy", 2);
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=4/node", 100);
  for (JobId job = 3; job <= 6; ++job) desk.submit(job, "slot=1/node", 50);
  desk.submit(7, "slot=1/core", 50);
  EXPECT_EQ(desk.work(), (Words{"start 1", "start 3", "start 4", "start 5", "plan 2 at 100"}));
}

TEST(Pass, DurationsAndTimesAreNotBelow0) {
  Desk desk(1, "easy");
  const Request request = request_of("slot=1/node");
  const auto submit = [&](std::int64_t submit_s, std::int64_t duration_s) {
    return desk.queue.submit({.id = 1,
                              .submit_s = submit_s,
                              .duration_s = duration_s,
                              .priority = INT64_MIN,
                              .kind = "n",
                              .request = &request});
  };
  EXPECT_EQ(submit(0, -1).error().text, "a duration is not below 0");
  EXPECT_EQ(submit(-1, 1).error().text, "a time is not below 0");
  EXPECT_TRUE(submit(INT64_MAX, INT64_MAX));
  EXPECT_EQ(desk.queue.set_duration(1, -1).error().text, "a duration is not below 0");
  EXPECT_EQ(desk.work(), (Words{"start 1"}));
}

// Job 2 has a promise for a time at which no job ends any more, when job 4 pins it to particular
// nodes.
TEST(Pass, APromiseStaysWhoeverLeftBeforeIt) {
  Desk desk(1, "conservative");
  for (JobId job = 1; job <= 3; ++job) desk.submit(job, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100", "plan 3 at 200"}));
  ASSERT_TRUE(desk.queue.cancel(2));
  desk.submit(4, "slot=1/core", 10);
  EXPECT_EQ(desk.work(), (Words{"plan 4 at 200", "plan 3 at 100"}));
}

// Job 2 fits at no time while job 1 runs without end. When that ends, job 2 is the first again.
TEST(Pass, WhoWasStuckTakesThePromiseOfThoseBehind) {
  Desk desk(3, "easy");
  desk.submit(1, "slot=1/node", 0);
  desk.submit(2, "slot=3/node", 10);
  desk.submit(3, "slot=2/node", 100);
  desk.submit(4, "slot=2/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "unplaceable 2", "start 3", "plan 4 at 100"}));
  desk.end(1, 0);
  (void)desk.work();
  EXPECT_EQ(desk.queue.promised_start(2), 100);
  EXPECT_FALSE(desk.queue.promised_start(4));
}

struct TwoLines {
  explicit TwoLines(int nodes)
      : engine(plan::flat_engine(nodes, 4)),
        queue(*engine,
              {{.name = "a", .discipline = *find_discipline("easy")},
               {.name = "b", .discipline = *find_discipline("easy")}},
              said) {}
  void submit(JobId id, const char* line, int nodes, std::int64_t duration_s, int priority = 0) {
    const std::string shape = "slot=" + std::to_string(nodes) + "/node";
    const Request request = request_of(shape);
    ASSERT_TRUE(queue.submit({.id = id,
                              .duration_s = duration_s,
                              .priority = priority,
                              .queue = line,
                              .kind = shape,
                              .request = &request}));
  }
  Said said;
  std::unique_ptr<Engine> engine;
  JobQueue queue;
};

// Job 3 loses its promise to job 5; job 4, of another queue, then fits.
TEST(Pass, WhatOneQueueGivesBackAnotherTakes) {
  TwoLines two(3);
  two.submit(1, "a", 2, 100);
  two.submit(3, "a", 3, 100);
  two.submit(4, "b", 1, 200);
  two.queue.work();
  EXPECT_EQ(two.said.take(), (Words{"start 1", "plan 3 at 100", "plan 4 at 200"}));
  two.submit(5, "a", 2, 50, 1);
  two.queue.work();
  two.queue.check();
  EXPECT_EQ(two.queue.state(4), JobState::running);
}

// Events between two budgets of a pass.
TEST(Pass, LooksAtThoseWhoComeWhileItGoesOn) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=4/node", 100);
  for (JobId job = 3; job <= 6; ++job) desk.submit(job, "slot=1/node", 200);
  desk.work();
  desk.submit(7, "slot=2/node", 200);
  desk.submit(8, "slot=2/node", 300);
  for (WorkBudget budget{.jobs = 1}; !desk.queue.work(budget); budget.jobs = 1) {
    if (!desk.queue.state(9)) desk.submit(9, "slot=1/node", 50);
  }
  EXPECT_EQ(desk.queue.state(9), JobState::running);
}

TEST(Pass, MovesPromisesByWhatEndsWhileItGoesOn) {
  Desk desk(2, "conservative");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=2/node", 50);
  desk.work();
  desk.submit(3, "slot=1/node", 50);
  desk.submit(4, "slot=1/node", 50);
  bool ended = false;
  for (WorkBudget budget{.jobs = 1}; !desk.queue.work(budget); budget.jobs = 1) {
    if (!std::exchange(ended, true)) desk.end(1, 0);
  }
  EXPECT_TRUE(ended);
  EXPECT_EQ(desk.queue.state(3), JobState::running);
  EXPECT_EQ(desk.queue.state(4), JobState::running);
  EXPECT_EQ(desk.queue.promised_start(2), 50);
}

// Job 1 ends early: job 2 starts instead, and frees its promised time. Job 4, before it by its
// priority, can use that.
TEST(Pass, WhatMovesGivesBackThoseInFrontTake) {
  for (const char* discipline : {"conservative", "hybrid"}) {
    Desk desk(4, discipline);
    desk.submit(1, "slot=4/node", 100);
    desk.submit(2, "slot=2/node", 80);
    desk.submit(3, "slot=2/node", 1000);
    (void)desk.work();
    desk.submit(4, "slot=2/node", 100, 1);
    (void)desk.work();
    EXPECT_EQ(desk.queue.promised_start(4), 180);
    ASSERT_TRUE(desk.queue.advance(50));
    desk.end(1, 50);
    EXPECT_EQ(desk.work(), (Words{"start 2", "start 3", "plan 4 at 130"}));
  }
}

// The same with cores of nodes, whose promises are pinned.
TEST(Pass, WhatMovesGivesBackThoseInFrontTakeOfCores) {
  Desk desk(1, "conservative");
  desk.submit(1, "slot=1/core=4", 100);
  desk.submit(2, "slot=1/core=2", 80);
  desk.submit(3, "slot=1/core=2", 1000);
  (void)desk.work();
  desk.submit(4, "slot=1/core=2", 100, 1);
  (void)desk.work();
  ASSERT_TRUE(desk.queue.advance(50));
  desk.end(1, 50);
  EXPECT_EQ(desk.work(), (Words{"start 2", "start 3", "plan 4 at 130"}));
}

// Jobs 3 to 5 came since the last pass; 4 leaves when the pass has examined 3.
TEST(Pass, WhoLeavesInTheMiddleOfAPassDoesNotStart) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=4/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  for (JobId id = 3; id <= 5; ++id) desk.submit(id, "slot=1/node", 50);
  WorkBudget budget{.jobs = 1};
  ASSERT_FALSE(desk.queue.work(budget));
  ASSERT_EQ(desk.queue.state(3), JobState::running);
  ASSERT_TRUE(desk.queue.cancel(4));
  EXPECT_EQ(desk.work(), (Words{"start 3", "start 5"}));
  EXPECT_EQ(desk.queue.engine().grant(4), nullptr);
  desk.queue.check();
}

}  // namespace
}  // namespace copse::queue
