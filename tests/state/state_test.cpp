// SPDX-License-Identifier: Apache-2.0
#include "state/state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "state/state_of_machine.hpp"

namespace copse {
namespace {

std::int64_t used(const State& state, PoolId p, std::string_view type) {
  const ResourceGraph& g = state.graph();
  const int k = g.shape(p).total_index(g.find_type(type));
  return state.row(g.interior(p))[static_cast<std::size_t>(k) + 1];
}

TEST_F(StateOfMachine, IsFreeAtFirst) {
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    EXPECT_TRUE(state.available_now(PoolId{v}));
    EXPECT_EQ(state.status(PoolId{v}), Status::up);
  }
  for (std::uint32_t i = 0; i < graph.interior_count(); ++i) {
    EXPECT_EQ(state.planner(i), nullptr);
    EXPECT_TRUE(std::ranges::all_of(state.row(i), [](auto n) { return n == 0; }));
    EXPECT_EQ(state.row(i).size(), graph.shape_of_interior(i).totals.size() + 1);
  }
  EXPECT_EQ(state.fingerprint(), State(graph, kNow).fingerprint());
}

TEST_F(StateOfMachine, ALeafTakenShowsInEveryRowAboveIt) {
  state.apply(taking(graph, {core0}), kNow, 20, 1, +1);
  EXPECT_TRUE(state.allocated(core0, 19, 20));
  EXPECT_FALSE(state.allocated(core0, 20, 21));
  EXPECT_FALSE(state.available_now(core0));
  for (PoolId up : {socket0, node0, rack0, root}) {
    EXPECT_EQ(used(state, up, "core"), 1);
    EXPECT_EQ(used(state, up, "memory"), 0);
    EXPECT_EQ(state.row(graph.interior(up))[0], 1);
    EXPECT_TRUE(state.touched(up, kNow, 11));
    EXPECT_FALSE(state.touched(up, 20, 21));
    EXPECT_TRUE(state.available_now(up));  // shared: other grants may use the rest
    EXPECT_NE(state.planner(graph.interior(up)), nullptr);
  }
  EXPECT_EQ(used(state, rack0, "node"), 0);
  EXPECT_FALSE(state.touched(node1, 0, 100));
}

TEST_F(StateOfMachine, AWholePoolIsOneHoldAndItsRowsAreFull) {
  state.apply(taking(graph, {node0}), kNow, 20, 1, +1);
  EXPECT_TRUE(state.exclusive_spans().marked(node0));
  for (std::uint32_t v = node0.v + 1; v < graph.end(node0).v; ++v) {
    EXPECT_FALSE(state.exclusive_spans().marked(PoolId{v}));  // the node's span covers them
    EXPECT_FALSE(state.available_now(PoolId{v}));
  }
  EXPECT_EQ(state.planner(graph.interior(node0)), nullptr);
  EXPECT_EQ(state.planner(graph.interior(socket0)), nullptr);
  EXPECT_EQ(used(state, node0, "core"), 8);
  EXPECT_EQ(used(state, socket0, "core"), 4);
  EXPECT_EQ(state.row(graph.interior(socket0))[0], 1);
  EXPECT_EQ(used(state, rack0, "core"), 8);
  EXPECT_EQ(used(state, rack0, "socket"), 2);
  EXPECT_EQ(used(state, rack0, "node"), 1);
  EXPECT_EQ(used(state, root, "memory"), 16);
}

TEST_F(StateOfMachine, AnExclusivePoolOfWhichAPartIsTakenCountsThatPart) {
  const Selection selection{
      {{root}, {rack0}, {node0, 1, true}, {socket0, 1, true}, {core0, 2, true}}, {}};
  const std::uint64_t before = state.fingerprint();
  state.apply(selection, kNow, 20, 1, +1);
  EXPECT_TRUE(state.allocated(node0, kNow, 20));
  EXPECT_FALSE(state.exclusive_spans().marked(socket0));
  EXPECT_FALSE(state.exclusive_spans().marked(core0));
  EXPECT_EQ(used(state, rack0, "core"), 2);
  EXPECT_EQ(used(state, rack0, "socket"), 1);
  EXPECT_EQ(used(state, rack0, "node"), 1);
  EXPECT_EQ(used(state, socket0, "core"), 2);
  EXPECT_FALSE(state.available_now(pool("/cluster0/rack0/node0/socket1/core0")));
  state.apply(selection, kNow, 20, 1, -1);
  EXPECT_EQ(state.fingerprint(), before);
}

TEST_F(StateOfMachine, TheRootsPlannerSeesEveryGrant) {
  const Selection all{{{root, 1, true, true}}, {}};
  state.apply(all, 50, 60, 1, +1);
  ASSERT_NE(state.planner(0), nullptr);
  EXPECT_EQ(state.planner(0)->used_at(0, 55), 1);
  EXPECT_EQ(state.planner(0)->step_count(), 2U);
  state.apply(taking(graph, {core0}), 60, 70, 2, +1);
  EXPECT_EQ(state.planner(0)->step_count(), 3U);
  state.apply(all, 50, 60, 1, -1);
  state.apply(taking(graph, {core0}), 60, 70, 2, -1);
  EXPECT_EQ(state.planner(0), nullptr);
}

TEST_F(StateOfMachine, ReservationsAreSeenOverTimeAndNotNow) {
  state.apply(taking(graph, {node0}), 100, 200, 1, +1);
  EXPECT_TRUE(state.available_now(node0));
  EXPECT_TRUE(state.allocated(node0, kNow, 101));
  EXPECT_EQ(used(state, rack0, "core"), 0);
  const std::uint32_t i = graph.interior(rack0);
  const auto cores =
      static_cast<std::uint32_t>(graph.shape(rack0).total_index(graph.find_type("core")) + 1);
  EXPECT_EQ(state.most_used(i, cores, kNow, 100), 0);
  EXPECT_EQ(state.most_used(i, cores, kNow, 101), 8);
  EXPECT_EQ(state.most_used(i, cores, 199, 300), 8);
  EXPECT_EQ(state.most_used(i, cores, 200, 300), 0);
  EXPECT_TRUE(state.touched(rack0, kNow, 101));
  EXPECT_FALSE(state.touched(rack0, kNow, 100));
}

TEST_F(StateOfMachine, AHeldRackBlocksAllBelowIt) {
  const Selection selection = taking(graph, {rack0});
  state.apply(selection, kNow, 20, 1, +1);
  for (std::uint32_t v = rack0.v; v < graph.end(rack0).v; ++v) {
    EXPECT_FALSE(state.available_now(PoolId{v})) << graph.name(PoolId{v});
  }
  EXPECT_TRUE(state.available_now(root));
  EXPECT_TRUE(state.available_now(rack1));
  EXPECT_TRUE(state.available_now(pool("/cluster0/rack1/node2/socket0/core0")));
  state.apply(selection, kNow, 20, 1, -1);
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v)
    EXPECT_TRUE(state.available_now(PoolId{v}));
}

