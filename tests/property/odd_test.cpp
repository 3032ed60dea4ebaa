// SPDX-License-Identifier: Apache-2.0
//
// Unusual machines that grow and shrink while jobs run: the engine compared with the oracle, with
// itself rebuilt after every event, and with the walk that never stops early.
// See seeds.hpp.
#include <gtest/gtest.h>

#include <string>

#include "property/policy_names.hpp"
#include "property/seeds.hpp"
#include "property/shrink.hpp"

namespace copse::property {
namespace {

class OddMachine : public ::testing::TestWithParam<std::string> {};

TEST_P(OddMachine, AnswersAsTheOracleAndItsTwins) {
  std::uint64_t granted = 0, reserved = 0, refused = 0;
  Seeds seeds(30'000'000, 300);
  seeds.each([&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::small, true);
    const ReplayOptions options{.policy = GetParam()};
    Replayed replayed;
    const std::string failure = check(a_case, options, &replayed);
    ASSERT_TRUE(failure.empty()) << failure;
    ReplayOptions rebuilt = options, exhaustive = options;
    rebuilt.with_oracle = exhaustive.with_oracle = false;
    rebuilt.rebuilt = true;
    exhaustive.exhaustive = true;
    for (const ReplayOptions& twin : {rebuilt, exhaustive}) {
      const Replayed other = replay(a_case, twin);
      ASSERT_EQ(other.failure.value_or(""), "") << text(a_case);
      ASSERT_EQ(other.answers, replayed.answers) << text(a_case);
    }
    granted += replayed.granted;
    reserved += replayed.reserved;
    refused += replayed.refused;
  });
  if (!seeds.whole()) return;
  EXPECT_GT(granted, refused / 10);
  EXPECT_GT(refused, granted / 10);
  EXPECT_GT(reserved, granted / 50);
}

INSTANTIATE_TEST_SUITE_P(Policies, OddMachine,
                         ::testing::Values("first", "high", "low", "hinode", "lonodex",
                                           "firstnodex", "locality", "dice-low"),
                         [](const auto& test) { return policy_test_name(test); });

}  // namespace
}  // namespace copse::property
