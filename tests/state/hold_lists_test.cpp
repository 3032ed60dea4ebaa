// SPDX-License-Identifier: Apache-2.0
#include "state/hold_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

namespace copse {
namespace {

std::vector<Hold> all(const HoldLists& holds, PoolId p) {
  const auto of_pool = holds.all(p);
  return {of_pool.begin(), of_pool.end()};
}

constexpr PoolId kPool{70};  // not in the first word of marks

TEST(HoldLists, APoolWithoutHoldsHasNoRecord) {
  HoldLists holds(100);
  const std::uint64_t bytes = holds.bytes();
  EXPECT_FALSE(holds.marked(kPool));
  EXPECT_FALSE(holds.held(kPool, INT64_MIN, INT64_MAX));
  EXPECT_FALSE(holds.held(kPool, 5, 6));
  EXPECT_TRUE(holds.all(kPool).empty());
  EXPECT_LE(bytes, 100U * 4 + 2 * 16);
}

TEST(HoldLists, HoldsAreHalfOpen) {
  HoldLists holds(100);
  holds.add(kPool, {10, 20, 3});
  EXPECT_TRUE(holds.marked(kPool));
  EXPECT_FALSE(holds.marked(PoolId{69}));
  EXPECT_FALSE(holds.marked(PoolId{6}));  // the same bit of another word
  EXPECT_TRUE(holds.held(kPool, 10, 11));
  EXPECT_TRUE(holds.held(kPool, 19, 30));
  EXPECT_TRUE(holds.held(kPool, 0, 100));
  EXPECT_TRUE(holds.held(kPool, 12, 13));
  EXPECT_FALSE(holds.held(kPool, 0, 10));
  EXPECT_FALSE(holds.held(kPool, 20, 30));
  EXPECT_FALSE(holds.held(kPool, 9, 10));
  EXPECT_EQ(all(holds, kPool), (std::vector<Hold>{{10, 20, 3}}));
  EXPECT_TRUE(holds.held(kPool, 19, 20));
  EXPECT_FALSE(holds.held(kPool, 20, 21));
}

TEST(HoldLists, KnowsWhatHasBegun) {
  HoldLists holds(200, 5);
  holds.add(kPool, {0, 10, 1}, 2);
  holds.add(kPool, {10, 20, 2});
  holds.add(PoolId{3}, {6, 9, 3});
  EXPECT_TRUE(holds.begun(kPool));
  EXPECT_FALSE(holds.begun(PoolId{3}));
  EXPECT_TRUE(holds.held(kPool, 5, 6));
  EXPECT_TRUE(holds.held(kPool, 12, 13));
  EXPECT_FALSE(holds.held(kPool, 20, 30));
  EXPECT_FALSE(holds.held(kPool, -9, 0));
  holds.remove(kPool, {0, 10, 1}, 2);  // it is over
  EXPECT_FALSE(holds.begun(kPool));
  EXPECT_TRUE(holds.marked(kPool));
  holds.remove(PoolId{3}, {6, 9, 3});
  holds.set_now(15);
  holds.begin(kPool);
  EXPECT_TRUE(holds.begun(kPool));
  EXPECT_FALSE(holds.begun(PoolId{71}));
  EXPECT_TRUE(holds.check());
  holds.remove(kPool, {10, 20, 2});
  EXPECT_FALSE(holds.begun(kPool));
  EXPECT_TRUE(holds.check());
}

TEST(HoldLists, KeepsIntervalsInOrderOfTime) {
  HoldLists holds(100);
  holds.add(kPool, {30, 40, 1});
  holds.add(kPool, {10, 20, 2});
  holds.add(kPool, {20, 30, 3});  // fits between without a gap
  holds.add(kPool, {50, 60, 4});
  EXPECT_EQ(all(holds, kPool),
            (std::vector<Hold>{{10, 20, 2}, {20, 30, 3}, {30, 40, 1}, {50, 60, 4}}));
  EXPECT_FALSE(holds.held(kPool, 45, 46));
  EXPECT_FALSE(holds.held(kPool, 40, 50));
  EXPECT_TRUE(holds.held(kPool, 45, 51));
  holds.remove(kPool, {20, 30, 3});
  EXPECT_FALSE(holds.held(kPool, 20, 30));
  holds.remove(kPool, {10, 20, 2});
  holds.remove(kPool, {50, 60, 4});
  EXPECT_EQ(all(holds, kPool), (std::vector<Hold>{{30, 40, 1}}));
  holds.remove(kPool, {30, 40, 1});
  EXPECT_FALSE(holds.marked(kPool));
  EXPECT_TRUE(holds.all(kPool).empty());
}

// Its memory follows the pools that have holds at once, not those that ever had one.
TEST(HoldLists, UsesTheRecordsOfPoolsThatAreFreeAgain) {
  constexpr std::uint32_t kPools = 10'000, kAtOnce = 100;
  HoldLists holds(kPools), all_at_once(kPools);
  for (std::uint32_t from = 0; from < kPools; from += kAtOnce) {
    for (std::uint32_t v = from; v < from + kAtOnce; ++v) holds.add(PoolId{v}, {0, 1, v});
    for (std::uint32_t v = from; v < from + kAtOnce; ++v) holds.remove(PoolId{v}, {0, 1, v});
  }
  for (std::uint32_t v = 0; v < kPools; ++v) all_at_once.add(PoolId{v}, {0, 1, v});
  EXPECT_LT(holds.bytes(), all_at_once.bytes() / 2);
}

TEST(HoldLists, AgreesWithAPlainList) {
  constexpr std::uint32_t kPools = 5;
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  HoldLists holds(kPools);
  std::vector<std::vector<Hold>> plain(kPools);
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const PoolId p{below(kPools)};
    auto& list = plain[p.v];
    const std::int64_t start = below(200), end = start + 1 + below(12);
    const auto overlaps = [&](const Hold& h) { return h.start < end && start < h.end; };
    const auto met = std::find_if(list.begin(), list.end(), overlaps);
    ASSERT_EQ(holds.held(p, start, end), met != list.end());
    if (met == list.end()) {
      list.push_back({start, end, step});
      holds.add(p, list.back());
    } else if (below(2) == 0) {
      holds.remove(p, *met);
      list.erase(met);
    }
    ASSERT_EQ(holds.marked(p), !list.empty());
    std::vector<Hold> sorted = list;
    std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.start < b.start; });
    ASSERT_EQ(all(holds, p), sorted);
  }
}

