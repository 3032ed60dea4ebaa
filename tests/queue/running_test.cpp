// SPDX-License-Identifier: Apache-2.0
//
// Events of running jobs, and of the machine.
#include "copse/graph_change.hpp"
#include "queue/events.hpp"
#include "queue/player.hpp"

namespace copse::queue {
namespace {

std::vector<PoolId> nodes_held_by(const Desk& desk, JobId job) {
  std::vector<PoolId> out;
  const TypeId node = desk.engine->graph().find_type("node");
  for (const SelectedPools& taken : desk.engine->grant(job)->selection.taken) {
    if (desk.engine->graph().type(taken.first) != node) continue;
    for (std::uint32_t i = 0; i < taken.count; ++i) out.push_back(PoolId{taken.first.v + i});
  }
  return out;
}

// Twice: for whole nodes, which are counted, and with a job of cores, so promises are pinned.
class Running : public ::testing::TestWithParam<bool> {
 protected:
  Running() : desk(2, "easy") {
    if (!GetParam()) return;
    desk.submit(8, "slot=1/core", 1);
    EXPECT_TRUE(desk.queue.hold(8));
  }
  Desk desk;
};
INSTANTIATE_TEST_SUITE_P(Forms, Running, ::testing::Bool());

TEST_P(Running, GivesBackANode) {
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=1/node", 50);
  (void)desk.work();
  EXPECT_EQ(desk.queue.promised_start(2), 100);
  const auto left = desk.queue.ended_part(1, {{nodes_held_by(desk, 1).front()}});
  ASSERT_TRUE(left) << left.error().message();
  EXPECT_FALSE(*left);
  EXPECT_EQ(desk.work(), (Words{"start 2"}));
  const auto gone = desk.queue.ended_part(1, nodes_held_by(desk, 1));
  ASSERT_TRUE(gone);
  EXPECT_TRUE(*gone);
  EXPECT_EQ(desk.queue.running(), 1U);
  EXPECT_FALSE(desk.queue.ended_part(1, {}));
}

TEST_P(Running, EndsLaterOrEarlierThanItWasTo) {
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=1/node", 50);
  (void)desk.work();
  ASSERT_TRUE(desk.queue.set_end(1, 200));
  (void)desk.work();
  EXPECT_EQ(desk.queue.promised_start(2), 200);
  ASSERT_TRUE(desk.queue.advance(100));
  EXPECT_EQ(desk.work(), Words{});
  EXPECT_EQ(desk.queue.state(1), JobState::running);
  ASSERT_TRUE(desk.queue.set_end(1, 150));
  EXPECT_EQ(desk.work(), (Words{"plan 2 at 150"}));
  EXPECT_FALSE(desk.queue.set_end(1, 100));  // in the past
  EXPECT_FALSE(desk.queue.set_end(2, 300));  // does not run
}

// The end of job 1 was not reported.
TEST_P(Running, OverrunsItsEnd) {
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=1/node", 50);
  (void)desk.work();
  ASSERT_TRUE(desk.queue.advance(100));
  EXPECT_EQ(desk.work(), (Words{"plan 2 at 102"}));
  ASSERT_NE(desk.engine->grant(1), nullptr);
  ASSERT_TRUE(desk.queue.advance(102));
  EXPECT_EQ(desk.work(), (Words{"plan 2 at 106"}));
  ASSERT_TRUE(desk.queue.advance(103));
  ASSERT_TRUE(desk.queue.ended(1, 103));
  EXPECT_EQ(desk.work(), (Words{"start 2"}));
}

TEST_P(Running, AJobThatWaitsAsksForLess) {
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=2/node", 100);
  desk.submit(3, "slot=1/node", 200);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  ASSERT_TRUE(desk.queue.set_duration(3, 100));
  EXPECT_EQ(desk.work(), (Words{"start 3"}));
  EXPECT_FALSE(desk.queue.set_duration(3, 5));
}

TEST_P(Running, TheMachineShrinks) {
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=2/node", 100);
  desk.submit(3, "slot=1/node", 10);
  EXPECT_EQ(desk.work(), (Words{"start 1", "start 3", "plan 2 at 100"}));
  const auto lost = desk.queue.remove(nodes_held_by(desk, 3));
  ASSERT_TRUE(lost) << lost.error().message();
  EXPECT_EQ(*lost, std::vector<JobId>{3});
  EXPECT_EQ(desk.work(), (Words{"deny 2"}));
  desk.submit(4, "slot=1/node", 10);
  EXPECT_EQ(desk.work(), (Words{"plan 4 at 100"}));
  desk.end(3, 5);
  desk.advance(100);
  EXPECT_EQ(desk.said.take(), (Words{"start 4"}));
}

TEST_P(Running, TheMachineGrows) {
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=1/node", 50);
  (void)desk.work();
  Names& names = desk.engine->names();
  NewSubtree more{.parent = desk.engine->graph().root(), .pools = {}};
  NewPool node;
  node.type = TypeId{static_cast<std::uint16_t>(names.types.intern("node"))};
  node.basename = NameId{names.basenames.intern("node")};
  node.id = 7;
  more.pools.push_back(node);
  const auto ok = desk.queue.attach({{more}});
  ASSERT_TRUE(ok) << ok.error().message();
  EXPECT_EQ(desk.work(), (Words{"start 2"}));
}

// Nodes are free, but not the licences that the job keeps: promises that need them are made again.
TEST(RunningOn, KeepsItsLicences) {
  World world;
  world.nodes = 3;
  world.licences = 2;
  world.queues.resize(1);
  world.queues[0].discipline = "easy";
  Player player(world);
  const auto submit = [&](JobId job, int licences, std::int64_t duration_s, std::int64_t late_s) {
    Event event;
    event.job = job;
    event.ask.nodes = 1;
    event.ask.licences = licences;
    event.seconds = duration_s;
    event.late_s = late_s;
    player.play(event);
  };
  submit(1, 2, 100, 6);
  submit(2, 1, 50, 0);
  EXPECT_EQ(player.queue().promised_start(2), 100);
  player.advance(100);
  EXPECT_EQ(player.queue().state(1), JobState::running);
  EXPECT_EQ(player.queue().promised_start(2), 102);
  player.advance(102);
  EXPECT_EQ(player.queue().promised_start(2), 106);
  player.advance(106);
  EXPECT_EQ(player.queue().state(2), JobState::running);
}

}  // namespace
}  // namespace copse::queue
