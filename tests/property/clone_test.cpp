// SPDX-License-Identifier: Apache-2.0
//
// Engine::clone in the middle of streams of events: whichever of the two goes on answers as the
// oracle says, and as an engine that was never cloned; the other is disturbed meanwhile. Streams
// with hierarchical resources and of treepool are cloned in their own tests. COPSE_SEEDS and
// COPSE_SEED as in property_test.cpp.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <string>
#include <vector>

#include "copse/policy.hpp"
#include "property/replay.hpp"

namespace copse::property {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

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
  template <class Test>
  void for_seeds(std::uint64_t first, std::uint64_t count, Test test) {
    if (std::getenv("COPSE_SEED") != nullptr) return test(number_of("COPSE_SEED", 0));
#if defined(COPSE_SANITIZED) || defined(__SANITIZE_THREAD__)
    count = (count + 4) / 5;
#endif
    count *= number_of("COPSE_SEEDS", 1);
    for (std::uint64_t seed = first; seed < first + count && !HasFatalFailure(); ++seed) test(seed);
    RecordProperty("answers", std::to_string(answers_));
  }

  std::uint64_t answers_ = 0;
};

TEST_P(ClonedEngine, GoesOnAsItsOriginal) {
  for_seeds(30'000'000, 150, [&](std::uint64_t seed) {
    same_as_its_twin(make_case(seed, MachineSize::small), {.policy = GetParam()});
  });
}

TEST_P(ClonedEngine, GoesOnAsItsOriginalOnLargeMachines) {
  for_seeds(31'000'000, 10, [&](std::uint64_t seed) {
    same_as_its_twin(make_case(seed, MachineSize::large), {.policy = GetParam()});
  });
}

TEST_P(ClonedEngine, GoesOnAsItsOriginalWithALongQueue) {
  for_seeds(32'000'000, 10, [&](std::uint64_t seed) {
    same_as_its_twin(make_case(seed, MachineSize::small, Stream::queue), {.policy = GetParam()});
  });
}

TEST_P(ClonedEngine, GoesOnAsItsOriginalWhereTheMachineChanges) {
  for_seeds(33'000'000, 100, [&](std::uint64_t seed) {
    const Case a_case = make_change_case(seed, MachineSize::small);
    same_as_its_twin(a_case, {.policy = GetParam()});
    for (const Traverser traverser : {Traverser::flexible, Traverser::loop_aware}) {
      same_as_its_twin(a_case,
                       {.policy = GetParam(), .with_oracle = false, .traverser = traverser});
    }
  });
}

TEST_P(ClonedEngine, GoesOnAsItsOriginalUnderOtherTraversers) {
  for_seeds(34'000'000, 60, [&](std::uint64_t seed) {
    const Case a_case = make_case(seed, MachineSize::small);
    for (const Traverser traverser : {Traverser::flexible, Traverser::loop_aware}) {
      same_as_its_twin(a_case,
                       {.policy = GetParam(), .with_oracle = false, .traverser = traverser});
    }
  });
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const Policy& policy : bundled_policies()) names.push_back(policy.name);
  for (const Policy& policy : own_policies()) names.push_back(policy.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Policies, ClonedEngine, ::testing::ValuesIn(policy_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
                           return name;
                         });

}  // namespace
}  // namespace copse::property
