// SPDX-License-Identifier: Apache-2.0
//
// A MaskTimeline compared with a table of members and seconds.
#include "state/timelines/mask_timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace copse {
namespace {

using Word = MaskTimeline::Word;

constexpr std::int64_t kSlots = 700;  // after it all are idle

class MaskTimelines : public ::testing::TestWithParam<int> {
 protected:
  static constexpr std::size_t kMembers = 130;  // the last word is partial

  std::int64_t pick(std::int64_t from, std::int64_t to) {  // both included
    return from + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(to - from + 1));
  }
  std::vector<Word> some_members() {
    std::vector<Word> out(line_.words(), 0);
    const std::int64_t kind = pick(0, 3);
    const auto add = [&](std::size_t m) { out[m / 64] |= Word{1} << (m % 64); };
    if (kind == 0) {
      for (std::size_t m = 0; m < kMembers; ++m) add(m);
    } else {
      for (std::int64_t n = kind == 1 ? 1 : pick(1, 40); n > 0; --n) {
        add(static_cast<std::size_t>(pick(0, kMembers - 1)));
      }
    }
    return out;
  }
  void change(const std::vector<Word>& members, bool busy, std::int64_t start, std::int64_t end) {
    line_.change(members, busy, start, end);
    for (std::size_t m = 0; m < kMembers; ++m) {
      if (!((members[m / 64] >> (m % 64)) & 1)) continue;
      std::fill(busy_[m].begin() + start, busy_[m].begin() + end, busy);
    }
  }
  void random_change() {
    const std::int64_t start = pick(0, kSlots - 1);
    const std::int64_t end = std::min(kSlots, start + pick(1, pick(0, 2) == 0 ? kSlots : 9));
    change(some_members(), pick(0, 9) < 6, start, end);
  }
  [[nodiscard]] bool idle(std::size_t m, std::int64_t from, std::int64_t until) const {
    const auto end = busy_[m].begin() + std::clamp<std::int64_t>(until, from, kSlots);
    return std::find(busy_[m].begin() + from, end, true) == end;
  }
  void compare() {
    const std::int64_t t = pick(0, kSlots - 1), duration_s = pick(1, pick(0, 1) == 0 ? 12 : 500);
    const std::int64_t count = pick(0, 1) == 0 ? pick(1, 6) : pick(1, kMembers);
    std::vector<Word> excluded, busy;
    if (pick(0, 2) == 0) excluded = some_members();
    const auto out = [&](std::size_t m) {
      return !excluded.empty() && ((excluded[m / 64] >> (m % 64)) & 1) != 0;
    };
    const auto fits = [&](std::int64_t at) {
      std::int64_t have = 0;
      for (std::size_t m = 0; m < kMembers; ++m) {
        have += !out(m) && idle(m, at, at + duration_s) ? 1 : 0;
      }
      return have >= count;
    };
    std::int64_t expected = t;
    while (expected < kSlots && !fits(expected)) ++expected;
    const auto found = line_.first_fit(count, excluded, t, duration_s, busy);
    ASSERT_EQ(found.has_value(), fits(expected));
    if (!found) return;
    ASSERT_EQ(*found, expected);
    for (std::size_t m = 0; m < kMembers; ++m) {
      const bool open = !out(m) && idle(m, expected, expected + duration_s);
      ASSERT_EQ((busy[m / 64] >> (m % 64)) & 1, open ? 0U : 1U) << m;
    }
  }

  std::mt19937_64 random_{static_cast<std::uint64_t>(GetParam())};
  MaskTimeline line_{kMembers};
  std::vector<std::vector<bool>> busy_ =
      std::vector<std::vector<bool>>(kMembers, std::vector<bool>(kSlots, false));
};

TEST_P(MaskTimelines, SayWhoIsIdleWhen) {
  for (int round = 0; round < 400 && !HasFailure(); ++round) {
    random_change();
    if (round % 4 == 0) {
      ASSERT_TRUE(line_.check()) << round;
    }
    compare();
  }
  change(std::vector<Word>(line_.words(), ~Word{0} >> 1), false, 0, kSlots);
  std::vector<Word> rest(line_.words(), Word{1} << 63);
  rest.back() = 0;
  change(rest, false, 0, kSlots);
  EXPECT_EQ(line_.steps(), 0U);
  EXPECT_TRUE(line_.check());
}

TEST_P(MaskTimelines, SayTheNextStep) {
  std::vector<std::int64_t> times;
  for (std::int64_t t = 3; t + 1 < kSlots; t += 5) {
    change({1, 0, 0}, true, t, t + 1);
    times.push_back(t);
    times.push_back(t + 1);
  }
  for (std::int64_t t = 0; t < kSlots; ++t) {
    const auto next = std::upper_bound(times.begin(), times.end(), t);
    EXPECT_EQ(line_.next_step(t), next == times.end() ? std::nullopt : std::optional(*next));
  }
}

// A copy shares the parts that neither of the two has changed.
TEST_P(MaskTimelines, CopiesGoTheirOwnWays) {
  for (int i = 0; i < 200; ++i) random_change();
  const MaskTimeline copy = line_;
  const auto was = busy_;
  for (int i = 0; i < 100; ++i) random_change();
  ASSERT_TRUE(line_.check());
  line_ = copy;
  busy_ = was;
  ASSERT_TRUE(line_.check());
  for (int i = 0; i < 50 && !HasFailure(); ++i) compare();
}

INSTANTIATE_TEST_SUITE_P(Seeds, MaskTimelines, ::testing::Range(1, 7));

}  // namespace
}  // namespace copse
