// SPDX-License-Identifier: Apache-2.0
//
// Odd machines that grow and shrink while jobs run: the engine next to the oracle, next to itself
// built again after every event, and next to the walk that stops early nowhere.
//
//   COPSE_SEEDS=N, COPSE_SEED=K  as in property_test.cpp
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "property/replay.hpp"

namespace copse::property {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class OddMachine : public ::testing::TestWithParam<std::string> {};

TEST_P(OddMachine, AnswersAsTheOracleAndItsTwins) {
  const bool one = std::getenv("COPSE_SEED") != nullptr;
  const std::uint64_t first = one ? number_of("COPSE_SEED", 0) : 30'000'000;
  std::uint64_t count = one ? 1 : 300 * number_of("COPSE_SEEDS", 1);
#if defined(COPSE_SANITIZED)
  count = (count + 4) / 5;
#endif
  std::uint64_t events = 0, granted = 0, reserved = 0, refused = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
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
      ASSERT_EQ(other.failure.value_or(""), "") << "COPSE_SEED=" << seed << '\n' << text(a_case);
      ASSERT_EQ(other.answers, replayed.answers) << "COPSE_SEED=" << seed << '\n' << text(a_case);
    }
    events += a_case.events.size();
    granted += replayed.granted;
    reserved += replayed.reserved;
    refused += replayed.refused;
  }
  RecordProperty("events", std::to_string(events));
  if (one) return;
  EXPECT_GT(granted, refused / 10);
  EXPECT_GT(refused, granted / 10);
  EXPECT_GT(reserved, granted / 50);
}

INSTANTIATE_TEST_SUITE_P(Policies, OddMachine,
                         ::testing::Values("first", "high", "low", "hinode", "lonodex",
                                           "firstnodex", "locality", "dice-low"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
                           return name;
                         });

}  // namespace
}  // namespace copse::property
