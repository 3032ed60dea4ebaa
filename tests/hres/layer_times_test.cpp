// SPDX-License-Identifier: Apache-2.0
#include "hres/layer_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "property/random.hpp"

namespace copse {
namespace {

using Job = LayerTimes::Job;
using Charges = std::map<Job, LayerTimes::Charge>;

LayerTimes::ChargeOf from(const Charges& charges) {
  return [&charges](Job job) -> std::optional<LayerTimes::Charge> {
    const auto at = charges.find(job);
    if (at == charges.end()) return {};
    return at->second;
  };
}
const Charges kNothing;

TEST(LayerTimes, ChargesAddUpAndGoWithoutTrace) {
  LayerTimes times;
  EXPECT_TRUE(times.idle());
  times.charge(1, {10, 20, 3}, 1);
  times.charge(2, {15, 30, 4}, 1);
  EXPECT_EQ(times.used_at(9), 0);
  EXPECT_EQ(times.used_at(10), 3);
  EXPECT_EQ(times.used_at(15), 7);
  EXPECT_EQ(times.used_at(20), 4);
  EXPECT_EQ(times.used_at(30), 0);
  EXPECT_EQ(times.most_taken(9, 0, 100), 7);
  EXPECT_EQ(times.most_taken(9, 20, 100), 4);
  times.charge(1, {10, 20, 3}, -1);
  times.charge(2, {15, 30, 4}, -1);
  EXPECT_TRUE(times.idle());
}

TEST(LayerTimes, AReservationHoldsBackWhatItsJobsHaveNotTaken) {
  LayerTimes times;
  ASSERT_TRUE(times.reserve({"r", 5, 10, 30, {7}}, 8, from(kNothing)));
  EXPECT_EQ(times.held_at(9), 0);
  EXPECT_EQ(times.held_at(10), 5);
  EXPECT_EQ(times.most_taken(1, 0, 100), 5);
  EXPECT_EQ(times.most_taken(7, 0, 100), 0);
  times.charge(7, {15, 20, 2}, 1);
  EXPECT_EQ(times.held_at(14), 5);
  EXPECT_EQ(times.held_at(15), 3);
  EXPECT_EQ(times.used_at(15), 2);
  EXPECT_EQ(times.reserved_at(15), 5);
  EXPECT_EQ(times.most_taken(1, 15, 20), 5);  // once, not twice
  EXPECT_EQ(times.most_taken(7, 15, 20), 2);
  times.charge(7, {15, 20, 2}, -1);
  EXPECT_EQ(times.held_at(15), 5);
  times.charge(7, {0, 100, 9}, 1);  // a named job may use more
  EXPECT_EQ(times.held_at(15), 0);
  EXPECT_EQ(times.used_at(15), 9);
  times.charge(7, {0, 100, 9}, -1);
  EXPECT_TRUE(times.free("r").has_value());
  EXPECT_TRUE(times.idle());
  EXPECT_FALSE(times.reserved());
  EXPECT_FALSE(times.free("r").has_value());
}

TEST(LayerTimes, WhatAJobHadBeforeItWasNamedCounts) {
  LayerTimes times;
  const Charges charges{{7, {5, 15, 4}}};
  times.charge(7, charges.at(7), 1);
  times.charge(8, {5, 15, 4}, 1);
  EXPECT_FALSE(times.reserve({"other", 5, 0, 20, {9}}, 10, from(charges)));
  EXPECT_TRUE(times.reserve({"own", 6, 0, 20, {7}}, 10, from(charges)));
  EXPECT_EQ(times.held_at(0), 6);
  EXPECT_EQ(times.held_at(5), 2);
  EXPECT_EQ(times.held_at(15), 6);
}

TEST(LayerTimes, AJobNamedTwiceFillsTheOldestFirst) {
  LayerTimes times;
  ASSERT_TRUE(times.reserve({"old", 3, 0, 100, {7}}, 20, from(kNothing)));
  ASSERT_TRUE(times.reserve({"new", 4, 0, 100, {8, 7}}, 20, from(kNothing)));
  times.charge(7, {0, 100, 5}, 1);
  EXPECT_EQ(times.held_at(0), 2);             // all of the old reservation, 2 of the new one
  EXPECT_EQ(times.most_taken(8, 0, 100), 5);  // the new reservation is its own
  EXPECT_EQ(times.most_taken(9, 0, 100), 7);
  times.charge(8, {50, 60, 9}, 1);
  EXPECT_EQ(times.held_at(55), 0);
  EXPECT_EQ(times.used_at(55), 14);
  (void)times.free("old");
  EXPECT_EQ(times.held_at(0), 0);  // 5 of 4
  EXPECT_EQ(times.used_at(0), 5);
}

TEST(LayerTimes, ARefusedReservationLeavesNothing) {
  LayerTimes times;
  ASSERT_TRUE(times.reserve({"r", 4, 0, 50, {7}}, 10, from(kNothing)));
  times.charge(7, {10, 20, 1}, 1);
  times.charge(8, {40, 60, 5}, 1);
  const Charges charges{{7, {10, 20, 1}}, {8, {40, 60, 5}}};
  EXPECT_FALSE(times.reserve({"s", 7, 0, 60, {7, 8}}, 10, from(charges)));
  EXPECT_EQ(times.held_at(0), 4);
  EXPECT_EQ(times.held_at(10), 3);
  EXPECT_EQ(times.held_at(45), 4);
  EXPECT_EQ(times.reserved_at(0), 4);
  EXPECT_FALSE(times.free("s").has_value());
  EXPECT_EQ(times.most_taken(8, 40, 50), 9);  // it is no longer named
}

// Its jobs use the whole withheld amount, but less is available.
TEST(LayerTimes, NothingIsReservedWhereMoreIsUsedThanThereIs) {
  LayerTimes times;
  const Charges charges{{7, {0, 10, 4}}};
  times.charge(7, charges.at(7), 1);
  EXPECT_FALSE(times.reserve({"r", 1, 0, 5, {7}}, 2, from(charges)));
  EXPECT_FALSE(times.reserved());
  EXPECT_FALSE(times.reserve({"r", 1, 5, 15, {7}}, 2, from(charges)));
  EXPECT_TRUE(times.reserve({"r", 1, 10, 15, {7}}, 2, from(charges)));
  EXPECT_EQ(times.used_at(0), 4);
}

TEST(LayerTimes, TheSameJobTwiceInOneReservationIsOnce) {
  LayerTimes times;
  ASSERT_TRUE(times.reserve({"r", 4, 0, 50, {7, 7}}, 10, from(kNothing)));
  times.charge(7, {0, 50, 3}, 1);
  EXPECT_EQ(times.held_at(0), 1);
  ASSERT_TRUE(times.free("r").has_value());
  EXPECT_EQ(times.most_taken(7, 0, 50), 3);
  times.charge(7, {0, 50, 3}, -1);
  EXPECT_TRUE(times.idle());
}

TEST(LayerTimes, SixtyThreeBits) {
  constexpr std::int64_t most = INT64_MAX;
  LayerTimes times;
  times.charge(1, {0, 10, most - 2}, 1);
  EXPECT_FALSE(times.reserve({"r", 3, 0, 20, {7}}, most, from(kNothing)));
  ASSERT_TRUE(times.reserve({"r", 2, 0, 20, {7}}, most, from(kNothing)));
  EXPECT_EQ(times.most_taken(8, 0, 20), most);
  EXPECT_FALSE(times.reserve({"s", 1, 0, 20, {7}}, most, from(kNothing)));
  times.charge(7, {0, 10, 2}, 1);  // sums stay: the withheld amount is in use
  EXPECT_EQ(times.most_taken(8, 0, 20), most);
  EXPECT_EQ(times.used_at(0), most);
  times.charge(7, {0, 10, 2}, -1);
  EXPECT_EQ(times.held_at(0), 2);
  EXPECT_EQ(times.earliest(8, 0, 5, 100, 0), 20);
  EXPECT_EQ(times.earliest(8, 0, 5, 100, most), 0);
  EXPECT_EQ(times.earliest(8, 0, 5, 100, 2), 10);
  EXPECT_FALSE(times.earliest(8, 0, 5, 100, -1).has_value());
}

TEST(LayerTimes, EndedReservationsAreDropped) {
  LayerTimes times;
  ASSERT_TRUE(times.reserve({"a", 1, 0, 10, {}}, 9, from(kNothing)));
  ASSERT_TRUE(times.reserve({"b", 2, 5, 20, {3}}, 9, from(kNothing)));
  ASSERT_TRUE(times.reserve({"c", 3, 0, 10, {3}}, 9, from(kNothing)));
  std::vector<LayerTimes::Reservation> ended;
  times.drop_ended(9, ended);
  EXPECT_TRUE(ended.empty());
  times.drop_ended(10, ended);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].id + ended[1].id, "ac");
  EXPECT_EQ(times.reserved_at(10), 2);
  times.drop_ended(20, ended);
  EXPECT_TRUE(times.idle());
  EXPECT_FALSE(times.reserved());
}

