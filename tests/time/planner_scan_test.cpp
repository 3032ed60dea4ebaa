// SPDX-License-Identifier: Apache-2.0
//
// The planner compared with a scan of all steps: random and adversarial profiles that grow and
// shrink, with queries in between.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "time/planner.hpp"

namespace copse {
namespace {

#if defined(COPSE_SANITIZED)
constexpr int kQueries = 40'000;
#else
constexpr int kQueries = 1'000'000;
#endif

using Numbers = std::vector<std::int64_t>;

struct ScanSpan {
  std::int64_t start, end;
  Numbers amounts;
};

// The reference: every step with the amount in use from it on.
class Scan {
 public:
  void add(const ScanSpan& s, int sign) {
    for (const bool first : {true, false}) {
      Change& change = changes_[first ? s.start : s.end];
      change.amounts.resize(s.amounts.size());
      change.spans += sign;
      for (std::size_t k = 0; k < s.amounts.size(); ++k) {
        change.amounts[k] += (first ? sign : -sign) * s.amounts[k];
      }
      if (change.spans == 0) changes_.erase(first ? s.start : s.end);
    }
    times_.clear();
  }
  void settle() {
    if (!times_.empty()) return;
    used_.clear();
    Numbers sum;
    for (const auto& [time, change] : changes_) {
      sum.resize(change.amounts.size());
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += change.amounts[k];
      times_.push_back(time);
      used_.push_back(sum);
    }
  }
  [[nodiscard]] std::int64_t max_used(std::uint32_t k, std::int64_t a, std::int64_t b) const {
    auto i = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), a) -
                                      times_.begin());
    std::int64_t most = i == 0 ? 0 : used_[i - 1][k];
    for (; i < times_.size() && times_[i] < b; ++i) most = std::max(most, used_[i][k]);
    return most;
  }
  [[nodiscard]] std::int64_t min_used(std::uint32_t k, std::int64_t a, std::int64_t b) const {
    auto i = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), a) -
                                      times_.begin());
    std::int64_t least = i == 0 ? 0 : used_[i - 1][k];
    for (; i < times_.size() && times_[i] < b; ++i) least = std::min(least, used_[i][k]);
    return least;
  }
  [[nodiscard]] std::optional<std::int64_t> next_step(std::int64_t t) const {
    const auto at = std::lower_bound(times_.begin(), times_.end(), t);
    return at == times_.end() ? std::nullopt : std::optional(*at);
  }
  [[nodiscard]] std::optional<std::int64_t> earliest_fit(std::int64_t after, std::int64_t duration,
                                                         std::int64_t horizon,
                                                         const Numbers& allowed) const {
    std::optional<std::int64_t> since;
    for (std::size_t i = 0; i < times_.size() && times_[i] < horizon; ++i) {
      if (times_[i] < after) continue;
      if (since && duration <= times_[i] - *since) return since;
      bool over = false;
      for (std::size_t k = 0; k < allowed.size(); ++k) over |= used_[i][k] > allowed[k];
      if (over) since.reset();
      if (!over && !since) since = times_[i];
    }
    return since;
  }
  [[nodiscard]] const Numbers& times() const { return times_; }
  [[nodiscard]] const std::vector<Numbers>& used() const { return used_; }

 private:
  struct Change {
    Numbers amounts;
    int spans = 0;
  };
  std::map<std::int64_t, Change> changes_;
  Numbers times_;
  std::vector<Numbers> used_;
};

enum class Kind { random, just_short, equal_times, to_horizon, cancelling, clusters, large, kinds };

class Round {
 public:
  explicit Round(std::uint64_t seed)
      : random_(seed),
        kind_(static_cast<Kind>(pick(0, static_cast<std::int64_t>(Kind::kinds) - 1))),
        dimensions_(static_cast<std::uint32_t>(pick(1, 4))),
        duration_(pick(1, std::int64_t{1} << pick(1, 20))),
        horizon_(pick(0, 3) == 0 ? INT64_MAX : pick(1, 400) * duration_),
        planner_(dimensions_) {}

