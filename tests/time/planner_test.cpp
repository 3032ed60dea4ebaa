// SPDX-License-Identifier: Apache-2.0
#include "time/planner.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace copse {
namespace {

struct Span {
  std::int64_t start, end;
  std::array<std::int64_t, 2> amounts;
};

// The reference: a list of spans.
struct Brute {
  std::vector<Span> spans;
  [[nodiscard]] std::int64_t used_at(std::uint32_t d, std::int64_t t) const {
    std::int64_t sum = 0;
    for (const Span& s : spans) {
      if (s.start <= t && t < s.end) sum += s.amounts[d];
    }
    return sum;
  }
  [[nodiscard]] std::int64_t max_used(std::uint32_t d, std::int64_t a, std::int64_t b) const {
    std::int64_t most = used_at(d, a);
    for (const Span& s : spans) {
      if (s.start > a && s.start < b) most = std::max(most, used_at(d, s.start));
    }
    return most;
  }
  [[nodiscard]] std::int64_t min_used(std::uint32_t d, std::int64_t a, std::int64_t b) const {
    std::int64_t least = used_at(d, a);
    for (const Span& s : spans) {
      for (const std::int64_t x : {s.start, s.end}) {
        if (x > a && x < b) least = std::min(least, used_at(d, x));
      }
    }
    return least;
  }
  [[nodiscard]] std::optional<std::int64_t> next_step(std::int64_t t) const {
    std::optional<std::int64_t> best;
    for (const Span& s : spans) {
      for (std::int64_t x : {s.start, s.end}) {
        if (x >= t && (!best || x < *best)) best = x;
      }
    }
    return best;
  }
  // Walks back over all times before it at which something changes.
  [[nodiscard]] std::int64_t run_before(std::int64_t time,
                                        std::array<std::int64_t, 2> allowed) const {
    std::int64_t run = time;
    for (;;) {
      std::optional<std::int64_t> step;
      for (const Span& s : spans) {
        for (const std::int64_t x : {s.start, s.end}) {
          if (x < run && (!step || x > *step)) step = x;
        }
      }
      if (!step) return INT64_MIN;
      if (used_at(0, *step) > allowed[0] || used_at(1, *step) > allowed[1]) return run;
      run = *step;
    }
  }
  [[nodiscard]] std::optional<std::int64_t> earliest_fit(
      std::int64_t after, std::int64_t duration, std::int64_t horizon,
      std::array<std::int64_t, 2> allowed) const {
    for (auto t = next_step(after); t && *t < horizon; t = next_step(*t + 1)) {
      const std::int64_t end = std::min(*t + duration, horizon);
      if (max_used(0, *t, end) <= allowed[0] && max_used(1, *t, end) <= allowed[1]) return t;
    }
    return std::nullopt;
  }
};

TEST(Planner, IsEmptyAtFirstAndAfterTheLastSpanIsTakenBack) {
  Planner p(1);
  EXPECT_TRUE(p.empty());
  EXPECT_EQ(p.max_used(0, 0, 100), 0);
  const std::array<std::int64_t, 1> three{3};
  p.add(10, 20, three);
  EXPECT_EQ(p.used_at(0, 9), 0);
  EXPECT_EQ(p.used_at(0, 10), 3);
  EXPECT_EQ(p.used_at(0, 19), 3);
  EXPECT_EQ(p.used_at(0, 20), 0);
  EXPECT_EQ(p.max_used(0, 0, 10), 0);
  EXPECT_EQ(p.max_used(0, 0, 11), 3);
  EXPECT_EQ(p.max_used(0, 20, 100), 0);
  p.remove(10, 20, three);
  EXPECT_TRUE(p.empty());
  EXPECT_EQ(p.step_count(), 0u);
}

TEST(Planner, SpansWithoutAmountsAreStepsAllTheSame) {
  Planner p(1);
  const std::array<std::int64_t, 1> none{0};
  p.add(5, 7, none);
  EXPECT_EQ(p.next_step(0), 5);
  EXPECT_EQ(p.next_step(6), 7);
  EXPECT_EQ(p.next_step(8), std::nullopt);
}

TEST(Planner, EarliestFitIsAStepAtWhichTheAmountFitsForTheWholeDuration) {
  Planner p(1);
  const std::array<std::int64_t, 1> one{1};
  p.add(0, 10, one);
  p.add(15, 30, one);
  const std::array<std::int64_t, 1> nothing_used{0};
  EXPECT_EQ(p.earliest_fit(1, 5, 1000, nothing_used), 10);
  EXPECT_EQ(p.earliest_fit(1, 6, 1000, nothing_used), 30);
  EXPECT_EQ(p.earliest_fit(1, 6, 30, nothing_used), std::nullopt);  // the horizon is not a time
  EXPECT_EQ(p.earliest_fit(1, 6, 15, nothing_used), 10);            // truncated at the horizon
}

void compare(std::uint64_t seed, int events, std::int64_t horizon) {
  std::mt19937_64 random(seed);
  auto pick = [&](std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
  };
  Planner planner(2);
  Brute brute;
  for (int e = 0; e < events; ++e) {
    if (!brute.spans.empty() && pick(0, 99) < (e < events / 2 ? 25 : 60)) {
      const auto i =
          static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(brute.spans.size()) - 1));
      const Span s = brute.spans[i];
      planner.remove(s.start, s.end, s.amounts);
      brute.spans.erase(brute.spans.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      const std::int64_t start = pick(0, horizon);
      const Span s{start, start + pick(1, pick(0, 3) == 0 ? horizon : 5), {pick(0, 4), pick(0, 9)}};
      planner.add(s.start, s.end, s.amounts);
      brute.spans.push_back(s);
    }
    if (!brute.spans.empty() && pick(0, 1) == 0) {  // mostly near times
      Span& s = brute.spans[static_cast<std::size_t>(pick(0, std::ssize(brute.spans) - 1))];
      const std::int64_t by = pick(0, 3) == 0 ? horizon : 9;
      const std::int64_t start = pick(s.start - by, s.start + by);
      const std::int64_t end = std::max(start + 1, pick(s.end - by, s.end + by));
      planner.move(s.start, s.end, start, end, s.amounts);
      s.start = start;
      s.end = end;
    }
    if (e % 7 != 0) continue;
    const std::int64_t a = pick(0, horizon), b = a + pick(1, horizon);
    const auto d = static_cast<std::uint32_t>(pick(0, 1));
    ASSERT_EQ(planner.max_used(d, a, b), brute.max_used(d, a, b))
        << "seed " << seed << " event " << e;
    ASSERT_EQ(planner.min_used(d, a, b), brute.min_used(d, a, b))
        << "seed " << seed << " event " << e;
    ASSERT_EQ(planner.next_step(a), brute.next_step(a)) << "seed " << seed;
    const std::array<std::int64_t, 2> allowed{pick(0, 12), pick(0, 25)};
    ASSERT_EQ(planner.run_before(a, allowed), brute.run_before(a, allowed))
        << "seed " << seed << " event " << e;
    const std::int64_t duration = pick(1, 40);
    const auto fit = brute.earliest_fit(a, duration, horizon, allowed);
    ASSERT_EQ(planner.earliest_fit(a, duration, horizon, allowed), fit)
        << "seed " << seed << " event " << e;
    ASSERT_EQ(planner.earliest_fit(a, duration, horizon, allowed, Planner::AtHorizon::whole),
              fit && *fit <= horizon - duration ? fit : std::nullopt)
        << "seed " << seed << " event " << e;
  }
  while (!brute.spans.empty()) {
    const Span s = brute.spans.back();
    brute.spans.pop_back();
    planner.remove(s.start, s.end, s.amounts);
  }
  EXPECT_TRUE(planner.empty());
}

