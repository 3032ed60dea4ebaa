// SPDX-License-Identifier: Apache-2.0
//
// Properties of any machine, any requests and any stream of events, for every bundled policy. Cases
// come from the seeded generator; a failing one prints its seed and its shortened events.
// See seeds.hpp.
#include <gtest/gtest.h>

#include <string>

#include "copse/policy.hpp"
#include "formats/grug/grug.hpp"
#include "property/custom_policies.hpp"
#include "property/oracle.hpp"
#include "property/policy_names.hpp"
#include "property/seeds.hpp"
#include "property/shrink.hpp"

namespace copse::property {
namespace {

class EveryPolicy : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPolicy, AnswersAsTheOracleAndKeepsItsLaws) {
  std::uint64_t granted = 0, reserved = 0, refused = 0;
  Seeds seeds(1, 1'700);
  seeds.each([&](std::uint64_t seed) {
    Replayed replayed;
    const std::string failure =
        check(make_case(seed, MachineSize::small), {.policy = GetParam()}, &replayed);
    EXPECT_TRUE(failure.empty()) << failure;
    granted += replayed.granted;
    reserved += replayed.reserved;
    refused += replayed.refused;
  });
  // A generator whose requests never fit, or always fit, would test little.
  if (seeds.whole()) {
    EXPECT_GT(granted, refused / 10);
    EXPECT_GT(refused, granted / 10);
    EXPECT_GT(reserved, granted / 50);
  }
}

TEST_P(EveryPolicy, AnswersAsTheOracleOnLargeMachines) {
  Seeds(1'000'000, 80).each([&](std::uint64_t seed) {
    const std::string failure = check(make_case(seed, MachineSize::large), {.policy = GetParam()});
    EXPECT_TRUE(failure.empty()) << failure;
  });
}

TEST_P(EveryPolicy, AnswersAsTheOracleWithALongQueue) {
  Seeds(5'000'000, 25).each([&](std::uint64_t seed) {
    const Case a_case = make_case(seed, MachineSize::small, Stream::queue);
    const std::string failure = check(a_case, {.policy = GetParam()});
    EXPECT_TRUE(failure.empty()) << failure;
  });
}

// The walk that never stops early is a second reference, which shares the state with the first.
TEST_P(EveryPolicy, AnswersAsTheExhaustiveWalk) {
  auto same = [&](const Case& a_case) {
    const Replayed early = replay(a_case, {.policy = GetParam(), .with_oracle = false});
    const Replayed all =
        replay(a_case, {.policy = GetParam(), .with_oracle = false, .exhaustive = true});
    EXPECT_EQ(early.answers, all.answers) << text(a_case);
    EXPECT_EQ(all.failure.value_or(""), "") << text(a_case);
  };
  Seeds(6'000'000, 600).each([&](std::uint64_t seed) {
    same(make_case(seed, MachineSize::small));
  });
  Seeds(7'000'000, 20).each([&](std::uint64_t seed) { same(make_case(seed, MachineSize::large)); });
}

// Every slot next to a second one with less or more contents, or the two as variants: the grants
// must satisfy the invariants of all grants.
void add_alternatives(std::vector<Resource>& resources, Random& random) {
  const std::size_t count = resources.size();
  for (std::size_t i = 0; i < count; ++i) {
    add_alternatives(resources[i].with, random);
    if (!resources[i].is_slot()) continue;
    Resource other = resources[i];
    for (Resource& r : other.with) {
      if (r.count.moldable()) continue;
      r.count.min = r.count.max = std::max<std::int64_t>(1, r.count.min + random.between(-1, 2));
    }
    if (other.with.size() > 1 && random.between(0, 2) == 0) other.with.pop_back();
    const std::int64_t kind = random.between(0, 5);
    if (kind == 0) resources[i].type = other.type = "xor_slot";
    if (kind <= 3) resources.push_back(std::move(other));
  }
}

TEST_P(EveryPolicy, KeepsItsLawsWithAlternatives) {
  std::uint64_t granted = 0, reserved = 0, refused = 0;
  Seeds seeds(8'000'000, 500);
  seeds.each([&](std::uint64_t seed) {
    Case a_case = make_case(seed, MachineSize::small);
    Random random(seed);
    for (Request& request : a_case.requests) add_alternatives(request.resources, random);
    Replayed replayed;
    const std::string failure = check(
        a_case, {.policy = GetParam(), .with_oracle = false, .traverser = Traverser::flexible},
        &replayed);
    EXPECT_TRUE(failure.empty()) << failure;
    granted += replayed.granted;
    reserved += replayed.reserved;
    refused += replayed.refused;
  });
  if (seeds.whole()) {
    EXPECT_GT(granted, refused / 20);
    EXPECT_GT(reserved, granted / 50);
  }
}

TEST_P(EveryPolicy, IsDeterministic) {
  Seeds(2'000'000, 60).each([&](std::uint64_t seed) {
    const ReplayOptions options{.policy = GetParam(), .with_oracle = false};
    const Case a_case = make_case(seed, MachineSize::small);
    EXPECT_EQ(text(a_case), text(make_case(seed, MachineSize::small)));
    EXPECT_EQ(replay(a_case, options).answers, replay(a_case, options).answers) << "seed " << seed;
  });
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const Policy& policy : bundled_policies()) names.push_back(policy.name);
  for (const Policy& policy : custom_policies()) names.push_back(policy.name);
  // Combinations that no bundled policy has.
  names.emplace_back("policy=low node_exclusive=true");
  names.emplace_back("stop_on_1_matches=true policy=low node_centric=true");
  names.emplace_back("policy=high stop_on_1_matches=true");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Bundled, EveryPolicy, ::testing::ValuesIn(policy_names()),
                         [](const auto& test) { return policy_test_name(test); });

TEST(Generator, PlainMachinesAreWhatTheirRecipesMake) {
  Seeds(3'000'000, 200).each([](std::uint64_t seed) {
    Random random(seed);
    const Machine machine = expand_recipe(make_recipe(random));
    const auto built = machine.build();
    const auto read = read_grug(machine.grug);
    ASSERT_TRUE(built) << built.error().message();
    ASSERT_TRUE(read) << read.error().message() << '\n' << machine.grug;
    ASSERT_EQ(built->pool_count(), read->pool_count());
    for (std::uint32_t v = 0; v < built->pool_count(); ++v) {
      const PoolId p{v};
      ASSERT_EQ(built->path(p, built->dominant()), read->path(p, read->dominant()))
          << "seed " << seed;
      ASSERT_EQ(built->uniq_id(p), read->uniq_id(p)) << "seed " << seed;
      ASSERT_EQ(built->size(p), read->size(p));
      ASSERT_EQ(built->rank(p), read->rank(p));
    }
  });
}

TEST(Generator, JobspecsReadBackAsTheRequest) {
  Seeds(4'000'000, 500).each([](std::uint64_t seed) {
    const Case a_case = make_case(seed, MachineSize::small);
    for (const Request& request : a_case.requests) {
      const std::string before = jobspec_text(request);
      const auto read = parse_jobspec(before);
      ASSERT_TRUE(read) << read.error().message() << '\n' << before;
      EXPECT_EQ(jobspec_text(*read), before);
    }
  });
}

TEST(OracleCounts, AreAsTheSpecificationSays) {
  const Count plus{.min = 2, .max = 9, .operand = 3, .op = '+'};
  EXPECT_EQ(effective_count(plus, 1), 0);
  EXPECT_EQ(effective_count(plus, 2), 2);
  EXPECT_EQ(effective_count(plus, 7), 5);
  EXPECT_EQ(effective_count(plus, 100), 8);
  const Count times{.min = 3, .max = 50, .operand = 2, .op = '*'};
  EXPECT_EQ(effective_count(times, 23), 12);
  EXPECT_EQ(effective_count(times, 100), 48);
  const Count power{.min = 2, .max = 300, .operand = 2, .op = '^'};
  EXPECT_EQ(effective_count(power, 15), 4);
  EXPECT_EQ(effective_count(power, 1'000), 256);
}

}  // namespace
}  // namespace copse::property
