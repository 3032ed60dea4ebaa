// SPDX-License-Identifier: Apache-2.0
//
// Several queues over one machine.
#include "queue/queue_table.hpp"

#include "queue/events.hpp"

namespace copse::queue {
namespace {

Constraint hosts(std::vector<std::string> names) {
  Constraint out;
  out.op = Constraint::Op::hostlist;
  out.words = std::move(names);
  return out;
}

std::vector<QueueSpec> two(const char* discipline) {
  return {{.name = "batch", .discipline = *find_discipline(discipline)},
          {.name = "debug", .discipline = *find_discipline("fcfs"), .constraint = hosts({"node1"})},
          {.name = "urgent", .parent = "batch"}};
}

TEST(Lines, RefusesWhatIsNoSetOfQueues) {
  EXPECT_FALSE(check_queues({}));
  std::vector<QueueSpec> queues = two("easy");
  EXPECT_TRUE(check_queues(queues));
  queues[1].name = "batch";
  EXPECT_EQ(check_queues(queues).error().text, "there are two queues \"batch\"");
  queues = two("easy");
  queues[2].parent = "bacth";
  EXPECT_EQ(check_queues(queues).error().text,
            "the parent of queue \"urgent\", \"bacth\", is not a queue");
  queues.push_back({.name = "more", .parent = "urgent"});
  queues[2].parent = "batch";
  EXPECT_EQ(check_queues(queues).error().text,
            "the parent of queue \"more\", \"urgent\", is a virtual queue itself");
  EXPECT_FALSE(check_queues(std::vector<QueueSpec>(kQueuesMax + 1)));
}

TEST(Lines, HaveNodesOfTheirOwn) {
  Desk desk(2, two("easy"));
  desk.submit(1, "slot=1/node", 100, 0, "debug");
  desk.submit(2, "slot=1/node", 100, 0, "debug");
  desk.submit(3, "slot=1/node", 100, 0, "batch");
  desk.submit(4, "slot=2/node", 100, 0, "debug");  // has one node only
  EXPECT_EQ(desk.work(), (Words{"deny 4", "start 3", "start 1"}));
  EXPECT_EQ(desk.queue.state(2), JobState::waiting);
  desk.end(1, 10);
  desk.advance(10);
  EXPECT_EQ(desk.said.take(), (Words{"start 2"}));
}

TEST(Lines, AreServedByTheirPriorities) {
  std::vector<QueueSpec> queues{{.name = "aaa", .discipline = *find_discipline("fcfs")},
                                {.name = "zzz", .discipline = *find_discipline("fcfs")}};
  queues[1].priority = 1;
  Desk desk(2, std::move(queues));
  desk.submit(1, "slot=2/node", 100, 0, "aaa");
  EXPECT_EQ(desk.work(), Words{"start 1"});
  desk.submit(2, "slot=2/node", 100, 0, "aaa");
  desk.submit(3, "slot=2/node", 100, 0, "zzz");
  EXPECT_EQ(desk.queue.first(), 3U);
  desk.end(1, 10);
  desk.advance(10);
  EXPECT_EQ(desk.said.take(), Words{"start 3"});
}

// One order: jobs of the virtual queue are behind, or before, those of its parent.
TEST(Lines, AVirtualQueueStandsInTheLineOfItsParent) {
  Desk desk(1, two("easy"));
  desk.submit(1, "slot=1/node", 100, 0, "batch");
  desk.submit(2, "slot=1/node", 100, 0, "urgent");
  desk.submit(3, "slot=1/node", 100, 5, "urgent");
  desk.submit(4, "slot=1/node", 100, 0, "batch");
  EXPECT_EQ(desk.work(), (Words{"start 3", "plan 1 at 100"}));
  const Request request = request_of("slot=1/node");
  EXPECT_EQ(desk.queue.submit({.id = 9, .queue = "uregnt", .request = &request}).error().text,
            "unknown queue \"uregnt\"; did you mean \"urgent\"?");
}

TEST(Lines, AVirtualQueueHasTheNodesOfItsParent) {
  const auto easy = *find_discipline("easy");
  Desk desk(3, {{.name = "batch", .discipline = easy, .constraint = hosts({"node1"})},
                {.name = "near", .parent = "batch"},
                {.name = "own", .constraint = hosts({"node0", "node2"}), .parent = "batch"}});
  desk.submit(1, "slot=1/node", 100, 0, "near");
  desk.submit(2, "slot=1/node", 100, 0, "near");  // its parent has only node1
  desk.submit(3, "slot=2/node", 100, 0, "own");   // nodes of its own override these
  EXPECT_EQ(desk.work(), (Words{"start 1", "start 3", "plan 2 at 100"}));
}

TEST(Lines, AStoppedQueueStartsNobody) {
  Desk desk(2, two("conservative"));
  desk.submit(1, "slot=2/node", 100, 0, "batch");
  desk.submit(2, "slot=2/node", 100, 0, "batch");
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  ASSERT_TRUE(desk.queue.set_stopped("batch", true));
  EXPECT_EQ(desk.work(), (Words{"unplan 2"}));
  desk.submit(3, "slot=1/node", 10, 0, "batch");
  desk.end(1, 20);
  desk.advance(20);
  EXPECT_EQ(desk.said.take(), Words{});
  desk.submit(4, "slot=1/node", 10, 0, "debug");  // another queue
  EXPECT_EQ(desk.work(), (Words{"start 4"}));
  ASSERT_TRUE(desk.queue.set_stopped("batch", false));
  EXPECT_EQ(desk.work(), (Words{"start 3", "plan 2 at 30"}));
  EXPECT_EQ(desk.queue.set_stopped("urgent", true).error().text,
            "queue \"urgent\" is virtual: its jobs wait in the queue of its parent, \"batch\"");
  EXPECT_FALSE(desk.queue.set_stopped("nosuch", true));
}

}  // namespace
}  // namespace copse::queue