TEST_F(StateOfMachine, ARackThatIsDownBlocksAllBelowIt) {
  const std::uint64_t before = state.fingerprint();
  for (const Status status : {Status::down, Status::failing, Status::unknown}) {
    state.set_status(rack0, status);
    EXPECT_EQ(state.status(rack0), status);
    EXPECT_EQ(state.status(node0), Status::up);  // its own status is separate
    for (std::uint32_t v = rack0.v; v < graph.end(rack0).v; ++v) {
      EXPECT_FALSE(state.available_now(PoolId{v}));
    }
    EXPECT_TRUE(state.available_now(rack1));
  }
  state.set_status(rack0, Status::degraded);  // still allocated to jobs
  EXPECT_TRUE(state.available_now(core0));
  EXPECT_NE(state.fingerprint(), before);
  state.set_status(rack0, Status::up);
  EXPECT_TRUE(state.available_now(core0));
  EXPECT_EQ(state.fingerprint(), before);
}

TEST_F(StateOfMachine, HeldAndDownAreLiftedOneByOne) {
  const std::uint64_t before = state.fingerprint();
  const Selection selection = taking(graph, {rack0});
  state.apply(selection, kNow, 20, 1, +1);
  state.set_status(rack0, Status::down);
  state.set_status(node0, Status::down);
  EXPECT_FALSE(state.available_now(node1));
  state.apply(selection, kNow, 20, 1, -1);
  EXPECT_FALSE(state.available_now(node1));  // the rack is still down
  state.set_status(rack0, Status::up);
  EXPECT_TRUE(state.available_now(node1));
  EXPECT_FALSE(state.available_now(socket0));
  EXPECT_FALSE(state.available_now(core0));
  state.set_status(node0, Status::up);
  EXPECT_TRUE(state.available_now(core0));
  EXPECT_EQ(state.fingerprint(), before);
}

TEST_F(StateOfMachine, ALeafThatIsDownIsItselfUnavailable) {
  state.set_status(core0, Status::down);
  EXPECT_FALSE(state.usable(core0));
  EXPECT_FALSE(state.available_now(core0));
  EXPECT_TRUE(state.available_now(socket0));
  EXPECT_TRUE(state.available_now(PoolId{core0.v + 1}));
}

