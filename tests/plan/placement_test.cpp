// SPDX-License-Identifier: Apache-2.0
//
// Racks of jobs, and fragmentation.
#include "plan/placement.hpp"

#include <gtest/gtest.h>

#include "graph/small_graph.hpp"

namespace copse::plan {
namespace {

TEST(Placement, CountsTheRacksOfJobsOfSeveralNodes) {
  const ResourceGraph graph = machine();  // two racks of two nodes
  const NodeRows rows(graph);
  Placement placement(rows);
  ASSERT_EQ(placement.levels(), 1U);
  EXPECT_EQ(placement.name(0), "rack");
  placement.count_job({{0, 1}}, 1);  // one node does not count
  placement.count_job({{1, 2}}, 2);  // a node of each rack, where both racks are idle
  LevelFigures figures = placement.figures().front();
  EXPECT_EQ(figures.level, "rack");
  EXPECT_DOUBLE_EQ(figures.mean_pools, 2);
  EXPECT_DOUBLE_EQ(figures.least_at_start, 1);
  EXPECT_DOUBLE_EQ(figures.least, 1);
  placement.take(0);
  placement.take(2);
  placement.count_job({{1, 1}, {3, 1}}, 2);  // no rack has two free nodes
  figures = placement.figures().front();
  EXPECT_DOUBLE_EQ(figures.mean_pools, 2);
  EXPECT_DOUBLE_EQ(figures.least_at_start, 1.5);
  EXPECT_DOUBLE_EQ(figures.least, 1);
}

TEST(Placement, FragmentationIsTheShareOutsideOfTheLargestPiece) {
  const ResourceGraph graph = machine();
  const NodeRows rows(graph);
  Placement placement(rows);
  EXPECT_DOUBLE_EQ(placement.fragmentation(0), 0.5);
  placement.pass(10);
  placement.take(0);
  EXPECT_EQ(placement.largest(0), 2);
  EXPECT_DOUBLE_EQ(placement.fragmentation(0), 1 - 2.0 / 3);
  placement.take(1);
  EXPECT_DOUBLE_EQ(placement.fragmentation(0), 0);  // all are in one rack
  placement.pass(30);
  EXPECT_DOUBLE_EQ(placement.figures().front().fragmentation, 0.5 / 4);
  placement.take(2);
  placement.take(3);
  EXPECT_EQ(placement.free(), 0);
  EXPECT_DOUBLE_EQ(placement.fragmentation(0), 0);
  placement.give(3);
  EXPECT_EQ(placement.largest(0), 1);
}

TEST(Placement, OneRackIsNoLevel) {
  GraphText text;
  const auto cluster = text.pool({.type = "cluster", .id = 0});
  const auto rack = text.child(cluster, {.type = "rack", .id = 0});
  for (int id = 0; id < 3; ++id) {
    text.child(text.child(rack, {.type = "node", .id = id}), {.type = "core", .id = 0});
  }
  const ResourceGraph graph = text.build();
  const NodeRows rows(graph);
  Placement placement(rows);
  EXPECT_EQ(placement.levels(), 0U);
  EXPECT_TRUE(placement.figures().empty());
}

// Switches under switches: numbered from below.
TEST(Placement, LevelsOfOneTypeHaveNumbers) {
  GraphText text;
  const auto cluster = text.pool({.type = "cluster", .id = 0});
  int nodes = 0;
  for (int top = 0; top < 2; ++top) {
    const auto above = text.child(cluster, {.type = "switch", .id = top});
    for (int leaf = 0; leaf < 2; ++leaf) {
      const auto below = text.child(above, {.type = "switch", .id = 2 + 2 * top + leaf});
      text.child(text.child(below, {.type = "node", .id = nodes++}), {.type = "core", .id = 0});
    }
  }
  const ResourceGraph graph = text.build();
  const NodeRows rows(graph);
  const Placement placement(rows);
  ASSERT_EQ(placement.levels(), 2U);
  EXPECT_EQ(placement.name(0), "switch2");
  EXPECT_EQ(placement.name(1), "switch1");
}

}  // namespace
}  // namespace copse::plan
