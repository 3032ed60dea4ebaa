// SPDX-License-Identifier: Apache-2.0
#include "time/run_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace copse {
namespace {

TEST(RunBounds, AmountsShareARowWithinAQuarterOfAPowerOfTwo) {
  for (std::int64_t amount = 1; amount <= 8; ++amount) {
    EXPECT_EQ(RunBounds::row_amount(amount), amount);
  }
  EXPECT_EQ(RunBounds::row_amount(9), 8);
  EXPECT_EQ(RunBounds::row_amount(13), 12);
  EXPECT_EQ(RunBounds::row_amount(19), 16);
  EXPECT_EQ(RunBounds::row_amount(20), 20);
  EXPECT_EQ(RunBounds::row_amount(1'000), 896);
  for (std::int64_t amount = 1; amount < 500'000; amount += 1 + amount / 7) {
    EXPECT_LE(RunBounds::row_amount(amount), amount);
    EXPECT_GT(RunBounds::row_amount(amount) * 5 / 4 + 1, amount);
  }
  EXPECT_LE(RunBounds::row_amount(INT64_MAX), INT64_MAX);
}

TEST(RunBounds, LooksEverywhereAtFirstAndNowhereAfterNothingWasFound) {
  RunBounds bounds;
  EXPECT_TRUE(bounds.empty());
  bounds.cover(0, 100'000);
  const auto part = bounds.next(0, 100'000, 5'000, 4);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->from_s, 0);
  EXPECT_EQ(part->until_s, 100'000);
  bounds.none(*part, 5'000, 4);
  EXPECT_FALSE(bounds.empty());
  EXPECT_FALSE(bounds.next(0, 90'000, 5'000, 4));
  EXPECT_FALSE(bounds.next(0, 90'000, 6'000, 4));
  EXPECT_TRUE(bounds.next(0, 90'000, 4'999, 4));
  EXPECT_TRUE(bounds.next(0, 90'000, 5'000, 3));   // fewer may have longer runs
  EXPECT_TRUE(bounds.next(0, 110'000, 5'000, 4));  // this part was not searched
}

TEST(RunBounds, LooksWhereARunMayHaveGrown) {
  RunBounds bounds;
  bounds.cover(0, 200'000);
  bounds.none({0, 200'000}, 1'000, 4);
  bounds.freed(50'000, 50'500, 0, 3);  // too few
  bounds.freed(50'000, 50'500, 4, 9);  // they existed before
  EXPECT_FALSE(bounds.next(0, 190'000, 1'000, 4));
  bounds.freed(50'000, 50'500, 1, 4);
  // At most 999 on both sides.
  EXPECT_FALSE(bounds.next(0, 190'000, 2'499, 4));
  const auto part = bounds.next(0, 190'000, 2'498, 4);
  ASSERT_TRUE(part);
  EXPECT_LE(part->from_s, 50'000 - 999);
  EXPECT_GE(part->until_s, 50'500 + 999);
  EXPECT_LT(part->until_s - part->from_s, 10'000);
  EXPECT_FALSE(bounds.next(part->until_s, 190'000, 1'000, 4));
}

TEST(RunBounds, KnowsNothingOfTimesFarAhead) {
  RunBounds bounds;
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  bounds.cover(0, kFar);
  bounds.none({0, kFar}, 10, 1);
  EXPECT_FALSE(bounds.next(0, 1'000'000, 10, 1));
  const auto part = bounds.next(0, kFar, 10, 1);
  ASSERT_TRUE(part);
  EXPECT_GT(part->from_s, 1'000'000);
  EXPECT_EQ(part->until_s, kFar);
  bounds.freed(5'000, INT64_MAX, 0, 1);
  EXPECT_TRUE(bounds.next(0, 1'000'000, 500'000, 1));
  bounds.cover(kFar - 5, kFar);
  EXPECT_TRUE(bounds.next(kFar - 5, kFar, 5, 1));
}

// A list of the free amounts at each time: the earliest run must be found in the parts that the
// bounds allow.
class FreeTimes {
 public:
  static constexpr std::int64_t kStep_s = 211;

  FreeTimes(std::uint64_t seed, std::size_t steps) : random_(seed), free_(steps, kTotal) {}

  void run(int events) {
    for (int n = 0; n < events; ++n) {
      const std::int64_t what = pick(0, 9);
      if (what == 0) now_ = std::min<std::size_t>(now_ + number(0, 20), free_.size() / 2);
      if (what <= 4) take();
      if (what > 4 && what <= 7) give_back();
      look();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  static constexpr std::int64_t kTotal = 40;
  struct Span {
    std::size_t from, until;
    std::int64_t amount;
  };

  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random_);
  }
  std::size_t number(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution(least, most)(random_);
  }
  void take() {
    const std::size_t from = number(now_, free_.size() - 1);
    const std::size_t until = std::min(free_.size(), from + number(1, 60));
    std::int64_t most = kTotal;
    for (std::size_t i = from; i < until; ++i) most = std::min(most, free_[i]);
    if (most == 0) return;
    const Span span{from, until, pick(1, most)};
    for (std::size_t i = from; i < until; ++i) free_[i] -= span.amount;
    spans_.push_back(span);
  }
  void give_back() {
    if (spans_.empty()) return;
    std::swap(spans_[number(0, spans_.size() - 1)], spans_.back());
    const Span span = spans_.back();
    spans_.pop_back();
    std::int64_t least = kTotal, most = 0;
    for (std::size_t i = span.from; i < span.until; ++i) {
      least = std::min(least, free_[i]);
      free_[i] += span.amount;
      most = std::max(most, free_[i]);
    }
    bounds_.freed(time(span.from), time(span.until), least, most);
  }
  void look() {
    const std::size_t until = number(now_ + 1, free_.size());
    const std::size_t length = number(1, 80);
    const std::int64_t amount = pick(1, kTotal), duration_s = time(length);
    const std::int64_t row = RunBounds::row_amount(amount);
    const auto expected = earliest(now_, until, length, amount);
    std::optional<std::size_t> found;
    bounds_.cover(time(now_), time(until));
    auto part = bounds_.next(time(now_), time(until), duration_s, amount);
    for (; part && !found; part = bounds_.next(part->until_s, time(until), duration_s, amount)) {
      ASSERT_LT(part->from_s, part->until_s);
      // The times of the list that lie completely in the part.
      const auto from = static_cast<std::size_t>((part->from_s + kStep_s - 1) / kStep_s);
      const auto end = static_cast<std::size_t>(part->until_s / kStep_s);
      found = earliest(from, end, length, amount);
      if (!earliest(from, end, length, row)) bounds_.none(*part, duration_s, amount);
    }
    ASSERT_EQ(found, expected) << "from " << now_ << " until " << until << " length " << length;
  }
  [[nodiscard]] std::optional<std::size_t> earliest(std::size_t from, std::size_t until,
                                                    std::size_t length, std::int64_t amount) const {
    std::size_t since = from;
    for (std::size_t i = from; i < until; ++i) {
      if (free_[i] < amount) since = i + 1;
      if (i + 1 - since >= length && i + 1 > since) return since;
    }
    return std::nullopt;
  }
  [[nodiscard]] static std::int64_t time(std::size_t i) {
    return static_cast<std::int64_t>(i) * kStep_s;
  }

  std::mt19937_64 random_;
  std::vector<std::int64_t> free_;
  std::vector<Span> spans_;
  std::size_t now_ = 0;
  RunBounds bounds_;
};

TEST(RunBounds, FindWhatALookAtAllTimesFinds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FreeTimes(seed, 200 + 60 * seed)
        .run(600);  // from a sixth of the range of the cells to twice that range
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace copse
