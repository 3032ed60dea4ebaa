// SPDX-License-Identifier: Apache-2.0
#include "host/machine_setup.hpp"

#include <gtest/gtest.h>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

std::string policy_on(ResourceGraph graph, const MachineSetup& setup) {
  Machine machine;
  machine.graph = std::move(graph);
  const auto engine = make_engine(setup, std::move(machine));
  return engine ? (*engine)->options().policy.name : engine.error().text;
}

ResourceGraph one_rack() {
  GraphText text;
  const auto cluster = text.pool({.type = "cluster", .id = 0});
  const auto rack = text.child(cluster, {.type = "rack", .id = 0});
  for (int id = 0; id < 3; ++id) {
    text.child(text.child(rack, {.type = "node", .id = id}), {.type = "core", .id = 0});
  }
  return text.build();
}

// As copse serve does; others keep the policy of their setup.
TEST(MachineSetup, AMachineOfSeveralRacksHasFewRacksUnlessAPolicyIsGiven) {
  MachineSetup setup;
  EXPECT_EQ(policy_on(machine(), setup), "first");
  setup.policy_by_levels = true;
  EXPECT_EQ(policy_on(machine(), setup), "few-racks");
  EXPECT_EQ(policy_on(one_rack(), setup), "first");
  setup.policy = "low";
  setup.policy_given = true;
  EXPECT_EQ(policy_on(machine(), setup), "low");
}

}  // namespace
}  // namespace copse
