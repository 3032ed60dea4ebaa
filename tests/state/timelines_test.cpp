// SPDX-License-Identifier: Apache-2.0
//
// Timelines of leaves and of idle pools, compared with plain tables of all grants.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <vector>

#include "graph/small_graph.hpp"
#include "state/state.hpp"
#include "state/timelines/leaf_timelines.hpp"
#include "state/timelines/pool_timeline.hpp"

namespace copse {
namespace {

constexpr std::int64_t kTimes = 48;  // after it everything is free

struct Grant {
  Selection selection;
  std::int64_t start, end;
  std::uint32_t number;
};

// A machine with random grants, and a table of each leaf and second: allocated or not.
class Timelines : public ::testing::Test {
 protected:
  Timelines() : graph_(machine()), state_(graph_, 0), lines_(graph_, state_.exclusive_spans()) {
    graph_.preorder(graph_.root(), [&](PoolId p) {
      if (graph_.leaf(p)) leaves_.push_back(p);
      if (graph_.type_name(p) == "node") nodes_.push_back(p);
      return true;
    });
    place_.assign(graph_.interior_count(), UINT32_MAX);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) place_[graph_.interior(nodes_[i])] = i;
    taken_.resize(graph_.pool_count());
  }

  [[nodiscard]] bool free(PoolId top, std::int64_t start, std::int64_t end) const {
    return std::all_of(leaves_.begin(), leaves_.end(), [&](PoolId leaf) {
      if (leaf != top && !graph_.below(leaf, top)) return true;
      for (std::int64_t t = start; t < std::min(end, kTimes); ++t) {
        if (taken_[leaf.v][static_cast<std::size_t>(t)]) return false;
      }
      return true;
    });
  }

  void note(const Grant& g, bool taken) {
    for (const SelectedPools& t : g.selection.taken) {
      if (!t.exclusive) continue;
      for (PoolId leaf : leaves_) {
        const bool own = leaf.v >= t.first.v && leaf.v < t.first.v + t.count;
        if (!own && !graph_.below(leaf, t.first)) continue;
        for (std::int64_t s = g.start; s < g.end; ++s) {
          taken_[leaf.v][static_cast<std::size_t>(s)] = taken;
        }
      }
    }
  }

  // Allocates pools, each exclusively, if they are free, and the shared pools on the path to them.
  void grant(std::vector<PoolId> pools, std::int64_t start, std::int64_t end) {
    if (!std::all_of(pools.begin(), pools.end(), [&](PoolId p) { return free(p, start, end); })) {
      return;
    }
    std::vector<std::pair<PoolId, bool>> entries;
    for (PoolId p : pools) {
      entries.emplace_back(p, true);
      for (PoolId up = graph_.parent(p); up != kNoPool; up = graph_.parent(up)) {
        entries.emplace_back(up, false);
      }
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    Grant g{{}, start, end, next_++};
    for (const auto& [p, exclusive] : entries) {
      if (!g.selection.taken.empty() && g.selection.taken.back().first == p) continue;
      g.selection.taken.push_back({.first = p, .count = 1, .exclusive = exclusive});
    }
    state_.apply(g.selection, start, end, g.number, 1);
    applied(g, 1);
    note(g, true);
    grants_.push_back(std::move(g));
  }

  void cancel(std::size_t i) {
    const Grant g = grants_[i];
    grants_.erase(grants_.begin() + static_cast<std::ptrdiff_t>(i));
    state_.apply(g.selection, g.start, g.end, g.number, -1);
    applied(g, -1);
    note(g, false);
  }

  void applied(const Grant& g, int sign) {
    lines_.applied(g.selection, g.start, g.end);
    if (idle_) idle_->applied(g.selection, g.start, g.end, sign);
  }

  void random_event(std::mt19937_64& random) {
    const auto start = static_cast<std::int64_t>(random() % (kTimes - 1));
    const auto end = start + 1 + static_cast<std::int64_t>(random() % 8);
    if (random() % 3 == 0 && !grants_.empty()) return cancel(random() % grants_.size());
    std::vector<PoolId> pools;
    if (random() % 3 == 0) {
      pools.push_back(nodes_[random() % nodes_.size()]);
    } else {
      const PoolId leaf = leaves_[random() % leaves_.size()];
      pools.push_back(random() % 4 == 0 ? graph_.parent(leaf) : leaf);
      const PoolId other = leaves_[random() % leaves_.size()];
      if (graph_.leaf(pools[0]) && other != leaf) pools.push_back(other);
    }
    grant(std::move(pools), start, std::min(end, kTimes));
  }

  void expect_leaves(PoolId node, const char* type, std::int64_t count, bool idle, std::int64_t t,
                     std::int64_t duration) {
    const LeafTimelines::Need need{graph_.find_type(type), count};
    const auto fit = lines_.first_fit(node, {&need, 1}, idle, t, duration, INT64_MAX);
    const auto fits = [&](std::int64_t at) {
      std::int64_t have = 0;
      for (PoolId leaf : leaves_) {
        have += graph_.below(leaf, node) && graph_.type(leaf) == need.type &&
                        free(leaf, at, at + duration)
                    ? 1
                    : 0;
      }
      return have >= count && (!idle || free(node, at, at + duration));
    };
    std::int64_t expected = t;
    while (expected < kTimes && !fits(expected)) ++expected;
    ASSERT_EQ(fit.has_value(), fits(expected));
    if (!fit) return;
    EXPECT_EQ(fit->from, expected);
    for (std::int64_t at = fit->from; at <= std::min(fit->until, kTimes); ++at) {
      EXPECT_TRUE(fits(at)) << at;
    }
  }

  void expect_idle(std::int64_t count, std::int64_t t, std::int64_t duration) {
    std::vector<PoolTimeline::Word> busy;
    const auto fit = idle_->first_fit(count, {}, t, duration, busy);
    std::int64_t expected = t;
    const auto idle_at = [&](std::int64_t at) {
      return std::count_if(nodes_.begin(), nodes_.end(),
                           [&](PoolId node) { return free(node, at, at + duration); });
    };
    while (expected < kTimes && idle_at(expected) < count) ++expected;
    ASSERT_EQ(fit.has_value(), idle_at(expected) >= count);
    if (!fit) return;
    ASSERT_EQ(*fit, expected);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      EXPECT_EQ((busy[0] >> i) & 1, free(nodes_[i], expected, expected + duration) ? 0U : 1U);
    }
  }

