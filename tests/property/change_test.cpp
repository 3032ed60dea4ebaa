// SPDX-License-Identifier: Apache-2.0
//
// Machines that grow and shrink while jobs run, compared with the oracle: attach, remove, update,
// partial cancel and all other events, in any order. See seeds.hpp.
#include <gtest/gtest.h>

#include <string>

#include "property/policy_names.hpp"
#include "property/seeds.hpp"
#include "property/shrink.hpp"

namespace copse::property {
namespace {

class ChangingMachine : public ::testing::TestWithParam<std::string> {};

TEST_P(ChangingMachine, AnswersAsTheOracleAndKeepsItsLaws) {
  std::uint64_t granted = 0, reserved = 0, refused = 0;
  Seeds seeds(20'000'000, 800);
  seeds.each([&](std::uint64_t seed) {
    Replayed replayed;
    const Case a_case = make_change_case(seed, MachineSize::small);
    const std::string failure = check(a_case, {.policy = GetParam()}, &replayed);
    EXPECT_TRUE(failure.empty()) << failure;
    granted += replayed.granted;
    reserved += replayed.reserved;
    refused += replayed.refused;
  });
  if (seeds.whole()) {
    EXPECT_GT(granted, refused / 10);
    EXPECT_GT(refused, granted / 10);
    EXPECT_GT(reserved, granted / 50);
  }
}

TEST_P(ChangingMachine, AnswersTheSameWhenItIsSavedAndLoadedAllTheTime) {
  Seeds(25'000'000, 60).each([&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::small);
    const std::string failure = check(a_case, {.policy = GetParam(), .reloaded = true});
    EXPECT_TRUE(failure.empty()) << failure;
  });
}

TEST_P(ChangingMachine, ATwinByEffectsIsTheSame) {
  Seeds(26'000'000, 60).each([&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::small);
    const std::string failure = check(a_case, {.policy = GetParam(), .twinned = true});
    EXPECT_TRUE(failure.empty()) << failure;
  });
}

TEST_P(ChangingMachine, AnswersAsTheOracleOnLargeMachines) {
  Seeds(21'000'000, 30).each([&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::large);
    const std::string failure = check(a_case, {.policy = GetParam()});
    EXPECT_TRUE(failure.empty()) << failure;
  });
}

TEST_P(ChangingMachine, AnswersTheSameWhenItsGraphIsBuiltAgain) {
  Seeds(22'000'000, 300).each([&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::small);
    const std::string failure = check(a_case, {.policy = GetParam(), .compacted = true});
    EXPECT_TRUE(failure.empty()) << failure;
  });
}

// The other traversers give the same answers whether the graph was rebuilt or not.
TEST_P(ChangingMachine, KeepsItsLawsUnderOtherTraversers) {
  Seeds(23'000'000, 120).each([&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::small);
    for (Traverser traverser : {Traverser::flexible, Traverser::loop_aware}) {
      ReplayOptions options{.policy = GetParam(), .with_oracle = false, .traverser = traverser};
      const std::string failure = check(a_case, options);
      EXPECT_TRUE(failure.empty()) << failure;
      const auto answers = replay(a_case, options).answers;
      options.compacted = true;
      EXPECT_EQ(replay(a_case, options).answers, answers) << text(a_case);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Policies, ChangingMachine,
                         ::testing::Values("first", "high", "low", "hinode", "lonode", "lonodex",
                                           "firstnodex", "locality", "variation", "dice-high",
                                           "dice-low", "stop_on_1_matches=true policy=low"),
                         [](const auto& test) { return policy_test_name(test); });

}  // namespace
}  // namespace copse::property
