// SPDX-License-Identifier: Apache-2.0
//
// COPSE_SEEDS: times as many steps.
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace copse::server {
namespace {

TEST(ServiceSimulation, LosesNothingThatWasAnswered) {
  const char* seeds = std::getenv("COPSE_SEEDS");
  const int count = 4 * (seeds == nullptr ? 1 : std::max(1, std::atoi(seeds)));
  std::size_t answers = 0, crashes = 0;
  for (int seed = 1; seed <= count; ++seed) {
    Simulation simulation(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 2'500; ++i) {
      simulation.step();
      ASSERT_EQ(simulation.wrong(), "") << "seed " << seed << ", step " << i;
    }
    answers += simulation.answers();
    crashes += simulation.crashes();
  }
  EXPECT_GT(answers, static_cast<std::size_t>(count) * 500);
  EXPECT_GT(crashes, static_cast<std::size_t>(count));
}

}  // namespace
}  // namespace copse::server
