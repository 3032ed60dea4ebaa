// SPDX-License-Identifier: Apache-2.0
#include "state/exclusive_spans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

namespace copse {
namespace {

std::vector<ExclusiveSpan> all(const ExclusiveSpans& exclusive_spans, PoolId p) {
  const auto of_pool = exclusive_spans.all(p);
  return {of_pool.begin(), of_pool.end()};
}

constexpr PoolId kPool{70};  // not in the first word of marks

TEST(ExclusiveSpans, APoolWithoutHoldsHasNoRecord) {
  ExclusiveSpans exclusive_spans(100);
  const std::uint64_t bytes = exclusive_spans.bytes();
  EXPECT_FALSE(exclusive_spans.marked(kPool));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, INT64_MIN, INT64_MAX));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 5, 6));
  EXPECT_TRUE(exclusive_spans.all(kPool).empty());
  EXPECT_LE(bytes, 100U * 4 + 2 * 16);
}

TEST(ExclusiveSpans, HoldsAreHalfOpen) {
  ExclusiveSpans exclusive_spans(100);
  exclusive_spans.add(kPool, {10, 20, 3});
  EXPECT_TRUE(exclusive_spans.marked(kPool));
  EXPECT_FALSE(exclusive_spans.marked(PoolId{69}));
  EXPECT_FALSE(exclusive_spans.marked(PoolId{6}));  // the same bit of another word
  EXPECT_TRUE(exclusive_spans.allocated(kPool, 10, 11));
  EXPECT_TRUE(exclusive_spans.allocated(kPool, 19, 30));
  EXPECT_TRUE(exclusive_spans.allocated(kPool, 0, 100));
  EXPECT_TRUE(exclusive_spans.allocated(kPool, 12, 13));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 0, 10));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 20, 30));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 9, 10));
  EXPECT_EQ(all(exclusive_spans, kPool), (std::vector<ExclusiveSpan>{{10, 20, 3}}));
  EXPECT_TRUE(exclusive_spans.allocated(kPool, 19, 20));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 20, 21));
}

TEST(ExclusiveSpans, KnowsWhatHasBegun) {
  ExclusiveSpans exclusive_spans(200, 5);
  exclusive_spans.add(kPool, {0, 10, 1}, 2);
  exclusive_spans.add(kPool, {10, 20, 2});
  exclusive_spans.add(PoolId{3}, {6, 9, 3});
  EXPECT_TRUE(exclusive_spans.active(kPool));
  EXPECT_FALSE(exclusive_spans.active(PoolId{3}));
  EXPECT_TRUE(exclusive_spans.allocated(kPool, 5, 6));
  EXPECT_TRUE(exclusive_spans.allocated(kPool, 12, 13));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 20, 30));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, -9, 0));
  exclusive_spans.remove(kPool, {0, 10, 1}, 2);  // it has ended
  EXPECT_FALSE(exclusive_spans.active(kPool));
  EXPECT_TRUE(exclusive_spans.marked(kPool));
  exclusive_spans.remove(PoolId{3}, {6, 9, 3});
  exclusive_spans.set_now(15);
  exclusive_spans.begin(kPool);
  EXPECT_TRUE(exclusive_spans.active(kPool));
  EXPECT_FALSE(exclusive_spans.active(PoolId{71}));
  EXPECT_TRUE(exclusive_spans.check());
  exclusive_spans.remove(kPool, {10, 20, 2});
  EXPECT_FALSE(exclusive_spans.active(kPool));
  EXPECT_TRUE(exclusive_spans.check());
}