TEST(Planner, EqualsAListOfSpans) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) compare(seed, 300, 200);
}

TEST(Planner, EqualsAListOfSpansWithThousandsOfSteps) {
  for (std::uint64_t seed = 100; seed <= 102; ++seed) compare(seed, 3000, 100'000);
}

// A dimension without a bound never exceeds it, also below nodes with a negative pending addition:
// long spans over many steps are added and removed.
TEST(Planner, EarliestFitWithoutABoundOnOneDimension) {
  std::mt19937_64 random(5);
  const auto below = [&](std::uint64_t n) {
    return static_cast<std::int64_t>((random() >> 1) % n);
  };
  for (int round = 0; round < 20; ++round) {
    Planner p(2);
    Brute model;
    for (int step = 0; step < 600; ++step) {
      if (step > 200 && step % 2 == 0) {
        const std::size_t at = static_cast<std::size_t>(below(model.spans.size()));
        const Span gone = model.spans[at];
        model.spans.erase(model.spans.begin() + static_cast<std::ptrdiff_t>(at));
        p.remove(gone.start, gone.end, gone.amounts);
      } else {
        const std::int64_t start = below(2000);
        const Span span{start, start + 1 + below(step % 3 == 0 ? 2000 : 20), {1, 1 + below(9)}};
        model.spans.push_back(span);
        p.add(span.start, span.end, span.amounts);
      }
      if (step < 200 || step % 8 != 0) continue;
      const std::array<std::int64_t, 2> allowed{INT64_MAX, below(400)};
      const std::int64_t after = below(2000), duration = 1 + below(300);
      ASSERT_EQ(p.earliest_fit(after, duration, 100'000, allowed),
                model.earliest_fit(after, duration, 100'000, allowed))
          << "round " << round << " step " << step;
    }
  }
}

// Time advances: spans are added ahead and removed behind, and their number crosses the threshold
// at which the steps are stored in another form.
TEST(Planner, EqualsAListOfSpansWhileTimeGoesOn) {
  std::mt19937_64 random(9);
  const auto below = [&](std::uint64_t n) {
    return static_cast<std::int64_t>((random() >> 1) % n);
  };
  Planner p(2);
  Brute model;
  std::int64_t now = 0;
  for (int step = 0; step < 6000; ++step) {
    now += below(400);
    std::erase_if(model.spans, [&](const Span& s) {
      if (s.end > now) return false;
      p.remove(s.start, s.end, s.amounts);
      return true;
    });
    for (std::int64_t n = below(step / 200 % 2 == 0 ? 4 : 2); n > 0; --n) {
      const std::int64_t start = now + below(9000);
      model.spans.push_back({start, start + 1 + below(9000), {1, 1 + below(9)}});
      p.add(start, model.spans.back().end, model.spans.back().amounts);
    }
    const std::int64_t from = now + below(20'000), until = from + 1 + below(9000);
    ASSERT_EQ(p.max_used(1, from, until), model.max_used(1, from, until)) << step;
    const std::array<std::int64_t, 2> allowed{INT64_MAX, below(300)};
    ASSERT_EQ(p.earliest_fit(now, until - from, 100'000'000, allowed),
              model.earliest_fit(now, until - from, 100'000'000, allowed))
        << step;
  }
}

// Many steps in the second of four blocks, then few, then many over all four.
TEST(Planner, ManyStepsAgainOverALargerBlock) {
  Planner p(1);
  const std::array<std::int64_t, 1> one{1};
  for (std::int64_t i = 0; i < 50; ++i) p.add(20'480 + 40 * i, 20'480 + 40 * i + 2000, one);
  for (std::int64_t i = 0; i < 49; ++i) p.remove(20'480 + 40 * i, 20'480 + 40 * i + 2000, one);
  for (std::int64_t i = 0; i < 60; ++i) p.add(22'500 + 600 * i, 22'500 + 600 * i + 300, one);
  EXPECT_EQ(p.max_used(0, 23'000, 60'000), 2);
  for (std::int64_t i = 10; i < 60; ++i) {
    ASSERT_EQ(p.max_used(0, 22'500 + 600 * i, 22'500 + 600 * i + 300), 1) << i;
    ASSERT_EQ(p.max_used(0, 22'500 + 600 * i + 300, 22'500 + 600 * i + 600), 0) << i;
  }
}

// A step at each of 64 aligned seconds, which fill a leaf, before a step elsewhere.
TEST(Planner, ALeafWithAStepAtEachSecondKnowsItsFreeTimes) {
  for (std::int64_t calm = 0; calm <= 52; ++calm) {  // where the seven seconds begin
    Planner p(1);
    for (std::int64_t i = 0; i < 63; ++i) {
      const std::int64_t least = calm <= i && i < calm + 7 ? 1 : 8;
      const std::array<std::int64_t, 1> amount{least + i % 2};
      p.add(6400 + i, 6400 + i + 1, amount);
    }
    const std::array<std::int64_t, 1> nine{9}, five{5};
    p.add(6463, 8000, nine);
    ASSERT_EQ(p.step_count(), 65u);
    ASSERT_EQ(p.earliest_fit(6400, 7, 100'000, five), 6400 + calm);
    ASSERT_EQ(p.max_used(0, 6400 + calm, 6400 + calm + 7), 2) << calm;
    ASSERT_EQ(p.min_used(0, 6400, 6464), 1);
  }
}

TEST(Planner, EqualsAListOfSpansWithAStepAtNearlyEachSecond) {
  for (std::uint64_t seed = 200; seed <= 220; ++seed) compare(seed, 1500, 300);
}

TEST(Planner, StepsComeInOrderWithWhatIsInUse) {
  Planner p(2);
  std::mt19937_64 random(7);
  Brute brute;
  for (int i = 0; i < 500; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 10'000);
    const Span s{start, start + 1 + static_cast<std::int64_t>(random() % 3000), {1, 2}};
    brute.spans.push_back(s);
    p.add(s.start, s.end, s.amounts);
  }
  std::int64_t last = -1;
  std::size_t steps = 0;
  p.for_each_step([&](std::int64_t t, Planner::Amounts amounts) {
    EXPECT_GT(t, last);
    last = t;
    ++steps;
    EXPECT_EQ(amounts[0], brute.used_at(0, t));
    EXPECT_EQ(amounts[1], brute.used_at(1, t));
  });
  EXPECT_EQ(steps, p.step_count());
}

// Copies share the tree; each must behave as if built from its own spans alone.
TEST(Planner, CopiesGoTheirOwnWay) {
  std::mt19937_64 random(5);
  struct Copy {
    Planner planner{2};
    std::vector<Span> spans;
  };
  const auto steps_of = [](const Planner& planner) {
    std::vector<std::int64_t> out;
    planner.for_each_step([&](std::int64_t time, Planner::Amounts amounts) {
      out.push_back(time);
      out.insert(out.end(), amounts.begin(), amounts.end());
    });
    return out;
  };
  std::vector<Copy> copies(3);
  for (int step = 0; step < 6'000; ++step) {
    Copy& copy = copies[random() % 3];
    if (copy.spans.empty() || random() % 5 < 3) {
      const auto start = static_cast<std::int64_t>(random() % 1'000'000);
      const auto length = static_cast<std::int64_t>(1 + random() % 50'000);
      copy.spans.push_back({start, start + length, {1, static_cast<std::int64_t>(random() % 99)}});
      copy.planner.add(start, start + length, copy.spans.back().amounts);
    } else {
      std::swap(copy.spans[random() % copy.spans.size()], copy.spans.back());
      const Span& s = copy.spans.back();
      copy.planner.remove(s.start, s.end, s.amounts);
      copy.spans.pop_back();
    }
    if (step % 500 != 0) continue;
    copies[random() % 3] = Copy(copies[random() % 3]);
    for (const Copy& c : copies) {
      Planner own(2);
      for (const Span& s : c.spans) own.add(s.start, s.end, s.amounts);
      ASSERT_EQ(steps_of(c.planner), steps_of(own));
      const std::array<std::int64_t, 2> allowed{5, 400};
      for (std::int64_t t = 0; t < 1'000'000; t += 90'000) {
        ASSERT_EQ(c.planner.max_used(1, t, t + 20'000), own.max_used(1, t, t + 20'000));
        ASSERT_EQ(c.planner.earliest_fit(t, 30'000, 2'000'000, allowed),
                  own.earliest_fit(t, 30'000, 2'000'000, allowed));
      }
    }
  }
}

}  // namespace
}  // namespace copse
