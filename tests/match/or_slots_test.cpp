// SPDX-License-Identifier: Apache-2.0
//
// match/flexible/or_slots.hpp compared with a trial of all sequences, and its bound.
#include "match/flexible/or_slots.hpp"

#include <gtest/gtest.h>

#include <random>

namespace copse {
namespace {

using Units = std::vector<std::int64_t>;  // by type; 0: not listed
using Sequence = std::vector<std::uint32_t>;

struct Problem {
  std::vector<Units> sizes;  // by type, of the groups
  std::vector<Units> alternatives;
};

Sequence choose(OrSlots& slots, const Problem& p, std::int64_t most) {
  slots.clear();
  for (const Units& sizes : p.sizes) slots.add_type(sizes);
  for (const Units& alternative : p.alternatives) {
    slots.add_alternative();
    for (std::uint32_t t = 0; t < alternative.size(); ++t) {
      if (alternative[t] > 0) slots.add_part(t, alternative[t]);
    }
  }
  const auto chosen = slots.choose(most);
  return {chosen.begin(), chosen.end()};
}

// Takes a slot's groups, one by one; false if there are too few.
bool take(const Problem& p, const Units& alternative, std::vector<std::size_t>& gone) {
  for (std::size_t t = 0; t < alternative.size(); ++t) {
    for (std::int64_t have = 0; have < alternative[t];) {
      if (gone[t] == p.sizes[t].size()) return false;
      have += p.sizes[t][gone[t]++];
    }
  }
  return true;
}

// The longest sequence; of several, the first in the order of alternatives.
Sequence try_all(const Problem& p, const std::vector<std::size_t>& gone, std::int64_t most) {
  Sequence best;
  for (std::uint32_t a = 0; a < p.alternatives.size() && most > 0; ++a) {
    std::vector<std::size_t> next = gone;
    if (!take(p, p.alternatives[a], next)) continue;
    Sequence rest = try_all(p, next, most - 1);
    if (rest.size() + 1 <= best.size()) continue;
    rest.insert(rest.begin(), a);
    best = std::move(rest);
  }
  return best;
}

TEST(OrSlots, TheFirstThatFitsIfOneIsWanted) {
  OrSlots slots;
  const Problem p{{Units(9, 1), {1}}, {{10, 0}, {8, 1}, {9, 0}}};
  EXPECT_EQ(choose(slots, p, 1), Sequence{1});
  EXPECT_EQ(choose(slots, {{Units(9, 1), {}}, p.alternatives}, 1), Sequence{2});
  EXPECT_EQ(choose(slots, {{Units(7, 1), {1}}, p.alternatives}, 1), Sequence{});
  EXPECT_EQ(choose(slots, p, 0), Sequence{});
}

TEST(OrSlots, AsManyAsPossible) {
  OrSlots slots;
  // The large slot first would leave room for only one more.
  const Problem p{{Units(10, 1)}, {{8}, {2}}};
  EXPECT_EQ(choose(slots, p, 5), (Sequence{1, 1, 1, 1, 1}));
  EXPECT_EQ(choose(slots, p, 2), (Sequence{0, 1}));
  EXPECT_TRUE(slots.complete());
}

TEST(OrSlots, WholeGroupsAreTaken) {
  OrSlots slots;
  // There are 16 units, but a slot of 6 needs two groups of 4: two slots are the most.
  const Problem p{{Units(4, 4)}, {{6}}};
  EXPECT_EQ(choose(slots, p, 5), (Sequence{0, 0}));
}

TEST(OrSlots, AsTryingEverything) {
  std::mt19937 random(20);
  auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  OrSlots slots;  // the same object for all: one problem must not affect the next
  for (int round = 0; round < 3'000; ++round) {
    Problem p;
    const int types = between(1, 3), alternatives = between(1, 4);
    for (int t = 0; t < types; ++t) {
      Units& sizes = p.sizes.emplace_back();
      const bool even = between(0, 1) == 0;
      for (int n = between(0, 9); n > 0; --n) sizes.push_back(even ? 1 : between(1, 4));
    }
    for (int a = 0; a < alternatives; ++a) {
      Units units;
      for (int t = 0; t < types; ++t) units.push_back(between(0, 4));
      units[static_cast<std::size_t>(between(0, types - 1))] = between(1, 5);
      p.alternatives.push_back(std::move(units));
    }
    const std::int64_t most = between(1, 6);
    const Sequence wanted = try_all(p, std::vector<std::size_t>(p.sizes.size(), 0), most);
    ASSERT_EQ(choose(slots, p, most), wanted) << "round " << round;
    ASSERT_TRUE(slots.complete());
  }
}

// Far more states than are kept: it still answers, with slots that can be formed.
TEST(OrSlots, IsBounded) {
  Problem p;
  for (int t = 0; t < 5; ++t) p.sizes.emplace_back(200, 1);
  for (std::size_t t = 0; t < 5; ++t) {
    for (std::size_t u = 0; u < 5; ++u) {
      Units units(5, 0);
      units[t] += 2 + static_cast<std::int64_t>(u);
      units[u] += 3;
      p.alternatives.push_back(std::move(units));
    }
  }
  OrSlots slots;
  const Sequence chosen = choose(slots, p, 1'000);
  EXPECT_FALSE(slots.complete());
  EXPECT_GT(chosen.size(), 0U);
  std::vector<std::size_t> gone(5, 0);
  for (std::uint32_t a : chosen) ASSERT_TRUE(take(p, p.alternatives[a], gone));
}

}  // namespace
}  // namespace copse