// --- Against a scan of every second

struct Scan {
  static constexpr std::int64_t kEnd = 24;
  struct Kept {
    std::string id;
    std::int64_t count, start, end;
    std::vector<Job> jobs;
  };
  Charges charges;
  std::vector<Kept> kept;  // the oldest first

  [[nodiscard]] std::int64_t used(std::int64_t t) const {
    std::int64_t sum = 0;
    for (const auto& [job, c] : charges) sum += c.start <= t && t < c.end ? c.amount : 0;
    return sum;
  }
  // Without reservations that name the job; 0 is no job.
  [[nodiscard]] std::int64_t held(std::int64_t t, Job without = 0) const {
    std::map<Job, std::int64_t> left;
    for (const auto& [job, c] : charges) {
      if (c.start <= t && t < c.end) left[job] = c.amount;
    }
    std::int64_t sum = 0;
    for (const Kept& k : kept) {
      if (t < k.start || t >= k.end) continue;
      std::int64_t rest = k.count;
      for (Job job : k.jobs) {
        const std::int64_t part = std::min(rest, left[job]);
        rest -= part;
        left[job] -= part;
      }
      if (std::find(k.jobs.begin(), k.jobs.end(), without) == k.jobs.end()) sum += rest;
    }
    return sum;
  }
};

