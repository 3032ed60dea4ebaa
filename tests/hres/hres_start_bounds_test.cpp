// SPDX-License-Identifier: Apache-2.0
#include "hres/hres_start_bounds.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "hres/availability/layer_availability.hpp"
#include "hres/machine_of_nodes.hpp"
#include "property/random.hpp"

namespace copse {
namespace {

constexpr std::int64_t kHorizon = 1000, kLast = 60;

TEST(HresStartBounds, WaitsForTheLayersOfSomeNode) {
  HresOnNodes on(4, R"(
- {resource: a, mode: MODE_2, layers: [{nodes: "n[0-3]", count: 5}, {nodes: "n[0-1]", count: 3}]}
- {resource: b, mode: MODE_1, layers: [{nodes: "n[2-3]", count: 5}]}
)");
  const LayerCharge all[] = {{0, 4}}, some[] = {{1, 3}}, other[] = {{2, 5}};
  on.hres.apply(1, all, 0, 20, 1);
  on.hres.apply(2, some, 0, 50, 1);
  on.hres.apply(3, other, 0, 30, 1);
  HresStartBounds times(on.hres);
  times.begin(on.needs({{"a", "", 1}}), 9, 10, kHorizon, 1);
  EXPECT_EQ(times.earliest(0), 0);  // n2
  times.begin(on.needs({{"a", "", 2}}), 9, 10, kHorizon, 1);
  EXPECT_EQ(times.earliest(5), 20);
  EXPECT_EQ(times.earliest(21), 21);
  times.begin(on.needs({{"a", "", 2}, {"b", "", 1}}), 9, 10, kHorizon, 1);
  EXPECT_EQ(times.earliest(1), 30);
  times.begin(on.needs({{"a", "", 2}, {"b", "", 1}}, true), 9, 10, kHorizon, 1);
  EXPECT_EQ(times.earliest(1), 20);
  times.begin(on.needs({{"a", "", 6}}), 9, 10, kHorizon, 1);
  EXPECT_FALSE(times.earliest(1).has_value());
}

TEST(HresStartBounds, TheRootHasToHaveEnoughForAllNodes) {
  HresOnNodes on(4, "- {resource: t, mode: MODE_3, layers: [{nodes: 'n[0-3]', count: 9}]}");
  const LayerCharge charges[] = {{0, 4}};
  on.hres.apply(1, charges, 0, 20, 1);
  HresStartBounds times(on.hres);
  times.begin(on.needs({{"t", "", 2}}), 9, 10, kHorizon, 2);
  EXPECT_EQ(times.earliest(1), 1);
  times.begin(on.needs({{"t", "", 2}}), 9, 10, kHorizon, 3);
  EXPECT_EQ(times.earliest(1), 20);
  times.begin(on.needs({{"t", "", 2}}), 9, 10, kHorizon, INT64_MAX);
  EXPECT_FALSE(times.earliest(1).has_value());
}

// Never later than the first time at which enough nodes are available, and never earlier than
// before.
TEST(HresStartBounds, IsNeverLaterThanTheTrueEarliest) {
  int later = 0, exact = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    property::Random random(seed);
    const auto count = [&] { return random.between(3, 9); };
    HresOnNodes on(
        6, fmt::format("- {{resource: a, mode: MODE_1, layers: [{{nodes: 'n[0-5]', count: {}}}, "
                       "{{nodes: 'n[1-3]', count: {}}}]}}\n"
                       "- {{resource: b, mode: MODE_2, layers: [{{nodes: 'n[0-5]', count: {}}}, "
                       "{{nodes: 'n[2-4]', count: {}}}, {{nodes: n0, count: {}}}]}}\n"
                       "- {{resource: c, mode: MODE_3, layers: [{{nodes: 'n[0-5]', count: {}}}, "
                       "{{nodes: 'n[0-2]', count: {}}}, {{nodes: 'n[3-5]', count: {}}}]}}\n",
                       count(), count(), count(), count(), count(), count() * 2, count(), count()));
    // Reservations before charges: some charges then exceed the withheld amount.
    const auto nobody = [](HresTable::Job) { return std::nullopt; };
    for (int r = 0; r < 6; ++r) {
      const HresTable::Layer& layer = on.hres.layers()[random.below(8)];
      const std::int64_t start = random.between(0, kLast - 5);
      (void)on.hres.reserve({std::to_string(r),
                             on.hres.resources()[layer.resource].name,
                             layer.text,
                             random.between(1, 6),
                             start,
                             random.between(start + 1, kLast),
                             {random.below(3) + 1}},
                            nobody);
    }
    for (HresTable::Job job = 1; job < 12; ++job) {
      const std::int64_t start = random.between(0, kLast - 5);
      const LayerCharge charges[] = {
          {static_cast<std::uint32_t>(random.below(8)), random.between(1, 4)}};
      on.hres.apply(job, charges, start, random.between(start + 1, kLast), 1);
    }
    std::vector<HresItem> items;
    for (const char* name : {"a", "b", "c"}) {
      if (random.chance(60)) items.push_back({name, "", random.between(1, 5)});
    }
    if (items.empty()) continue;
    const HresNeeds needs = on.needs(items, random.chance(30));
    const HresTable::Job job = random.below(20) + 1;
    const std::int64_t duration = random.between(1, 25), nodes = random.between(1, 3);
    HresStartBounds times(on.hres);
    times.begin(needs, job, duration, kHorizon, nodes);
    ChargeLedger ledger;
    LayerAvailability availability(on.graph, on.hres, ledger);
    const auto serves = [&](std::int64_t t) {
      for (const auto& alternative : needs.alternatives) {
        ledger.begin();
        availability.begin(alternative, job, t, t + duration, false);
        int taken = 0;
        for (int n = 0; n < 6; ++n) taken += availability.take(node_of(on.graph, n)) ? 1 : 0;
        if (taken >= nodes) return true;
      }
      return false;
    };
    std::int64_t from = 0;
    while (from <= kLast) {
      const auto bound = times.earliest(from);
      std::int64_t first = from;
      while (first <= kLast && !serves(first)) ++first;
      if (first <= kLast) {
        ASSERT_TRUE(bound.has_value()) << "seed " << seed;
        ASSERT_LE(*bound, first) << "seed " << seed;
        ASSERT_GE(*bound, from) << "seed " << seed;
        (*bound == first ? exact : later) += 1;
      }
      from = (bound ? std::max(*bound, from) : kLast) + random.between(1, 9);
    }
  }
  EXPECT_GT(exact, later);
  EXPECT_GT(later, 0);
}

}  // namespace
}  // namespace copse
