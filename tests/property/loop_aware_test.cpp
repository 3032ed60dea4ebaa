// SPDX-License-Identifier: Apache-2.0
//
// The loop-aware traverser compared with a trial of all placements, on machines small enough for
// that: whether there is a match, at which time, and that the grant is one; if the simple walk
// finds a match, the answer must equal it.
// See seeds.hpp.
#include <gtest/gtest.h>

#include <string>

#include "copse/policy.hpp"
#include "property/loop_generator.hpp"
#include "property/seeds.hpp"
#include "property/shrink.hpp"

namespace copse::property {
namespace {

class LoopAware : public ::testing::TestWithParam<std::string> {};

TEST_P(LoopAware, FindsWhatThereIs) {
  std::uint64_t granted = 0, reserved = 0, refused = 0, searched = 0;
  Seeds seeds(1, 1'000);
  seeds.each([&](std::uint64_t seed) {
    Replayed replayed;
    const std::string failure =
        check(make_loop_case(seed), {.policy = GetParam(), .traverser = Traverser::loop_aware},
              &replayed);
    ASSERT_TRUE(failure.empty()) << failure;
    granted += replayed.granted;
    reserved += replayed.reserved;
    refused += replayed.refused;
    searched += replayed.searched;
  });
  RecordProperty("granted", std::to_string(granted));
  RecordProperty("reserved", std::to_string(reserved));
  RecordProperty("refused", std::to_string(refused));
  RecordProperty("searched", std::to_string(searched));
  if (!seeds.whole()) return;
  const std::uint64_t count = seeds.count();
  // Cases that never fit, or that the simple walk serves, would test little.
  EXPECT_GT(granted, count / 2);
  EXPECT_GT(reserved, count / 4);
  EXPECT_GT(refused, count / 2);
  EXPECT_GT(searched, count / 2);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& policy) {
  std::string out = policy.param;
  std::erase(out, '-');
  return out;
}

INSTANTIATE_TEST_SUITE_P(Policies, LoopAware,
                         ::testing::Values("first", "low", "high", "hinode", "lonodex",
                                           "firstnodex", "locality", "dice-high"),
                         test_name);

}  // namespace
}  // namespace copse::property