TEST(ExclusiveSpans, KeepsIntervalsInOrderOfTime) {
  ExclusiveSpans exclusive_spans(100);
  exclusive_spans.add(kPool, {30, 40, 1});
  exclusive_spans.add(kPool, {10, 20, 2});
  exclusive_spans.add(kPool, {20, 30, 3});  // fits between without a gap
  exclusive_spans.add(kPool, {50, 60, 4});
  EXPECT_EQ(all(exclusive_spans, kPool),
            (std::vector<ExclusiveSpan>{{10, 20, 2}, {20, 30, 3}, {30, 40, 1}, {50, 60, 4}}));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 45, 46));
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 40, 50));
  EXPECT_TRUE(exclusive_spans.allocated(kPool, 45, 51));
  exclusive_spans.remove(kPool, {20, 30, 3});
  EXPECT_FALSE(exclusive_spans.allocated(kPool, 20, 30));
  exclusive_spans.remove(kPool, {10, 20, 2});
  exclusive_spans.remove(kPool, {50, 60, 4});
  EXPECT_EQ(all(exclusive_spans, kPool), (std::vector<ExclusiveSpan>{{30, 40, 1}}));
  exclusive_spans.remove(kPool, {30, 40, 1});
  EXPECT_FALSE(exclusive_spans.marked(kPool));
  EXPECT_TRUE(exclusive_spans.all(kPool).empty());
}

// Its memory follows the pools that have spans at once, not those that ever had one.
TEST(ExclusiveSpans, UsesTheRecordsOfPoolsThatAreFreeAgain) {
  constexpr std::uint32_t kPools = 10'000, kAtOnce = 100;
  ExclusiveSpans spans(kPools), all_at_once(kPools);
  for (std::uint32_t from = 0; from < kPools; from += kAtOnce) {
    for (std::uint32_t v = from; v < from + kAtOnce; ++v) spans.add(PoolId{v}, {0, 1, v});
    for (std::uint32_t v = from; v < from + kAtOnce; ++v) spans.remove(PoolId{v}, {0, 1, v});
  }
  for (std::uint32_t v = 0; v < kPools; ++v) all_at_once.add(PoolId{v}, {0, 1, v});
  EXPECT_LT(spans.bytes(), all_at_once.bytes() / 2);
}

TEST(ExclusiveSpans, AgreesWithAPlainList) {
  constexpr std::uint32_t kPools = 5;
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  ExclusiveSpans exclusive_spans(kPools);
  std::vector<std::vector<ExclusiveSpan>> plain(kPools);
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const PoolId p{below(kPools)};
    auto& list = plain[p.v];
    const std::int64_t start = below(200), end = start + 1 + below(12);
    const auto overlaps = [&](const ExclusiveSpan& h) { return h.start < end && start < h.end; };
    const auto met = std::find_if(list.begin(), list.end(), overlaps);
    ASSERT_EQ(exclusive_spans.allocated(p, start, end), met != list.end());
    if (met == list.end()) {
      list.push_back({start, end, step});
      exclusive_spans.add(p, list.back());
    } else if (below(2) == 0) {
      exclusive_spans.remove(p, *met);
      list.erase(met);
    }
    ASSERT_EQ(exclusive_spans.marked(p), !list.empty());
    std::vector<ExclusiveSpan> sorted = list;
    std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.start < b.start; });
    ASSERT_EQ(all(exclusive_spans, p), sorted);
  }
}

TEST(ExclusiveSpans, ARunHasOneRecord) {
  constexpr std::uint32_t kRun = 40;
  ExclusiveSpans runs(1000), singles(1000);
  for (std::uint32_t v = 0; v < 1000; v += kRun) runs.add(PoolId{v}, {0, 10, v}, kRun);
  for (std::uint32_t v = 0; v < 1000; ++v) singles.add(PoolId{v}, {0, 10, v});
  EXPECT_LT(runs.bytes() * 4, singles.bytes());
  for (std::uint32_t v = 0; v < 1000; ++v) {
    EXPECT_EQ(all(runs, PoolId{v}), (std::vector<ExclusiveSpan>{{0, 10, v - v % kRun}}));
  }
}

