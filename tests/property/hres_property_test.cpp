// SPDX-License-Identifier: Apache-2.0
//
// Streams of requests for nodes and hierarchical resources, changes of counts and layers,
// reservations of layers, partial cancels and a clock that advances, on random forests of layers:
// every answer is compared with the oracle's. At most one resource of a request has mode 3 (with
// more, the walk may miss a match); any number have modes 1 and 2.
// See seeds.hpp.
#include <gtest/gtest.h>

#include "property/hres_case.hpp"
#include "property/seeds.hpp"

namespace copse::property {
namespace {

struct Walk {
  const char* name;
  const char* policy;
  Traverser traverser;
};

class HresProperty : public ::testing::TestWithParam<Walk> {};

TEST_P(HresProperty, AnswersAreThoseOfTheOracle) {
  HresCounts counts;
  Seeds seeds(1, 400);
  seeds.each([&](std::uint64_t seed) {
    run_hres_case(seed, GetParam().policy, GetParam().traverser, counts);
  });
  if (!seeds.whole()) return;
  const std::uint64_t count = seeds.count();
  // For 400 cases; with fewer, the counts are lower.
  auto of_400 = [count](std::uint64_t n) { return static_cast<std::int64_t>(n * count / 400); };
  EXPECT_GT(counts.granted, of_400(1000));
  EXPECT_GT(counts.reserved, of_400(300));
  EXPECT_GT(counts.insufficient, of_400(100));
  EXPECT_GT(counts.infeasible, of_400(100));
  EXPECT_GT(counts.kept, of_400(100));
  EXPECT_GT(counts.cut, of_400(100));
  EXPECT_GT(counts.over, of_400(25));  // rare: a count fell below the amount in use
  EXPECT_GT(counts.restructured, of_400(50));
}

INSTANTIATE_TEST_SUITE_P(Walks, HresProperty,
                         ::testing::Values(Walk{"lonode", "lonode", Traverser::simple},
                                           Walk{"low", "low", Traverser::simple},
                                           Walk{"high", "high", Traverser::simple},
                                           Walk{"loop", "lonode", Traverser::loop_aware},
                                           Walk{"treepool", "first", Traverser::treepool}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace copse::property
