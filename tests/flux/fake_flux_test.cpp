// SPDX-License-Identifier: Apache-2.0
#include "fake_flux.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace copse::flux {
namespace {

int factor() {
  const char* seeds = std::getenv("COPSE_SEEDS");
  return seeds == nullptr ? 1 : std::max(1, std::atoi(seeds));
}

class FakeFluxEvents : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Disciplines, FakeFluxEvents,
                         ::testing::Values("fcfs", "easy", "hybrid", "conservative"));

// No resource is allocated without a job, and every job is answered once. COPSE_SEEDS multiplies the
// number of seeds.
TEST_P(FakeFluxEvents, LeaveNothingBookedThatNobodyHolds) {
  const int seeds = 8 * factor();
  std::size_t started = 0, reloads = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    FakeFlux flux({.seed = static_cast<std::uint64_t>(seed),
                   .nodes = 3 + seed % 7,
                   .cores = 2 + seed % 4,
                   .queue_policy = GetParam()});
    for (int step = 0; step < 250 && flux.wrong().empty(); ++step) flux.step();
    if (flux.wrong().empty()) flux.finish();
    ASSERT_TRUE(flux.wrong().empty()) << "seed " << seed << ": " << flux.wrong().front();
    started += flux.started();
    reloads += flux.reloads();
  }
  EXPECT_GT(started, static_cast<std::size_t>(seeds) * 10);
  EXPECT_GT(reloads, 0U);
}

}  // namespace
}  // namespace copse::flux