// Runs that others truncate, lengthen and overlay, compared with a plain list for each pool.
TEST(ExclusiveSpans, RunsAgreeWithAPlainList) {
  constexpr std::uint32_t kPools = 130;  // more than two words of marks
  std::mt19937 random(12);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  ExclusiveSpans exclusive_spans(kPools);
  std::vector<std::vector<ExclusiveSpan>> plain(kPools);
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const std::uint32_t first = below(kPools), count = 1 + below(std::min(kPools - first, 20U));
    const std::int64_t start = below(40), end = start + 1 + below(12);
    const bool free =
        std::all_of(plain.begin() + first, plain.begin() + first + count, [&](auto& l) {
          return std::none_of(l.begin(), l.end(), [&](const ExclusiveSpan& h) {
            return h.start < end && start < h.end;
          });
        });
    if (free) {
      const ExclusiveSpan span{start, end, step};
      exclusive_spans.add(PoolId{first}, span, count);
      for (std::uint32_t v = first; v < first + count; ++v) plain[v].push_back(span);
    } else if (!plain[first].empty()) {  // the part that the pools share with the first one
      const ExclusiveSpan span = plain[first].front();
      std::uint32_t n = 0;
      for (; n < count && std::erase(plain[first + n], span) == 1; ++n) {
      }
      exclusive_spans.remove(PoolId{first}, span, n);
    }
    for (std::uint32_t v = first; v < first + count; ++v) {
      std::vector<ExclusiveSpan> sorted = plain[v];
      std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.start < b.start; });
      ASSERT_EQ(all(exclusive_spans, PoolId{v}), sorted);
      ASSERT_EQ(exclusive_spans.marked(PoolId{v}), !sorted.empty());
    }
  }
  for (std::uint32_t v = 0; v < kPools; ++v)
    ASSERT_EQ(all(exclusive_spans, PoolId{v}).size(), plain[v].size());
}

TEST(ExclusiveSpans, TheListsOfTwoPoolsCanBeLookedAtTogether) {
  ExclusiveSpans exclusive_spans(2);
  exclusive_spans.add(PoolId{0}, {0, 10, 1});
  exclusive_spans.add(PoolId{1}, {0, 10, 2});
  const std::span<const ExclusiveSpan> first = exclusive_spans.all(PoolId{0});
  const std::span<const ExclusiveSpan> second = exclusive_spans.all(PoolId{1});
  EXPECT_EQ(first[0].grant, 1U);
  EXPECT_EQ(second[0].grant, 2U);
}

#ifndef NDEBUG
TEST(ExclusiveSpansDeathTest, RefusesToOverlap) {
  ExclusiveSpans exclusive_spans(100);
  exclusive_spans.add(kPool, {10, 20, 1});
  EXPECT_DEATH(exclusive_spans.add(kPool, {19, 21, 2}), "allocated");
  EXPECT_DEATH(exclusive_spans.remove(kPool, {10, 20, 2}), "span");
  EXPECT_DEATH(exclusive_spans.remove(PoolId{1}, {10, 20, 1}), "marked");
}
#endif

