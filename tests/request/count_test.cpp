// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <utility>
#include <vector>

#include "copse/request.hpp"

namespace copse {
namespace {

constexpr std::int64_t kMax = INT64_MAX;

struct CountRow {
  Count count;
  std::int64_t have;
  std::int64_t effective;
};

TEST(Count, EffectiveTable) {
  const std::vector<CountRow> rows = {
      {{3, 3, 1, '+'}, 2, 0},
      {{3, 3, 1, '+'}, 3, 3},
      {{3, 3, 1, '+'}, 100, 3},
      {{0, 0, 1, '+'}, 5, 0},
      {{1, 10, 1, '+'}, 7, 7},
      {{1, 10, 1, '+'}, 0, 0},
      {{2, 10, 3, '+'}, 10, 8},
      {{2, 10, 3, '+'}, 4, 2},
      {{2, 10, 3, '+'}, kMax, 8},
      {{1, kMax, 1, '+'}, kMax, kMax},
      {{1, kMax, 2, '+'}, kMax - 1, kMax - 2},
      {{1, 100, 2, '*'}, 100, 64},
      {{3, 100, 2, '*'}, 100, 96},
      {{3, 100, 2, '*'}, 95, 48},
      {{3, 100, 200, '*'}, 100, 3},
      {{1, kMax, 2, '*'}, kMax, INT64_C(1) << 62},
      {{1, kMax, kMax, '*'}, kMax, kMax},
      {{2, 300, 2, '^'}, 300, 256},
      {{2, 300, 2, '^'}, 255, 16},
      {{2, 256, 2, '^'}, 256, 256},
      {{2, 300, 3, '^'}, 300, 8},
      {{2, kMax, 2, '^'}, kMax, INT64_C(1) << 32},
      {{2, kMax, kMax, '^'}, kMax, 2},
      {{3037000500, kMax, 2, '^'}, kMax, 3037000500},  // its square is just beyond 64 bits
      {{5, 4, 1, '+'}, 9, 0},                          // an empty range
      {{1, 10, 1, '+'}, -1, 0},
  };
  for (const CountRow& row : rows) {
    const Count& count = row.count;
    EXPECT_EQ(count.effective(row.have), row.effective)
        << count.min << '-' << count.max << ':' << count.operand << ':' << count.op << " of "
        << row.have;
  }
}

// A Count made by hand may break the invariants: it must still end.
TEST(Count, BrokenRangesEnd) {
  EXPECT_EQ((Count{0, 10, 2, '*'}).effective(10), 0);
  EXPECT_EQ((Count{1, 10, 1, '*'}).effective(10), 1);
  EXPECT_EQ((Count{1, 10, 2, '^'}).effective(10), 1);
  EXPECT_EQ((Count{3, 10, 0, '+'}).effective(10), 3);
  EXPECT_EQ((Count{-5, kMax, 1, '+'}).effective(kMax), 0);
  EXPECT_EQ((Count{2, 10, -3, '^'}).effective(10), 2);
}

TEST(Count, MostAndMoldable) {
  EXPECT_EQ((Count{4, 4, 1, '+'}).most(), 4);
  EXPECT_FALSE((Count{4, 4, 1, '+'}).moldable());
  EXPECT_EQ((Count{1, 9, 4, '+'}).most(), 9);
  EXPECT_TRUE((Count{1, 9, 4, '+'}).moldable());
  EXPECT_EQ((Count{1, kMax, 1, '+'}).most(), Count::kUnlimited);
}

// The definition, by listing the range; for counts too small to overflow.
std::int64_t listed(const Count& count, std::int64_t have) {
  std::int64_t best = 0;
  for (std::int64_t value = count.min; value <= count.max && value <= have;) {
    best = value;
    std::int64_t next = value + count.operand;
    if (count.op == '*') next = value * count.operand;
    if (count.op == '^') {
      next = 1;
      for (std::int64_t i = 0; i < count.operand && next <= count.max; ++i) next *= value;
    }
    value = next;
  }
  return best;
}

TEST(Count, EffectiveIsTheLastOfTheListedRange) {
  const bool holds = rc::check("effective() agrees with the listed range", [] {
    Count count;
    count.op = *rc::gen::element('+', '*', '^');
    count.min = *rc::gen::inRange<std::int64_t>(count.op == '^' ? 2 : 1, 50);
    count.max = *rc::gen::inRange<std::int64_t>(count.min, 2000);
    count.operand = *rc::gen::inRange<std::int64_t>(count.op == '+' ? 1 : 2, 9);
    const auto have = *rc::gen::inRange<std::int64_t>(0, 2500);
    RC_ASSERT(count.effective(have) == listed(count, have));
  });
  EXPECT_TRUE(holds);
}

Count of_set(Count::Ranges ranges) {
  Count count{ranges.front().first, ranges.back().second, 1, ','};
  count.set = std::make_shared<const Count::Ranges>(std::move(ranges));
  return count;
}

TEST(Count, Sets) {
  const Count count = of_set({{2, 2}, {4, 6}, {9, 9}, {kMax - 1, kMax}});
  const std::vector<std::pair<std::int64_t, std::int64_t>> rows = {
      {-1, 0}, {1, 0}, {2, 2}, {3, 2},  {4, 4},        {5, 5},
      {6, 6},  {7, 6}, {9, 9}, {10, 9}, {kMax - 2, 9}, {kMax, kMax}};
  for (const auto& [have, effective] : rows) EXPECT_EQ(count.effective(have), effective) << have;
  EXPECT_EQ(count.most(), kMax);
  EXPECT_TRUE(count.moldable());
  EXPECT_EQ(count.after(2), 4);
  EXPECT_EQ(count.after(4), 5);
  EXPECT_EQ(count.after(6), 9);
  EXPECT_EQ(count.after(9), kMax - 1);
  EXPECT_EQ(count.after(kMax), 0);
  EXPECT_EQ(count, of_set({{2, 2}, {4, 6}, {9, 9}, {kMax - 1, kMax}}));
  EXPECT_NE(count, of_set({{2, 2}, {4, 5}, {9, 9}, {kMax - 1, kMax}}));
  EXPECT_NE(of_set({{1, 1}, {3, 3}}), (Count{1, 3, 1, '+'}));
}

// A Count made by hand may say ',' and have no set.
TEST(Count, SetThatIsNotThere) {
  const Count count{2, 9, 1, ','};
  EXPECT_EQ(count.effective(5), 2);
  EXPECT_EQ(count.after(2), 0);
}

TEST(Count, AfterIsTheNextOfTheRange) {
  const std::vector<Count> counts = {
      {3, 3, 1, '+'},  {1, 20, 1, '+'},  {2, 20, 3, '+'},  {1, 60, 2, '*'},
      {3, 50, 4, '*'}, {2, 300, 2, '^'}, {2, 300, 3, '^'}, of_set({{1, 1}, {3, 5}, {9, 11}})};
  for (const Count& count : counts) {
    std::int64_t now = count.min;
    for (std::int64_t have = count.min; have <= count.max; ++have) {
      const std::int64_t next = count.effective(have);
      if (next == now) continue;
      EXPECT_EQ(count.after(now), next) << count.op << " after " << now;
      now = next;
    }
    EXPECT_EQ(now, count.most());
    EXPECT_EQ(count.after(now), 0) << count.op;
  }
  EXPECT_EQ((Count{kMax - 3, kMax, 2, '+'}).after(kMax - 3), kMax - 1);
  EXPECT_EQ((Count{kMax - 3, kMax, 2, '+'}).after(kMax - 1), 0);
  EXPECT_EQ((Count{kMax / 2, kMax, 3, '*'}).after(kMax / 2), 0);
  EXPECT_EQ((Count{3037000500, kMax, 2, '^'}).after(3037000500), 0);
}

}  // namespace
}  // namespace copse
