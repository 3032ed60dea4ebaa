// SPDX-License-Identifier: Apache-2.0
//
// COPSE_SEEDS: times as many steps; 100 are a million.
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace copse::server {
namespace {

TEST(ServiceSimulation, LosesNothingThatWasAnswered) {
  const char* seeds = std::getenv("COPSE_SEEDS");
  const int count = 4 * (seeds == nullptr ? 1 : std::max(1, std::atoi(seeds)));
  std::size_t answers = 0, ends = 0, starts = 0, greedy = 0;
  for (int seed = 1; seed <= count; ++seed) {
    Simulation simulation(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 2'500; ++i) {
      simulation.step();
      ASSERT_EQ(simulation.wrong(), "") << "seed " << seed << ", step " << i;
    }
    answers += simulation.answers();
    ends += simulation.ends();
    starts += simulation.starts();
    greedy += simulation.greedy_answers();
  }
  RecordProperty("answers", std::to_string(answers));
  RecordProperty("ends", std::to_string(ends));
  EXPECT_GT(answers, static_cast<std::size_t>(count) * 500);
  EXPECT_GT(ends, static_cast<std::size_t>(count) * 4);
  EXPECT_GT(starts, static_cast<std::size_t>(count) * 20);
  EXPECT_GT(greedy, static_cast<std::size_t>(count) * 500);
}

}  // namespace
}  // namespace copse::server
