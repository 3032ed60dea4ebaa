// SPDX-License-Identifier: Apache-2.0
//
// Machines with pools that have several parents, under every traverser that supports them. See
// seeds.hpp.
#include "property/ways_generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "copse/engine.hpp"
#include "property/policy_names.hpp"
#include "property/seeds.hpp"
#include "property/shrink.hpp"

namespace copse::property {
namespace {

constexpr Traverser kTraversers[] = {Traverser::simple, Traverser::flexible, Traverser::loop_aware};

class SeveralParents : public ::testing::TestWithParam<std::string> {};

TEST_P(SeveralParents, NoUnitIsGrantedTwiceAndTheStateComesBack) {
  std::uint64_t granted = 0, reserved = 0, refused = 0;
  Seeds seeds(24'000'000, 300);
  seeds.each([&](std::uint64_t seed) {
    for (Traverser traverser : kTraversers) {
      Replayed replayed;
      const std::string failure =
          check(make_ways_case(seed),
                {.policy = GetParam(), .with_oracle = false, .traverser = traverser}, &replayed);
      EXPECT_TRUE(failure.empty()) << "traverser " << static_cast<int>(traverser) << ' ' << failure;
      granted += replayed.granted;
      reserved += replayed.reserved;
      refused += replayed.refused;
    }
  });
  if (seeds.whole()) {
    EXPECT_GT(granted, refused / 20);
    EXPECT_GT(refused, granted / 10);
    EXPECT_GT(reserved, granted / 50);
  }
}

// A case in which a job had shared and hidden pools alone of what was removed.
TEST_P(SeveralParents, LoseWhatIsSharedOrHidden) {
  for (Traverser traverser : kTraversers) {
    const std::string failure =
        check(make_ways_case(24'003'879),
              {.policy = GetParam(), .with_oracle = false, .traverser = traverser});
    EXPECT_TRUE(failure.empty()) << failure;
  }
}

// A case in which all of a request is shared, and a pool has a node above it on another path only.
TEST_P(SeveralParents, TakeNothingOfAPathThatWasNotWalked) {
  for (Traverser traverser : kTraversers) {
    const std::string failure =
        check(make_ways_case(24'006'358),
              {.policy = GetParam(), .with_oracle = false, .traverser = traverser});
    EXPECT_TRUE(failure.empty()) << failure;
  }
}

// A rebuilt graph has the same tree, with all data of its pools.
TEST_P(SeveralParents, AnswersTheSameWhenItsGraphIsBuiltAgain) {
  Seeds(25'000'000, 100).each([&](std::uint64_t seed) {
    const Case a_case = make_ways_case(seed);
    for (Traverser traverser : kTraversers) {
      ReplayOptions options{.policy = GetParam(), .with_oracle = false, .traverser = traverser};
      const auto answers = replay(a_case, options).answers;
      options.rebuilt = true;
      const Replayed twin = replay(a_case, options);
      EXPECT_EQ(twin.failure.value_or(""), "") << text(a_case);
      ASSERT_EQ(twin.answers, answers)
          << "traverser " << static_cast<int>(traverser) << ' ' << text(a_case);
    }
  });
}

// Policies prefer different pools; if one of them finds a match on the empty machine, no other may
// answer infeasible, whatever the order of visits. (Except `first`, which stops when it has
// enough.)
TEST(WaysOfPools, AnOrderOfVisitsProvesNothing) {
  std::uint64_t unknown = 0;
  Seeds seeds(26'000'000, 600);
  seeds.each([&](std::uint64_t seed) {
    const Case a_case = make_ways_case(seed);
    const auto& pools = a_case.machine.pools;
    if (std::any_of(pools.begin(), pools.end(), [](const auto& p) { return p.size != 1; })) return;
    for (const Traverser traverser : kTraversers) {
      for (const Request& request : a_case.requests) {
        std::vector<std::string> found, infeasible;
        for (const char* policy : {"high", "low", "hinode", "lonode", "locality"}) {
          auto graph = a_case.machine.build();
          ASSERT_TRUE(graph) << text(a_case);
          auto engine = Engine::create(std::move(*graph),
                                       {.policy = *find_policy(policy), .traverser = traverser});
          ASSERT_TRUE(engine);
          auto prepared = (*engine)->prepare(request);
          ASSERT_TRUE(prepared);
          const auto match = (*engine)->match(Operation::satisfiability, *prepared, 1);
          if (match) found.emplace_back(policy);
          if (!match && match.error().code == ErrorCode::infeasible)
            infeasible.emplace_back(policy);
          unknown += !match && match.error().code == ErrorCode::insufficient ? 1 : 0;
        }
        ASSERT_TRUE(found.empty() || infeasible.empty())
            << "COPSE_SEED=" << seed << " traverser " << static_cast<int>(traverser) << ": "
            << found[0] << " finds something, " << infeasible[0] << " says infeasible\n"
            << jobspec_text(request) << text(a_case);
      }
    }
  });
  if (seeds.whole()) {
    EXPECT_GT(unknown, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, SeveralParents,
                         ::testing::Values("first", "high", "low", "hinode", "lonode", "lonodex",
                                           "firstnodex", "locality", "variation", "dice-high"),
                         [](const auto& test) { return policy_test_name(test); });

}  // namespace
}  // namespace copse::property