// Pools with the same spans share one record, whatever their number.
TEST(ExclusiveSpans, RunsThatAreHeldAlikeShareARecord) {
  ExclusiveSpans exclusive_spans(10'000);
  const std::uint64_t idle = exclusive_spans.bytes();
  for (std::uint32_t node = 0; node < 100; ++node) {
    for (std::uint32_t span = 0; span < 3; ++span) {
      exclusive_spans.add(PoolId{node * 32}, {span * 10, span * 10 + 10, span}, 32);
    }
  }
  EXPECT_TRUE(exclusive_spans.check());
  EXPECT_LT(exclusive_spans.bytes() - idle, 4U * 4096 + 100 * 250);
  // Part of a run gets different spans, then the same ones again.
  exclusive_spans.remove(PoolId{0}, {10, 20, 1}, 7);
  EXPECT_TRUE(exclusive_spans.check());
  EXPECT_EQ(all(exclusive_spans, PoolId{6}), (std::vector<ExclusiveSpan>{{0, 10, 0}, {20, 30, 2}}));
  EXPECT_EQ(all(exclusive_spans, PoolId{7}),
            (std::vector<ExclusiveSpan>{{0, 10, 0}, {10, 20, 1}, {20, 30, 2}}));
  exclusive_spans.add(PoolId{3}, {10, 20, 9}, 2);
  EXPECT_TRUE(exclusive_spans.allocated(PoolId{4}, 15, 16));
  EXPECT_FALSE(exclusive_spans.allocated(PoolId{5}, 15, 16));
  EXPECT_TRUE(exclusive_spans.check());
}

// Random runs of spans on two copies of each other, compared with lists for each pool.
TEST(ExclusiveSpans, RangesOfOneHoldShareWhatIsMadeForThem) {
  ExclusiveSpans exclusive_spans(600, 5);
  std::vector<ExclusiveSpans::Range> every_third, every_sixth;
  for (std::uint32_t v = 0; v < 600; v += 3) every_third.push_back({PoolId{v}, 1});
  for (std::uint32_t v = 0; v < 600; v += 6) every_sixth.push_back({PoolId{v}, 2});
  exclusive_spans.add(every_third, {0, 10, 1});
  ASSERT_TRUE(exclusive_spans.check());
  const std::uint64_t one = exclusive_spans.bytes();
  exclusive_spans.add(every_sixth, {10, 20, 2});  // one of each two pools already has a span
  ASSERT_TRUE(exclusive_spans.check());
  EXPECT_EQ(all(exclusive_spans, PoolId{0}), (std::vector<ExclusiveSpan>{{0, 10, 1}, {10, 20, 2}}));
  EXPECT_EQ(all(exclusive_spans, PoolId{1}), (std::vector<ExclusiveSpan>{{10, 20, 2}}));
  EXPECT_EQ(all(exclusive_spans, PoolId{3}), (std::vector<ExclusiveSpan>{{0, 10, 1}}));
  EXPECT_TRUE(exclusive_spans.active(PoolId{6}) && !exclusive_spans.active(PoolId{7}));
  EXPECT_LT(exclusive_spans.bytes() - one, 1'000U);  // three records, not three hundred
  exclusive_spans.remove(every_third, {0, 10, 1});
  ASSERT_TRUE(exclusive_spans.check());
  EXPECT_EQ(all(exclusive_spans, PoolId{0}), (std::vector<ExclusiveSpan>{{10, 20, 2}}));
  EXPECT_FALSE(exclusive_spans.marked(PoolId{3}) || exclusive_spans.active(PoolId{6}));
  exclusive_spans.remove(every_sixth, {10, 20, 2});
  ASSERT_TRUE(exclusive_spans.check());
  for (std::uint32_t v = 0; v < 600; ++v) ASSERT_FALSE(exclusive_spans.marked(PoolId{v})) << v;
}

TEST(ExclusiveSpans, CopiesGoTheirOwnWay) {
  constexpr std::uint32_t kPools = 3'000;
  struct Copy {
    ExclusiveSpans exclusive_spans{kPools};
    std::vector<std::vector<ExclusiveSpan>> model{kPools};
  };
  std::mt19937 random(3);
  std::vector<Copy> copies(2);
  for (int step = 0; step < 3'000; ++step) {
    Copy& copy = copies[random() % 2];
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    const std::uint32_t first = below(kPools - 50), count = 1 + below(50);
    const std::int64_t start = 10 * below(8);
    const ExclusiveSpan added{start, start + 10, below(2)};
    for (std::uint32_t v = first; v < first + count; ++v) {
      std::vector<ExclusiveSpan>& of_pool = copy.model[v];
      const auto at = std::ranges::find(of_pool, added.start, &ExclusiveSpan::start);
      if (at == of_pool.end()) {
        copy.exclusive_spans.add(PoolId{v}, added);
        of_pool.push_back(added);
        std::ranges::sort(of_pool, {}, &ExclusiveSpan::start);
      } else {
        copy.exclusive_spans.remove(PoolId{v}, *at);
        of_pool.erase(at);
      }
    }
    if (step % 300 == 0) {
      const std::size_t place = static_cast<std::size_t>(step) / 300 % 2;
      copies[place] = Copy(copies[1 - place]);
    }
  }
  for (const Copy& copy : copies) {
    EXPECT_TRUE(copy.exclusive_spans.check());
    for (std::uint32_t v = 0; v < kPools; ++v)
      ASSERT_EQ(all(copy.exclusive_spans, PoolId{v}), copy.model[v]);
  }
}

}  // namespace
}  // namespace copse