TEST(LayerTimes, IsWhatAScanOfEverySecondSays) {
  std::size_t kept = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    property::Random random(seed);
    LayerTimes times;
    Scan scan;
    const std::int64_t total = random.between(4, 12);
    int next = 0;
    for (int step = 0; step < 40 && !HasFailure(); ++step) {
      const auto dice = random.below(10);
      const std::int64_t start = random.between(0, Scan::kEnd - 2);
      const std::int64_t end = random.between(start + 1, Scan::kEnd);
      const Job job = 1 + random.below(6);
      if (dice < 4 && !scan.charges.contains(job)) {
        const LayerTimes::Charge charge{start, end, random.between(1, 4)};
        times.charge(job, charge, 1);
        scan.charges.emplace(job, charge);
      } else if (dice < 5 && scan.charges.contains(job)) {
        times.charge(job, scan.charges.at(job), -1);
        scan.charges.erase(job);
      } else if (dice < 8) {
        Scan::Kept wanted{std::to_string(++next), random.between(1, 5), start, end, {}};
        for (auto n = random.below(4); n > 0; --n) wanted.jobs.push_back(1 + random.below(6));
        scan.kept.push_back(wanted);
        bool fits = true;
        for (std::int64_t t = start; t < end; ++t) {
          fits = fits && scan.used(t) + scan.held(t) <= total;
        }
        if (!fits) scan.kept.pop_back();
        EXPECT_EQ(times.reserve({wanted.id, wanted.count, start, end, wanted.jobs}, total,
                                from(scan.charges)),
                  fits);
        (fits ? kept : refused) += 1;
      } else if (dice < 9 && !scan.kept.empty()) {
        const std::size_t at = random.below(scan.kept.size());
        EXPECT_TRUE(times.free(scan.kept[at].id).has_value());
        scan.kept.erase(scan.kept.begin() + static_cast<std::ptrdiff_t>(at));
      }
      for (std::int64_t t = 0; t < Scan::kEnd; ++t) {
        ASSERT_EQ(times.used_at(t), scan.used(t)) << "seed " << seed << " step " << step;
        ASSERT_EQ(times.held_at(t), scan.held(t)) << "seed " << seed << " step " << step;
      }
      std::int64_t most = 0;
      for (std::int64_t t = start; t < end; ++t) {
        most = std::max(most, scan.used(t) + scan.held(t, job));
      }
      ASSERT_EQ(times.most_taken(job, start, end), most) << "seed " << seed << " step " << step;
    }
    for (const auto& [job, charge] : scan.charges) times.charge(job, charge, -1);
    for (const Scan::Kept& k : scan.kept) EXPECT_TRUE(times.free(k.id).has_value());
    EXPECT_TRUE(times.idle()) << "seed " << seed;
  }
  EXPECT_GT(kept, 500u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace copse
