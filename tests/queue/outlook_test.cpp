// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/outlook.hpp"

#include "queue/answers/answer_text.hpp"
#include "queue/answers/answers.hpp"

#include "queue/events.hpp"

namespace copse::queue {
namespace {

using Starts = std::vector<std::int64_t>;

// By job, from 1; -1: it does not wait, or never starts.
Starts starts(const JobQueue& queue, JobId jobs, std::uint64_t looks = UINT64_MAX) {
  Outlook outlook(queue);
  for (WorkBudget budget{.jobs = looks}; !outlook.work(budget); budget.jobs = looks) continue;
  EXPECT_EQ(outlook.sequence(), queue.sequence());
  Starts out;
  for (JobId job = 1; job <= jobs; ++job) {
    const Outlook::Entry* entry = outlook.find(job);
    out.push_back(entry == nullptr ? -1 : entry->start_s.value_or(-1));
  }
  return out;
}

TEST(Outlook, OfThoseWithoutAPromise) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=2/node", 100);
  for (JobId job = 2; job <= 4; ++job) desk.submit(job, "slot=2/node", 50);
  desk.submit(5, "slot=1/node", 10);
  desk.work();
  EXPECT_EQ(starts(desk.queue, 5), (Starts{-1, 100, 150, 200, 250}));
  EXPECT_EQ(starts(desk.queue, 5, 1), (Starts{-1, 100, 150, 200, 250}));
}

TEST(Outlook, NobodyPassesUnderFcfs) {
  for (const char* discipline : {"fcfs", "easy"}) {
    Desk desk(3, discipline);
    desk.submit(1, "slot=2/node", 100);
    desk.submit(2, "slot=3/node", 50);
    desk.submit(3, "slot=2/node", 50);
    desk.submit(4, "slot=1/node", 200);
    desk.work();
    EXPECT_EQ(starts(desk.queue, 4), (Starts{-1, 100, 150, 150})) << discipline;
  }
}

// The first job needs a node that is down: no job starts before it.
TEST(Outlook, NobodyPassesUnderFcfsWhoStartsAtNoTime) {
  Desk desk(3, "fcfs");
  const PoolId node = desk.engine->graph().of_type(desk.engine->graph().find_type("node"))[0];
  desk.queue.set_status(node, Status::down);
  desk.submit(1, "slot=3/node", 100);
  desk.submit(2, "slot=1/node", 100);
  desk.work();
  EXPECT_EQ(starts(desk.queue, 2), (Starts{-1, -1}));
}

// Job 5 has nodes 0 and 1 at 200, so job 6 has no node of its own from 100 on. When job 1, which
// requests cores, has ended at 100, promises are counted: any node will do.
TEST(Outlook, KnowsWhenPromisesAreCountedAgain) {
  Desk desk(4, "conservative");
  desk.submit(1, "slot=1/core=1", 100);
  desk.submit(2, "slot=1/node", 200);
  desk.submit(3, "slot=1/node", 300);
  desk.submit(4, "slot=1/node", 200);
  desk.submit(5, "slot=2/node", 100);
  desk.submit(6, "slot=1/node", 150);
  desk.work();
  EXPECT_EQ(desk.queue.promised_start(6), 200);
  EXPECT_EQ(starts(desk.queue, 6), (Starts{-1, -1, -1, -1, 200, 100}));
  EXPECT_EQ(starts(desk.queue, 6, 1), (Starts{-1, -1, -1, -1, 200, 100}));
  desk.advance(100);
  EXPECT_EQ(desk.queue.state(6), JobState::running);
  EXPECT_EQ(desk.queue.promised_start(5), 200);
}

// Cores of shared nodes: on a clone of the engine, which is not changed.
TEST(Outlook, OfCoresOfSharedNodes) {
  Desk desk(1, "fcfs");
  desk.submit(1, "slot=1/node/core=3", 100);
  desk.submit(2, "slot=1/core=2", 50);
  desk.submit(3, "slot=1/core=1", 10);
  desk.work();
  const std::uint64_t before = desk.engine->fingerprint();
  EXPECT_EQ(starts(desk.queue, 3), (Starts{-1, 100, 100}));
  EXPECT_EQ(desk.engine->fingerprint(), before);
}

TEST(Outlook, SaysWhatStartsAtNoTime) {
  Desk desk(2, "easy");
  const PoolId node = desk.engine->graph().of_type(desk.engine->graph().find_type("node"))[0];
  desk.queue.set_status(node, Status::down);
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=1/node", 100);
  desk.submit(3, "slot=1/node", 100);
  desk.work();
  EXPECT_EQ(starts(desk.queue, 3), (Starts{-1, -1, 100}));
  Outlook outlook(desk.queue);
  WorkBudget all;
  ASSERT_TRUE(outlook.work(all));
  EXPECT_EQ(outlook.find(3)->ahead, 1U);
  const std::uint64_t seen = desk.queue.sequence();
  ASSERT_TRUE(desk.queue.cancel(1));
  EXPECT_NE(desk.queue.sequence(), seen);
}

// Between budgets a job that was read leaves, one moves before those that were read, and one comes.
TEST(Outlook, OfAQueueThatGoesOnWhileItIsRead) {
  Desk desk(1, "easy");
  desk.submit(1, "slot=1/node", 100);
  for (JobId job = 2; job <= 5; ++job) desk.submit(job, "slot=1/node", 10);
  desk.work();
  Outlook outlook(desk.queue);
  WorkBudget two{.jobs = 2};
  ASSERT_FALSE(outlook.work(two));
  const std::uint64_t begun = desk.queue.sequence();
  ASSERT_TRUE(desk.queue.cancel(2));
  ASSERT_TRUE(desk.queue.set_priority(5, 9));
  desk.submit(6, "slot=1/node", 10);
  WorkBudget all;
  ASSERT_TRUE(outlook.work(all));
  EXPECT_EQ(outlook.sequence(), begun);
  EXPECT_NE(desk.queue.sequence(), begun);
  ASSERT_EQ(outlook.entries().size(), 3U);
  EXPECT_EQ(outlook.find(3)->start_s, 110);  // job 5 is not listed, and is before it
  EXPECT_EQ(outlook.find(4)->start_s, 120);
  EXPECT_EQ(outlook.find(6)->start_s, 130);
  EXPECT_EQ(outlook.find(6)->ahead, 2U);
}

// Starts after the next 1,000 are estimates, and answers say so.
TEST(Outlook, SaysWhichStartsAreEstimates) {
  Desk desk(1, "easy");
  for (JobId job = 1; job <= 1'100; ++job) desk.submit(job, "slot=1/node", 10);
  desk.work();
  Answers answers(desk.queue);
  WorkBudget all;
  ASSERT_TRUE(answers.work(all));
  const auto text_of = [&](JobId job) {
    const auto answer = answers.of(job);
    EXPECT_TRUE(answer);
    std::string text, json;
    append_answer_text(text, *answer);
    append_answer_json(json, *answer);
    EXPECT_EQ(json.find(R"("estimated": true)") != std::string::npos, answer->estimated);
    return text;
  };
  EXPECT_NE(text_of(1'001).find("when: 10,000 s if nothing else happens"), std::string::npos);
  EXPECT_NE(text_of(1'100).find("when: about 10,990 s if nothing else happens"), std::string::npos);
}

// A simulation that is to examine few jobs stops, and is not complete.
TEST(Outlook, SimulatesNoMoreThanItMay) {
  Desk desk(1, "easy");
  for (JobId job = 1; job <= 9; ++job) desk.submit(job, "slot=1/node", 10);
  desk.work();
  QueueSimulation simulation(desk.queue);
  simulation.stop_after({.jobs = 4});
  WorkBudget all;
  ASSERT_TRUE(simulation.work(all));
  EXPECT_FALSE(simulation.complete());
  EXPECT_LE(simulation.starts().size(), 4U);
  QueueSimulation whole(desk.queue);
  ASSERT_TRUE(whole.work(all));
  EXPECT_TRUE(whole.complete());
  EXPECT_EQ(whole.starts().size(), 8U);
}

// Answers that are made again free the old ones in budgets, too.
TEST(Outlook, IsTakenApartInSlices) {
  Desk desk(1, "fcfs");
  desk.submit(1, "slot=1/node/core=3", 100);
  for (JobId job = 2; job <= 9; ++job) desk.submit(job, "slot=1/core=2", 50);
  desk.work();
  const std::uint64_t before = desk.engine->fingerprint();
  Outlook outlook(desk.queue);
  WorkBudget all;
  ASSERT_TRUE(outlook.work(all));
  std::size_t budgets = 1;
  for (WorkBudget budget{.jobs = 3}; !outlook.free_gradually(budget); budget.jobs = 3) ++budgets;
  EXPECT_EQ(budgets, 3U);
  EXPECT_EQ(desk.engine->fingerprint(), before);
}

}  // namespace
}  // namespace copse::queue