  // Returns how many queries were compared.
  int run() {
    const std::int64_t spans_max = std::int64_t{4} << pick(0, 9);
    int queries = 0;
    for (int batch = 0; batch < 24 && !testing::Test::HasFailure(); ++batch) {
      const bool grow = batch < 12 ? pick(0, 4) != 0 : pick(0, 3) == 0;
      const std::int64_t changes = pick(1, spans_max / 5 + 1);
      for (std::int64_t i = 0; i < changes; ++i) {
        if (pick(0, 3) == 0) move();
        grow ? add() : remove();
      }
      scan_.settle();
      compare_steps();
      for (int i = 0; i < 40; ++i) compare_queries();
      queries += 120;
    }
    while (!spans_.empty()) remove();
    EXPECT_TRUE(planner_.empty());
    EXPECT_EQ(planner_.next_step(INT64_MIN), std::nullopt);
    return queries;
  }

 private:
  std::int64_t pick(std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(hi - lo + 1));
  }
  std::int64_t amount() {
    if (kind_ == Kind::large && pick(0, 20) == 0) return std::int64_t{1} << pick(28, 40);
    return pick(0, 3) == 0 ? 0 : pick(1, 5);
  }
  std::int64_t time() {
    switch (kind_) {
      case Kind::equal_times: return pick(0, 6) * duration_;
      case Kind::clusters: return (std::int64_t{1} << pick(1, 55)) + pick(-200, 200);
      case Kind::just_short: return pick(0, 300) * (duration_ + pick(0, 1));
      case Kind::random:
      case Kind::to_horizon:
      case Kind::cancelling:
      case Kind::large:
      case Kind::kinds: break;
    }
    return pick(0, 100 * duration_);
  }
  void add() {
    ScanSpan s{time(), 0, {}};
    switch (pick(0, 2)) {
      case 0: s.end = s.start + pick(1, 3 * duration_); break;
      case 1: s.end = s.start + std::max<std::int64_t>(1, duration_ / 8); break;
      default: s.end = s.start + 1;
    }
    if (kind_ == Kind::to_horizon && pick(0, 1) == 0) s.end = std::max(s.start + 1, horizon_);
    for (std::uint32_t k = 0; k < dimensions_; ++k) s.amounts.push_back(amount());
    if (kind_ == Kind::cancelling && !spans_.empty()) {
      const ScanSpan& before = spans_.back();  // the sum does not change where the span ends
      s.end += before.end - s.start;
      s.start = before.end;
      s.amounts = before.amounts;
      if (pick(0, 50) == 0 || s.end > INT64_MAX / 4) s.start = time(), s.end = s.start + duration_;
    }
    planner_.add(s.start, s.end, s.amounts);
    scan_.add(s, 1);
    spans_.push_back(std::move(s));
  }
  void remove() {
    if (spans_.empty()) return;
    const auto i = static_cast<std::size_t>(pick(0, std::ssize(spans_) - 1));
    std::swap(spans_[i], spans_.back());
    const ScanSpan& s = spans_.back();
    planner_.remove(s.start, s.end, s.amounts);
    scan_.add(s, -1);
    spans_.pop_back();
  }
  // By a little, or anywhere.
  void move() {
    if (spans_.empty()) return;
    ScanSpan& s = spans_[static_cast<std::size_t>(pick(0, std::ssize(spans_) - 1))];
    if (s.end > INT64_MAX / 4) return;
    ScanSpan to = s;
    to.start = pick(0, 1) == 0 ? s.start - pick(0, duration_) : time();
    to.end = to.start + (pick(0, 3) == 0 ? pick(1, 2 * duration_) : s.end - s.start);
    planner_.move(s.start, s.end, to.start, to.end, s.amounts);
    scan_.add(s, -1);
    scan_.add(to, 1);
    s = to;
  }
  void compare_steps() {
    std::size_t i = 0;
    bool same = planner_.step_count() == scan_.times().size();
    planner_.for_each_step([&](std::int64_t time, Planner::Amounts amounts) {
      same = same && i < scan_.times().size() && time == scan_.times()[i] &&
             std::equal(amounts.begin(), amounts.end(), scan_.used()[i].begin());
      ++i;
    });
    EXPECT_TRUE(same && i == scan_.times().size());
  }
  // A time at or near a step, or any time.
  std::int64_t some_time() {
    if (scan_.times().empty() || pick(0, 3) == 0) return time();
    const auto i = static_cast<std::size_t>(pick(0, std::ssize(scan_.times()) - 1));
    const std::int64_t at = scan_.times()[i];
    return at > INT64_MAX / 2 ? at : at + pick(-1, 1);
  }
  void compare_queries() {
    const std::int64_t a = some_time(), other = some_time();
    const std::int64_t b = other > a ? other : a < INT64_MAX - 2 ? a + 1 : INT64_MAX;
    const auto k = static_cast<std::uint32_t>(pick(0, dimensions_ - 1));
    if (b > a) {
      EXPECT_EQ(planner_.max_used(k, a, b), scan_.max_used(k, a, b)) << a << " to " << b;
      EXPECT_EQ(planner_.min_used(k, a, b), scan_.min_used(k, a, b)) << a << " to " << b;
    }
    EXPECT_EQ(planner_.next_step(a), scan_.next_step(a));
    if (!scan_.times().empty()) compare_run_before(a);
    Numbers allowed;
    for (std::uint32_t j = 0; j < dimensions_; ++j) {
      allowed.push_back(pick(0, 9) == 0 ? INT64_MAX : some_amount(j));
    }
    const std::int64_t duration = pick(0, 2) != 0 ? duration_ : pick(1, 20 * duration_);
    const std::int64_t after = pick(0, 2) == 0 ? a : 0;
    const std::int64_t horizon = pick(0, 3) == 0 ? b : horizon_;
    const auto fit = scan_.earliest_fit(after, duration, horizon, allowed);
    EXPECT_EQ(planner_.earliest_fit(after, duration, horizon, allowed), fit)
        << "after " << after << " duration " << duration << " horizon " << horizon;
    // The last cell is partial: nothing after it is complete.
    EXPECT_EQ(planner_.earliest_fit(after, duration, horizon, allowed, Planner::AtHorizon::whole),
              fit && *fit <= horizon - duration ? fit : std::nullopt)
        << "after " << after << " duration " << duration << " horizon " << horizon;
  }
  // The first step after the last one before `at` at which a limit is exceeded.
  void compare_run_before(std::int64_t at) {
    Numbers allowed;
    for (std::uint32_t k = 0; k < dimensions_; ++k) {
      allowed.push_back(std::max<std::int64_t>(0, some_amount(k)));
    }
    std::int64_t begin = INT64_MIN;
    for (std::size_t i = 0; i < scan_.times().size() && scan_.times()[i] < at; ++i) {
      bool over = false;
      for (std::uint32_t k = 0; k < dimensions_; ++k) over |= scan_.used()[i][k] > allowed[k];
      if (over) begin = i + 1 < scan_.times().size() ? std::min(scan_.times()[i + 1], at) : at;
    }
    EXPECT_EQ(planner_.run_before(at, allowed), begin) << "before " << at;
  }
  std::int64_t some_amount(std::uint32_t k) {
    if (scan_.times().empty() || pick(0, 2) == 0) return pick(0, 4);
    return scan_.used()[static_cast<std::size_t>(pick(0, std::ssize(scan_.times()) - 1))][k];
  }

  std::mt19937_64 random_;
  Kind kind_;
  std::uint32_t dimensions_;
  std::int64_t duration_, horizon_;
  Planner planner_;
  Scan scan_;
  std::vector<ScanSpan> spans_;
};

TEST(PlannerScan, AnswersAreThoseOfAScanOverAllSteps) {
  int queries = 0;
  for (std::uint64_t seed = 1; queries < kQueries; ++seed) {
    queries += Round(seed).run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace copse