TEST_F(StateOfMachine, CountsUsableUnitsOnce) {
  const TypeId core = graph.find_type("core"), node = graph.find_type("node"),
               cluster = graph.find_type("cluster"), memory = graph.find_type("memory");
  EXPECT_EQ(state.usable_units(core), 32);
  EXPECT_EQ(state.usable_units(cluster), 1);
  state.set_status(node0, Status::down);
  EXPECT_EQ(state.usable_units(core), 24);
  EXPECT_EQ(state.usable_units(node), 3);
  state.set_status(rack0, Status::failing);  // node0 is below it
  EXPECT_EQ(state.usable_units(core), 16);
  EXPECT_EQ(state.usable_units(memory), 32);
  state.set_status(core0, Status::down);  // and so is core0
  EXPECT_EQ(state.usable_units(core), 16);
  state.set_status(pool("/cluster0/rack1/node3/socket1/core2"), Status::unknown);
  EXPECT_EQ(state.usable_units(core), 15);
  state.set_status(pool("/cluster0/rack1/node2"), Status::degraded);
  EXPECT_EQ(state.usable_units(node), 2);
  state.set_status(pool("/power0/pdu1"), Status::down);  // not in the tree
  EXPECT_EQ(state.usable_units(node), 2);
  state.set_status(root, Status::down);
  EXPECT_EQ(state.usable_units(cluster), 0);
  EXPECT_EQ(state.usable_units(core), 0);
}

TEST_F(StateOfMachine, TheFingerprintTellsGrantsAndTimesApart) {
  std::set<std::uint64_t> seen{state.fingerprint()};
  const auto note = [&](const Selection& selection, std::int64_t start, std::int64_t end,
                        std::uint32_t grant) {
    state.apply(selection, start, end, grant, +1);
    EXPECT_TRUE(seen.insert(state.fingerprint()).second);
    state.apply(selection, start, end, grant, -1);
    EXPECT_TRUE(seen.contains(state.fingerprint()));
  };
  note(taking(graph, {core0}), kNow, 20, 1);
  note(taking(graph, {core0}), kNow, 20, 2);
  note(taking(graph, {core0}), kNow, 21, 1);
  note(taking(graph, {core0}), 30, 40, 1);
  note(taking(graph, {PoolId{core0.v + 1}}), kNow, 20, 1);
  note(taking(graph, {socket0}), kNow, 20, 1);
  EXPECT_EQ(state.fingerprint(), State(graph, kNow).fingerprint());
  state.set_status(core0, Status::down);
  EXPECT_TRUE(seen.insert(state.fingerprint()).second);
  state.set_status(core0, Status::failing);
  EXPECT_TRUE(seen.insert(state.fingerprint()).second);
}

TEST_F(StateOfMachine, TheFingerprintCountsGrantsByTheirNames) {
  State other(graph, kNow);
  state.apply(taking(graph, {core0}), kNow, 20, 0, +1);
  other.apply(taking(graph, {core0}), kNow, 20, 1, +1);
  EXPECT_NE(state.fingerprint(), other.fingerprint());
  EXPECT_EQ(state.fingerprint(std::vector<std::uint64_t>{7}),
            other.fingerprint(std::vector<std::uint64_t>{0, 7}));
  EXPECT_NE(state.fingerprint(std::vector<std::uint64_t>{7}),
            other.fingerprint(std::vector<std::uint64_t>{7, 8}));
}

TEST_F(StateOfMachine, ListsAreNoPartOfTheState) {
  const std::uint64_t before = state.fingerprint();
  state.lists().watch(state.lists().add(std::vector<PoolId>{node0}), graph.find_type("core"));
  EXPECT_EQ(state.fingerprint(), before);
  const std::uint64_t with_list = state.bytes();
  EXPECT_GT(with_list, State(graph, kNow).bytes());
  state.lists().clear();
  EXPECT_LT(state.bytes(), with_list);
  state.apply(taking(graph, {node0}), kNow, 20, 1, +1);  // no list is left to refresh
  State other(graph, kNow);
  other.apply(taking(graph, {node0}), kNow, 20, 1, +1);
  EXPECT_EQ(state.fingerprint(), other.fingerprint());
}

TEST(State, AmountsBeyondAColumnsWidthAreCut) {
  GraphText t;
  const auto root = t.pool({"cluster"}), node = t.child(root, {"node"});
  t.child(node, {"memory", 0, INT64_MAX});
  const ResourceGraph g = t.build();
  State state(g, 0);
  WatchedList& watched = state.lists().add(std::vector<PoolId>{PoolId{1}});
  const std::uint32_t column = state.lists().watch(watched, g.find_type("memory"));
  EXPECT_EQ(with(watched, column, INT32_MAX), (std::set<std::uint32_t>{1}));
}

#ifndef NDEBUG
TEST(StateDeathTest, RefusesGrantsThatOverlap) {
  const ResourceGraph g = machine();
  State state(g, kNow);
  const Selection selection = taking(g, {at(g, "/cluster0/rack0")});
  state.apply(selection, kNow, 20, 1, +1);
  EXPECT_DEATH(state.apply(selection, 15, 30, 2, +1), "allocated");
  EXPECT_DEATH(state.apply(selection, 30, 30, 2, +1), "start < end");
}
#endif

}  // namespace
}  // namespace copse