TEST(HoldLists, ARunHasOneRecord) {
  constexpr std::uint32_t kRun = 40;
  HoldLists runs(1000), singles(1000);
  for (std::uint32_t v = 0; v < 1000; v += kRun) runs.add(PoolId{v}, {0, 10, v}, kRun);
  for (std::uint32_t v = 0; v < 1000; ++v) singles.add(PoolId{v}, {0, 10, v});
  EXPECT_LT(runs.bytes() * 4, singles.bytes());
  for (std::uint32_t v = 0; v < 1000; ++v) {
    EXPECT_EQ(all(runs, PoolId{v}), (std::vector<Hold>{{0, 10, v - v % kRun}}));
  }
}

// Runs that are cut, lengthened and overlaid by others, pool by pool as a plain list has them.
TEST(HoldLists, RunsAgreeWithAPlainList) {
  constexpr std::uint32_t kPools = 130;  // more than two words of marks
  std::mt19937 random(12);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  HoldLists holds(kPools);
  std::vector<std::vector<Hold>> plain(kPools);
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const std::uint32_t first = below(kPools), count = 1 + below(std::min(kPools - first, 20U));
    const std::int64_t start = below(40), end = start + 1 + below(12);
    const bool free =
        std::all_of(plain.begin() + first, plain.begin() + first + count, [&](auto& l) {
          return std::none_of(l.begin(), l.end(),
                              [&](const Hold& h) { return h.start < end && start < h.end; });
        });
    if (free) {
      const Hold hold{start, end, step};
      holds.add(PoolId{first}, hold, count);
      for (std::uint32_t v = first; v < first + count; ++v) plain[v].push_back(hold);
    } else if (!plain[first].empty()) {  // what the pools have in common with the first
      const Hold hold = plain[first].front();
      std::uint32_t n = 0;
      for (; n < count && std::erase(plain[first + n], hold) == 1; ++n) {
      }
      holds.remove(PoolId{first}, hold, n);
    }
    for (std::uint32_t v = first; v < first + count; ++v) {
      std::vector<Hold> sorted = plain[v];
      std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.start < b.start; });
      ASSERT_EQ(all(holds, PoolId{v}), sorted);
      ASSERT_EQ(holds.marked(PoolId{v}), !sorted.empty());
    }
  }
  for (std::uint32_t v = 0; v < kPools; ++v)
    ASSERT_EQ(all(holds, PoolId{v}).size(), plain[v].size());
}

TEST(HoldLists, TheListsOfTwoPoolsCanBeLookedAtTogether) {
  HoldLists holds(2);
  holds.add(PoolId{0}, {0, 10, 1});
  holds.add(PoolId{1}, {0, 10, 2});
  const std::span<const Hold> first = holds.all(PoolId{0});
  const std::span<const Hold> second = holds.all(PoolId{1});
  EXPECT_EQ(first[0].grant, 1U);
  EXPECT_EQ(second[0].grant, 2U);
}

#ifndef NDEBUG
TEST(HoldListsDeathTest, RefusesToOverlap) {
  HoldLists holds(100);
  holds.add(kPool, {10, 20, 1});
  EXPECT_DEATH(holds.add(kPool, {19, 21, 2}), "held");
  EXPECT_DEATH(holds.remove(kPool, {10, 20, 2}), "hold");
  EXPECT_DEATH(holds.remove(PoolId{1}, {10, 20, 1}), "marked");
}
#endif