  ResourceGraph graph_;
  State state_;
  LeafTimelines lines_;
  std::optional<PoolTimeline> idle_;
  std::vector<PoolId> leaves_, nodes_;
  std::vector<std::uint32_t> place_;
  std::vector<std::array<bool, kTimes>> taken_;
  std::vector<Grant> grants_;
  std::uint32_t next_ = 0;
};

TEST_F(Timelines, SayWhenLeavesAndPoolsAreFree) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 30; ++i) random_event(random);
  idle_.emplace(graph_, state_, nodes_, place_);  // created late: it must have the existing grants
  for (int round = 0; round < 600 && !HasFailure(); ++round) {
    random_event(random);
    const auto t = static_cast<std::int64_t>(random() % kTimes);
    const auto duration = 1 + static_cast<std::int64_t>(random() % 12);
    const PoolId node = nodes_[random() % nodes_.size()];
    ASSERT_TRUE(lines_.covers(node));
    expect_leaves(node, "core", static_cast<std::int64_t>(random() % 18), random() % 5 == 0, t,
                  duration);
    expect_idle(1 + static_cast<std::int64_t>(random() % (nodes_.size() + 1)), t, duration);
    EXPECT_LE(idle_->steps(), 2 * grants_.size());
  }
  while (!grants_.empty()) cancel(grants_.size() - 1);
  for (PoolId node : nodes_) expect_leaves(node, "core", 1, true, 0, kTimes);
  expect_idle(static_cast<std::int64_t>(nodes_.size()), 0, kTimes);
  EXPECT_EQ(idle_->steps(), 0U);
}

TEST_F(Timelines, LookNoFurtherThanTheLimit) {
  grant({nodes_[0]}, 0, 10);
  const LeafTimelines::Need one{graph_.find_type("core"), 1};
  EXPECT_FALSE(lines_.first_fit(nodes_[0], {&one, 1}, false, 0, 5, 9));
  EXPECT_TRUE(lines_.first_fit(nodes_[0], {&one, 1}, false, 0, 5, 10));
}

// More steps than a block has: blocks are split, and freed.
TEST_F(Timelines, ManySteps) {
  idle_.emplace(graph_, state_, nodes_, place_);
  std::vector<Grant> made;
  for (std::int64_t i = 0; i < 1000; ++i) {
    Selection selection;
    selection.taken = {{.first = graph_.root()}, {.first = nodes_[0], .exclusive = true}};
    made.push_back({selection, 3 * i, 3 * i + 2, static_cast<std::uint32_t>(i)});
    state_.apply(selection, 3 * i, 3 * i + 2, static_cast<std::uint32_t>(i), 1);
    idle_->applied(selection, 3 * i, 3 * i + 2, 1);
  }
  std::vector<PoolTimeline::Word> busy;
  const auto all = static_cast<std::int64_t>(nodes_.size());
  EXPECT_EQ(idle_->first_fit(all, {}, 0, 1, busy), 2);
  EXPECT_EQ(idle_->first_fit(all, {}, 0, 2, busy), 2999);
  EXPECT_EQ(idle_->first_fit(all - 1, {}, 0, 5000, busy), 0);
  const PoolTimeline::Word without = 2;  // node1 does not fit
  EXPECT_EQ(idle_->first_fit(all, {&without, 1}, 0, 1, busy), std::nullopt);
  for (const Grant& g : made) {
    state_.apply(g.selection, g.start, g.end, g.number, -1);
    idle_->applied(g.selection, g.start, g.end, -1);
  }
  EXPECT_EQ(idle_->first_fit(all, {}, 0, 5000, busy), 0);
}

TEST_F(Timelines, GiveUpWhereTheyWouldBeTooLarge) {
  idle_.emplace(graph_, state_, nodes_, place_, std::vector<PoolTimeline::Need>{},
                PoolTimeline::Limits{.bytes_max = 64});
  for (std::int64_t i = 0; i < 20; ++i) grant({nodes_[0]}, 2 * i, 2 * i + 1);
  EXPECT_FALSE(idle_->usable());
  idle_.emplace(graph_, state_, nodes_, place_, std::vector<PoolTimeline::Need>{},
                PoolTimeline::Limits{.bytes_max = 64});
  EXPECT_FALSE(idle_->usable());  // built from the existing grants
}

}  // namespace
}  // namespace copse
