// SPDX-License-Identifier: Apache-2.0
//
// Engines that became equal in different ways give the same answers to long streams from then on.
// See seeds.hpp.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "copse/save.hpp"
#include "property/endless.hpp"
#include "property/policy_names.hpp"
#include "property/reborn.hpp"
#include "property/seeds.hpp"

namespace copse::property {
namespace {

class EqualEngines : public ::testing::TestWithParam<std::string> {
 protected:
  // An engine after a case's requests, from a seed.
  static Endless begun(const Case& a_case, std::uint64_t seed) {
    auto graph = a_case.machine.build();
    EXPECT_TRUE(graph.has_value());
    auto engine =
        Engine::create(std::move(*graph), {.policy = *find_policy(GetParam(), custom_policies()),
                                           .prune_filters = a_case.machine.prune_filters,
                                           .now = a_case.machine.now,
                                           .horizon = a_case.machine.horizon});
    EXPECT_TRUE(engine.has_value());
    Endless out(std::move(*engine), a_case.requests);
    (void)out.go(seed, 200);
    return out;
  }
};

// Both get streams of their own, and must not affect each other.
TEST_P(EqualEngines, ACloneAndItsOriginalGoOnForTenThousandRequests) {
  std::uint64_t granted = 0;
  Seeds(40'000'000, 2).each([&](std::uint64_t seed) {
    const Case a_case = make_case(seed, MachineSize::small);
    Endless original = begun(a_case, seed);
    Endless clone = original.clone();
    Endless one = begun(a_case, seed), other = begun(a_case, seed);
    for (int part = 0; part < 10; ++part) {  // in turns: both write shared parts
      const std::uint64_t here = seed * 100 + static_cast<std::uint64_t>(part);
      ASSERT_EQ(original.go(here, 1'000), one.go(here, 1'000)) << "the original, part " << part;
      ASSERT_EQ(clone.go(here + 50, 1'000), other.go(here + 50, 1'000))
          << "the clone, part " << part;
      ASSERT_EQ(original.engine().fingerprint(), one.engine().fingerprint());
      ASSERT_EQ(clone.engine().fingerprint(), other.engine().fingerprint());
    }
    granted += original.granted() + clone.granted();
  });
  EXPECT_GT(granted, 100U);
}

TEST_P(EqualEngines, WhatWasLoadedAnswersTheNextThousandRequests) {
  Seeds(41'000'000, 10).each([&](std::uint64_t seed) {
    const Case a_case = make_case(seed, MachineSize::small);
    Endless saved = begun(a_case, seed), loaded = begun(a_case, seed);
    auto again = load(save(saved.engine()), custom_policies());
    ASSERT_TRUE(again.has_value()) << again.error().message();
    ASSERT_EQ(again->engine->fingerprint(), saved.engine().fingerprint());
    loaded.replace(std::move(again->engine));
    EXPECT_EQ(loaded.go(seed + 1, 1'000), saved.go(seed + 1, 1'000));
    EXPECT_EQ(loaded.engine().fingerprint(), saved.engine().fingerprint());
  });
}

TEST_P(EqualEngines, ATwinByEffectsAnswersTheNextThousandRequests) {
  Seeds(42'000'000, 10).each([&](std::uint64_t seed) {
    const Case a_case = make_case(seed, MachineSize::small);
    Endless done = begun(a_case, seed), replayed = begun(a_case, seed);
    Twin twin;
    ASSERT_EQ(twin.follow(done.engine()), "");
    const std::uint64_t answers = done.go(seed + 1, 300);
    ASSERT_EQ(twin.catch_up(), "");
    ASSERT_EQ(replayed.go(seed + 1, 300), answers);
    done.engine().observe(nullptr);
    replayed.replace(twin.leave());
    EXPECT_EQ(replayed.go(seed + 2, 1'000), done.go(seed + 2, 1'000));
    EXPECT_EQ(replayed.engine().fingerprint(), done.engine().fingerprint());
  });
}

INSTANTIATE_TEST_SUITE_P(Policies, EqualEngines, ::testing::ValuesIn(all_policy_names()),
                         [](const auto& test) { return policy_test_name(test); });

}  // namespace
}  // namespace copse::property