// Pools that came to the same holds together share one record, whatever their number.
TEST(HoldLists, RunsThatAreHeldAlikeShareARecord) {
  HoldLists holds(10'000);
  const std::uint64_t idle = holds.bytes();
  for (std::uint32_t node = 0; node < 100; ++node) {
    for (std::uint32_t hold = 0; hold < 3; ++hold) {
      holds.add(PoolId{node * 32}, {hold * 10, hold * 10 + 10, hold}, 32);
    }
  }
  EXPECT_TRUE(holds.check());
  EXPECT_LT(holds.bytes() - idle, 4U * 4096 + 100 * 250);
  // Part of a run goes its own way, and comes back.
  holds.remove(PoolId{0}, {10, 20, 1}, 7);
  EXPECT_TRUE(holds.check());
  EXPECT_EQ(all(holds, PoolId{6}), (std::vector<Hold>{{0, 10, 0}, {20, 30, 2}}));
  EXPECT_EQ(all(holds, PoolId{7}), (std::vector<Hold>{{0, 10, 0}, {10, 20, 1}, {20, 30, 2}}));
  holds.add(PoolId{3}, {10, 20, 9}, 2);
  EXPECT_TRUE(holds.held(PoolId{4}, 15, 16));
  EXPECT_FALSE(holds.held(PoolId{5}, 15, 16));
  EXPECT_TRUE(holds.check());
}

// Random runs of holds on two copies of each other, against lists of each pool.
TEST(HoldLists, RangesOfOneHoldShareWhatIsMadeForThem) {
  HoldLists holds(600, 5);
  std::vector<HoldLists::Range> every_third, every_sixth;
  for (std::uint32_t v = 0; v < 600; v += 3) every_third.push_back({PoolId{v}, 1});
  for (std::uint32_t v = 0; v < 600; v += 6) every_sixth.push_back({PoolId{v}, 2});
  holds.add(every_third, {0, 10, 1});
  ASSERT_TRUE(holds.check());
  const std::uint64_t one = holds.bytes();
  holds.add(every_sixth, {10, 20, 2});  // of each two pools, one has a hold already
  ASSERT_TRUE(holds.check());
  EXPECT_EQ(all(holds, PoolId{0}), (std::vector<Hold>{{0, 10, 1}, {10, 20, 2}}));
  EXPECT_EQ(all(holds, PoolId{1}), (std::vector<Hold>{{10, 20, 2}}));
  EXPECT_EQ(all(holds, PoolId{3}), (std::vector<Hold>{{0, 10, 1}}));
  EXPECT_TRUE(holds.begun(PoolId{6}) && !holds.begun(PoolId{7}));
  EXPECT_LT(holds.bytes() - one, 1'000U);  // three records, not three hundred
  holds.remove(every_third, {0, 10, 1});
  ASSERT_TRUE(holds.check());
  EXPECT_EQ(all(holds, PoolId{0}), (std::vector<Hold>{{10, 20, 2}}));
  EXPECT_FALSE(holds.marked(PoolId{3}) || holds.begun(PoolId{6}));
  holds.remove(every_sixth, {10, 20, 2});
  ASSERT_TRUE(holds.check());
  for (std::uint32_t v = 0; v < 600; ++v) ASSERT_FALSE(holds.marked(PoolId{v})) << v;
}

TEST(HoldLists, CopiesGoTheirOwnWay) {
  constexpr std::uint32_t kPools = 3'000;
  struct Copy {
    HoldLists holds{kPools};
    std::vector<std::vector<Hold>> model{kPools};
  };
  std::mt19937 random(3);
  std::vector<Copy> copies(2);
  for (int step = 0; step < 3'000; ++step) {
    Copy& copy = copies[random() % 2];
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    const std::uint32_t first = below(kPools - 50), count = 1 + below(50);
    const std::int64_t start = 10 * below(8);
    const Hold added{start, start + 10, below(2)};
    for (std::uint32_t v = first; v < first + count; ++v) {
      std::vector<Hold>& of_pool = copy.model[v];
      const auto at = std::ranges::find(of_pool, added.start, &Hold::start);
      if (at == of_pool.end()) {
        copy.holds.add(PoolId{v}, added);
        of_pool.push_back(added);
        std::ranges::sort(of_pool, {}, &Hold::start);
      } else {
        copy.holds.remove(PoolId{v}, *at);
        of_pool.erase(at);
      }
    }
    if (step % 300 == 0) {
      const std::size_t place = static_cast<std::size_t>(step) / 300 % 2;
      copies[place] = Copy(copies[1 - place]);
    }
  }
  for (const Copy& copy : copies) {
    EXPECT_TRUE(copy.holds.check());
    for (std::uint32_t v = 0; v < kPools; ++v) ASSERT_EQ(all(copy.holds, PoolId{v}), copy.model[v]);
  }
}

}  // namespace
}  // namespace copse
