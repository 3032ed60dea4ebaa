// SPDX-License-Identifier: Apache-2.0
//
// Engine::clone in the middle of streams of events: the engine that continues answers as the oracle
// and as an engine that was never cloned; the other one is changed meanwhile. Streams with
// hierarchical resources and of treepool are cloned in their own tests. See seeds.hpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "property/policy_names.hpp"
#include "property/seeds.hpp"
#include "property/shrink.hpp"

namespace copse::property {
namespace {

class ClonedEngine : public ::testing::TestWithParam<std::string> {
 protected:
  // Replays a case with clones and without.
  void same_as_its_twin(const Case& a_case, ReplayOptions options) {
    options.cloned = true;
    Replayed cloned;
    const std::string failure = check(a_case, options, &cloned);
    ASSERT_TRUE(failure.empty()) << failure;
    options.cloned = options.with_oracle = false;
    ASSERT_EQ(cloned.answers, replay(a_case, options).answers) << text(a_case);
    answers_ += cloned.answers.size();
  }

  std::uint64_t answers_ = 0;
};

TEST_P(ClonedEngine, GoesOnAsItsOriginal) {
  Seeds(30'000'000, 150).each([&](std::uint64_t seed) {
    same_as_its_twin(make_case(seed, MachineSize::small), {.policy = GetParam()});
  });
}

TEST_P(ClonedEngine, GoesOnAsItsOriginalOnLargeMachines) {
  Seeds(31'000'000, 10).each([&](std::uint64_t seed) {
    same_as_its_twin(make_case(seed, MachineSize::large), {.policy = GetParam()});
  });
}

TEST_P(ClonedEngine, GoesOnAsItsOriginalWithALongQueue) {
  Seeds(32'000'000, 10).each([&](std::uint64_t seed) {
    same_as_its_twin(make_case(seed, MachineSize::small, Stream::queue), {.policy = GetParam()});
  });
}

TEST_P(ClonedEngine, GoesOnAsItsOriginalWhereTheMachineChanges) {
  Seeds(33'000'000, 100).each([&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::small);
    same_as_its_twin(a_case, {.policy = GetParam()});
    for (const Traverser traverser : {Traverser::flexible, Traverser::loop_aware}) {
      same_as_its_twin(a_case,
                       {.policy = GetParam(), .with_oracle = false, .traverser = traverser});
    }
  });
}

TEST_P(ClonedEngine, GoesOnAsItsOriginalUnderOtherTraversers) {
  Seeds(34'000'000, 60).each([&](std::uint64_t seed) {
    const Case a_case = make_case(seed, MachineSize::small);
    for (const Traverser traverser : {Traverser::flexible, Traverser::loop_aware}) {
      same_as_its_twin(a_case,
                       {.policy = GetParam(), .with_oracle = false, .traverser = traverser});
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Policies, ClonedEngine, ::testing::ValuesIn(all_policy_names()),
                         [](const auto& test) { return policy_test_name(test); });

}  // namespace
}  // namespace copse::property
