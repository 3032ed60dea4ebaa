// SPDX-License-Identifier: Apache-2.0
#include "queue/priorities.hpp"

#include <cmath>

#include "queue/events.hpp"

namespace copse::queue {
namespace {

TEST(Priorities, AreKnownByName) {
  EXPECT_TRUE(find_priority_rule("fifo"));
  EXPECT_EQ(find_priority_rule("fairshare").error().text,
            "unknown priority rule \"fairshare\"; did you mean \"fair-share\"?");
}

TEST(Priorities, RefuseWhatIsNoRule) {
  EXPECT_TRUE(check_rule({}));
  EXPECT_FALSE(check_rule({.age = std::nan("")}));
  EXPECT_FALSE(check_rule({.size = 1e13}));
  EXPECT_FALSE(check_rule({.age_max_s = 0}));
  PriorityRule rule;
  rule.shares["ada"] = 0;
  EXPECT_FALSE(check_rule(rule));
}

TEST(Priorities, CountCores) {
  const auto engine = plan::flat_engine(4, 8);
  const Priorities priorities(engine->graph(), {});
  EXPECT_EQ(priorities.cores(request_of("slot=2/node")), 16);
  EXPECT_EQ(priorities.cores(request_of("slot=2/node/core=3")), 6);
  EXPECT_EQ(priorities.cores(request_of("slot=5/core")), 5);
}

TEST(Priorities, AddWhatIsWeighted) {
  const auto engine = plan::flat_engine(4, 8);
  const Priorities priorities(engine->graph(), {.age = 1000, .size = 100, .age_max_s = 100});
  EXPECT_EQ(priorities.of({.given_priority = 7, .submit_s = 0, .cores = 8}, 0), 7 + 25);
  EXPECT_EQ(priorities.of({.given_priority = 7, .submit_s = 0, .cores = 8}, 50), 7 + 25 + 500);
  EXPECT_EQ(priorities.of({.given_priority = 7, .submit_s = 0, .cores = 8}, 500), 7 + 25 + 1000);
}

// Usage is halved by a half-life; present use is added.
TEST(Priorities, ShareFairly) {
  const auto engine = plan::flat_engine(4, 8);
  Priorities p(engine->graph(), {.fair_share = 1000, .half_life_s = 100});
  const auto ada = p.user("ada"), bob = p.user("bob");
  EXPECT_EQ(p.user("ada"), ada);
  EXPECT_DOUBLE_EQ(p.fair_share(ada, 0), 1);
  p.started(ada, 8, 0);
  p.ended(ada, 8, 100);
  EXPECT_DOUBLE_EQ(p.fair_share(ada, 100), 0.25);  // all usage is ada's; the share is a half
  EXPECT_DOUBLE_EQ(p.fair_share(bob, 100), 1);
  p.started(bob, 8, 100);
  p.ended(bob, 8, 200);  // the same amount, a half-life later: two thirds
  EXPECT_NEAR(p.fair_share(bob, 200), std::exp2(-(2.0 / 3) / 0.5), 1e-9);
  EXPECT_NEAR(p.fair_share(ada, 200), std::exp2(-(1.0 / 3) / 0.5), 1e-9);
}

TEST(Priorities, AreTheSameWithUsageThatWasKept) {
  const auto engine = plan::flat_engine(4, 8);
  const PriorityRule rule{.fair_share = 1000, .half_life_s = 100};
  Priorities p(engine->graph(), rule), again(engine->graph(), rule);
  const auto ada = p.user("ada"), bob = p.user("bob"), eve = p.user("eve");
  p.started(ada, 8, 10);
  p.ended(ada, 8, 90);
  EXPECT_EQ(p.take_changed(), std::vector{ada});
  EXPECT_EQ(p.take_changed(), std::vector<Priorities::User>{});
  p.started(bob, 4, 120);
  p.started(ada, 2, 130);
  p.ended(bob, 4, 130);
  p.started(bob, 4, 140);
  EXPECT_EQ(p.take_changed(), (std::vector{ada, bob}));
  for (const auto user : {ada, bob}) again.resume(again.user(p.name(user)), p.used(user));
  again.resume_all(p.used_by_all());
  (void)again.user("eve");
  again.started(ada, 2, 130);  // what runs, as a queue resumes it
  again.started(bob, 4, 140);
  for (const std::int64_t now_s : {140, 200, 1'000}) {
    for (const auto user : {ada, bob, eve}) {
      EXPECT_DOUBLE_EQ(again.fair_share(user, now_s), p.fair_share(user, now_s));
    }
  }
}

TEST(Priorities, OrderTheQueueAndReorderIt) {
  Desk desk(1, {{.discipline = *find_discipline("easy")}},
            {.fair_share = 1'000'000, .half_life_s = 1000, .period_s = 60});
  desk.submit(1, "slot=1/node", 1000, 0, "", "ada");
  EXPECT_EQ(desk.work(), (Words{"start 1"}));
  desk.submit(2, "slot=1/node", 100, 0, "", "ada");
  desk.submit(3, "slot=1/node", 100, 0, "", "bob");
  EXPECT_EQ(desk.work(), (Words{"plan 2 at 1000"}));
  EXPECT_EQ(desk.queue.next_time(), 60);
  ASSERT_TRUE(desk.queue.advance(60));
  EXPECT_EQ(desk.work(), (Words{"unplan 2", "plan 3 at 1000"}));
  EXPECT_EQ(desk.queue.next_time(), 120);
}

TEST(Priorities, SmallestFirst) {
  Desk desk(2, {{.discipline = *find_discipline("fcfs")}}, *find_priority_rule("smallest"));
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=2/node", 100);
  desk.submit(3, "slot=1/node", 100);
  desk.submit(4, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 3", "start 4"}));
}

}  // namespace
}  // namespace copse::queue
