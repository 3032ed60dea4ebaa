// SPDX-License-Identifier: Apache-2.0
//
// Visiting policies: `high` and `low`, written as visits that choose the best k, give the answers of the
// bundled ones, on random machines that grow and shrink and with random requests. See seeds.hpp.
#include <gtest/gtest.h>

#include <string>

#include "property/generator.hpp"
#include "property/replay.hpp"
#include "property/seeds.hpp"

namespace copse::property {
namespace {

void expect_same(const Case& a_case, const std::string& policy, Traverser traverser,
                 std::uint64_t& granted) {
  ReplayOptions bundled{.policy = policy}, visits{.policy = "visits-" + policy};
  bundled.traverser = visits.traverser = traverser;
  bundled.with_oracle = visits.with_oracle = false;
  const Replayed one = replay(a_case, bundled);
  const Replayed other = replay(a_case, visits);
  ASSERT_EQ(one.failure.value_or(""), "") << text(a_case);
  ASSERT_EQ(other.failure.value_or(""), "") << text(a_case);
  ASSERT_EQ(other.answers, one.answers) << text(a_case);
  granted += one.granted;
}

TEST(VisitingPolicies, ChooseAsTheBundledOnes) {
  std::uint64_t granted = 0;
  Seeds seeds(50'000'000, 600);
  seeds.each([&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::small, seed % 2 == 0);
    for (const char* policy : {"high", "low"}) {
      expect_same(a_case, policy, Traverser::simple, granted);
    }
  });
  if (seeds.whole()) {
    EXPECT_GT(granted, seeds.count());
  }
}

}  // namespace
}  // namespace copse::property
