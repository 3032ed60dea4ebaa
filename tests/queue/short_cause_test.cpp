// SPDX-License-Identifier: Apache-2.0
//
// The short cause of each reason, with and without its time.
#include "queue/answers/short_cause.hpp"

#include "queue/answered_queue.hpp"
#include "text/clauses.hpp"

namespace copse::queue {
namespace {

std::string brief(Desk& desk, JobId job) {
  return AnsweredQueue(desk).answers.of(job)->reason.brief;
}

std::string short_text(Desk& desk, JobId job) {
  AnsweredQueue asked(desk);
  return cause_text(*asked.answers.of(job));
}

TEST(ShortCause, OthersHaveIt) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=3/node", 6000);
  desk.submit(2, "slot=2/node", 600);
  desk.submit(3, "node=3/slot=1/core=2", 60);
  (void)desk.work();
  EXPECT_EQ(short_text(desk, 2), "waits for 2 of 1 free nodes, until 6,000 s (in 100 min)");
  EXPECT_EQ(brief(desk, 3), "waits for 3 of 1 free nodes with 2 cores each");
}

TEST(ShortCause, TheQueueBlocksIt) {
  Desk desk(4, "fcfs");
  desk.submit(1, "slot=3/node", 600);
  desk.submit(2, "slot=2/node", 600);
  desk.submit(3, "slot=1/node", 10);
  (void)desk.work();
  EXPECT_EQ(brief(desk, 3), "waits behind job 2, which none may overtake");
  ASSERT_TRUE(desk.queue.hold(3));
  EXPECT_EQ(short_text(desk, 3), "it is held until it is released");
}

TEST(ShortCause, AnotherIsToStart) {
  Desk desk(4, "easy");
  desk.submit(1, "slot=3/node", 600);
  desk.submit(2, "slot=4/node", 600);
  desk.submit(3, "slot=1/node", 3200);
  (void)desk.work();
  EXPECT_EQ(short_text(desk, 3), "waits so as not to delay job 2, until 1,200 s (in 20 min)");
}

TEST(ShortCause, NodesAreDown) {
  Desk desk(4, "easy");
  const TypeId node = desk.engine->graph().find_type("node");
  desk.queue.set_status(desk.engine->graph().of_type(node).back(), Status::down);
  desk.submit(1, "slot=4/node", 600);
  (void)desk.work();
  EXPECT_EQ(short_text(desk, 1), "waits for 4 of 3 free nodes; 1 is down");
}

Explanation shortage(Finding finding) {
  Explanation out{.verdict = Verdict::insufficient, .findings = {}};
  out.findings.push_back(std::move(finding));
  return out;
}

TEST(ShortCause, DevicesHaveTheirTypes) {
  EXPECT_EQ(short_cause(shortage({.type = "gpu",
                                  .properties = "h100",
                                  .needed = 4,
                                  .factors = {4},
                                  .most_has = 8,
                                  .most_fits = 2})),
            "waits for 4 of 2 free GPUs of type h100");
  EXPECT_EQ(
      short_cause(shortage(
          {.type = "memory", .unit = "GiB", .counted = false, .needed = 64, .most_fits = 32})),
      "waits for 64 of 32 free GiB of memory");
}

// Three nodes are free, in two racks: "3 of 3" would contradict itself, and no rack was requested.
TEST(ShortCause, WhatIsFreeIsApart) {
  EXPECT_EQ(short_cause(shortage({.type = "node",
                                  .needed = 3,
                                  .where = "rack",
                                  .most_has = 4,
                                  .most_fits = 2,
                                  .candidates = {.all = 8, .fit = 3, .held = 5}})),
            "waits for 3 nodes that are free in one place, which has 2");
}

TEST(ShortCause, ALayerIsShort) {
  EXPECT_EQ(short_cause(shortage(
                {.cause = copse::Cause::supply, .type = "licence", .needed = 2, .most_fits = 1})),
            "waits for 2 of 1 free licence");
}

// Names of any length are cut; the time is left out where it does not fit.
TEST(ShortCause, ItIsNeverLong) {
  const std::string name(300, 'x');
  const Reason reason{.cause = Reason::Cause::promises, .job = 7};
  const std::string cause = short_cause(reason, 0, [&](std::uint64_t) { return name; }, "");
  EXPECT_LE(characters(cause), kCauseCharacters);
  EXPECT_EQ(timed_cause(std::string(70, 'x'), 600, false, 0), std::string(70, 'x'));
  EXPECT_EQ(timed_cause("waits", 600, true, 0), "waits, until about 600 s (in 10 min)");
  EXPECT_EQ(timed_cause("waits", 600, false, 600), "waits");
  EXPECT_EQ(timed_cause("waits", 90, false, 0), "waits, until 90 s (in 90 s)");
  EXPECT_EQ(timed_cause("waits", 3 * 86'400, false, 0,
                        [](std::int64_t, std::int64_t) { return std::string("14:05"); }),
            "waits, until 14:05 (in 3 days)");
}

// The whole sentence names two jobs; the numbers have all.
TEST(ShortCause, TwoHoldersAreNamed) {
  Desk desk(4, "easy");
  for (JobId job = 1; job <= 4; ++job) desk.submit(job, "slot=1/node", 600);
  desk.submit(5, "slot=1/node", 600);
  (void)desk.work();
  AnsweredQueue asked(desk);
  EXPECT_EQ(asked.answers.of(5)->reason.text,
            "needs 1 node; of 4 nodes none fits now: 4 are allocated to jobs (soonest: job 1 until "
            "600 s, job 2 until 600 s and 2 more jobs)");
  EXPECT_EQ(asked.answers.of(5)->reason.why->findings.front().holders.size(), 4U);
}

}  // namespace
}  // namespace copse::queue
