// SPDX-License-Identifier: Apache-2.0
#include "state/candidate_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace copse {
namespace {

using Need = CandidateList::Need;
using Order = CandidateList::Order;
using Position = CandidateList::Position;
using Value = CandidateList::Value;

std::vector<std::uint32_t> found(CandidateList& list, std::vector<Need> needs) {
  std::vector<std::uint32_t> out;
  for (Position at; list.next(at, needs); CandidateList::advance(at)) {
    out.push_back(list.pool(at).v);
  }
  return out;
}

// The weights of some keys, in the marked blocks.
std::vector<std::uint32_t> found_marked(const CandidateList& list,
                                        const std::set<std::uint32_t>& of) {
  CandidateList::Marks marks;
  for (const std::uint32_t key : of) list.mark(key, marks);
  std::vector<std::uint32_t> out;
  std::size_t looked = 0;
  for (std::uint32_t b = 0; b < list.blocks() && !marks.empty(); ++b) {
    if (!list.marked(b, marks)) continue;
    const auto keys = list.keys(b);
    bool some = false;
    for (std::uint32_t slot = 0; slot < keys.size(); ++slot) {
      if (!of.contains(keys[slot])) continue;
      some = true;
      out.push_back(list.pool({b, slot}).v);
    }
    EXPECT_TRUE(some);
    ++looked;
  }
  EXPECT_LE(looked, of.size());
  return out;
}

// Pools 1000, 1001, … with keys 0, 1, …
CandidateList consecutive(std::uint32_t count) {
  std::vector<PoolId> pools;
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < count; ++i) {
    pools.push_back(PoolId{1000 + i});
    keys.push_back(i);
  }
  return {pools, keys, count};
}

std::vector<std::uint32_t> range(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> out(last - first);
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST(CandidateList, OfNothing) {
  CandidateList list = consecutive(0);
  EXPECT_EQ(list.size(), 0U);
  EXPECT_FALSE(list.contains(0));
  EXPECT_TRUE(found(list, {}).empty());
  EXPECT_EQ(list.add_column(), 0U);
  EXPECT_TRUE(found(list, {{0, 0}}).empty());
}

TEST(CandidateList, KeepsAFixedOrder) {
  const std::vector<PoolId> pools{PoolId{7}, PoolId{3}, PoolId{9}};
  const std::vector<std::uint32_t> keys{4, 0, 2};
  CandidateList list(pools, keys, 5);
  EXPECT_EQ(found(list, {}), (std::vector<std::uint32_t>{7, 3, 9}));
  EXPECT_TRUE(list.contains(4));
  EXPECT_FALSE(list.contains(1));
  EXPECT_FALSE(list.contains(99));
  ASSERT_EQ(list.add_column(), 0U);
  list.set(2, 0, 5);
  list.set(0, 0, 3);
  EXPECT_EQ(found(list, {{0, 1}}), (std::vector<std::uint32_t>{3, 9}));
  EXPECT_EQ(found(list, {{0, 4}}), (std::vector<std::uint32_t>{9}));
  EXPECT_EQ(found(list, {{0, 6}}), (std::vector<std::uint32_t>{}));
  EXPECT_EQ(found(list, {{0, 0}}), (std::vector<std::uint32_t>{7, 3, 9}));
}

TEST(CandidateList, NeedsEveryColumn) {
  CandidateList list = consecutive(3);
  EXPECT_EQ(list.add_column(), 0U);
  EXPECT_EQ(list.add_column(), 1U);
  EXPECT_EQ(list.columns(), 2U);
  for (std::uint32_t key = 0; key < 3; ++key) list.set(key, 0, static_cast<Value>(key));
  list.set(1, 1, 9);
  list.set(2, 1, -9);
  EXPECT_EQ(found(list, {{0, 1}, {1, 0}}), (std::vector<std::uint32_t>{1001}));
  EXPECT_EQ(found(list, {{0, 1}, {1, -9}}), (std::vector<std::uint32_t>{1001, 1002}));
}

// Counts near the sizes of blocks (64) and groups of blocks (4096).
TEST(CandidateList, FindsTheOneThatFitsAmongAny) {
  for (const std::uint32_t count : {1U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 9000U}) {
    CandidateList list = consecutive(count);
    list.add_column();
    for (const std::uint32_t key : {0U, count / 2, count - 1}) {
      list.set(key, 0, 5);
      EXPECT_EQ(found(list, {{0, 5}}), (std::vector<std::uint32_t>{1000 + key})) << count;
      list.set(key, 0, 4);  // the largest of its block and group becomes smaller
      EXPECT_TRUE(found(list, {{0, 5}}).empty()) << count;
      list.set(key, 0, 0);
    }
    EXPECT_EQ(found(list, {{0, 0}}), range(1000, 1000 + count));
  }
}

TEST(CandidateList, GoesOnFromWhereItStood) {
  CandidateList list = consecutive(200);
  list.add_column();
  for (const std::uint32_t key : {0U, 63U, 64U, 130U, 199U}) list.set(key, 0, 1);
  const std::vector<Need> needs{{0, 1}};
  Position at;
  std::vector<std::uint32_t> pools;
  while (list.next(at, needs)) {
    const Position same = at;
    ASSERT_TRUE(list.next(at, needs));  // its position does not change
    EXPECT_EQ(list.pool(at), list.pool(same));
    pools.push_back(list.pool(at).v - 1000);
    CandidateList::advance(at);
  }
  EXPECT_EQ(pools, (std::vector<std::uint32_t>{0, 63, 64, 130, 199}));
}

TEST(CandidateList, MarksBlocksThatHaveSomeOfTheKeys) {
  const CandidateList list = consecutive(200);
  EXPECT_EQ(list.blocks(), 4U);
  EXPECT_TRUE(list.marked(3, {}));  // no candidate is marked
  EXPECT_EQ(found_marked(list, {199, 63, 64, 0}),
            (std::vector<std::uint32_t>{1000, 1063, 1064, 1199}));
  CandidateList::Marks marks;
  list.mark(200, marks);  // not in the list
  EXPECT_TRUE(marks.empty());
  list.mark(64, marks);
  EXPECT_FALSE(list.marked(0, marks));
  EXPECT_TRUE(list.marked(1, marks));
}

TEST(CandidateList, MovesTheOnlyEntry) {
  CandidateList list = consecutive(1);
  list.add_column();
  list.set_orders(std::vector<Order>{{5, 0}});
  list.set(0, 0, 3);
  list.reorder(0, {9, 0});
  list.reorder(0, {1, 0});
  EXPECT_EQ(found(list, {{0, 3}}), (std::vector<std::uint32_t>{1000}));
  list.set(0, 0, 2);
  EXPECT_TRUE(found(list, {{0, 3}}).empty());
}

TEST(CandidateList, TiesFollowTheirSecondNumber) {
  CandidateList list = consecutive(4);
  list.set_orders(std::vector<Order>{{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  list.reorder(0, {7, 5});
  list.reorder(2, {7, 4});
  list.reorder(3, {7, 6});
  EXPECT_EQ(found(list, {}), (std::vector<std::uint32_t>{1001, 1002, 1000, 1003}));
  list.reorder(3, {7, 6});  // no change
  EXPECT_EQ(found(list, {}), (std::vector<std::uint32_t>{1001, 1002, 1000, 1003}));
}

// As in `first`: used candidates move behind unused ones, so that the first blocks become empty.
TEST(CandidateList, SurvivesAllEntriesMovingBehindTheOthers) {
  constexpr std::uint32_t kCount = 5000;
  CandidateList list = consecutive(kCount);
  list.add_column();
  std::vector<Order> orders;
  for (std::uint32_t i = 0; i < kCount; ++i) orders.push_back({0, i});
  list.set_orders(orders);
  for (std::uint32_t i = 0; i < kCount; ++i) list.set(i, 0, static_cast<Value>(i % 100));
  for (std::uint32_t i = 0; i < kCount; ++i) list.reorder(i, {1, kCount - i});
  std::vector<std::uint32_t> wanted = range(1000, 1000 + kCount);
  std::reverse(wanted.begin(), wanted.end());
  EXPECT_EQ(found(list, {}), wanted);
  std::erase_if(wanted, [](std::uint32_t pool) { return (pool - 1000) % 100 < 98; });
  EXPECT_EQ(found(list, {{0, 98}}), wanted);
  EXPECT_EQ(list.add_column(), 1U);
  list.set(42, 1, 1);
  EXPECT_EQ(found(list, {{1, 1}}), (std::vector<std::uint32_t>{1042}));
}

// --- Against a sorted vector

class PlainList {
 public:
  struct Entry {
    Order order;
    std::uint32_t key;
    std::vector<Value> values;
  };

  explicit PlainList(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) entries_.push_back({{0, i}, i, {}});
  }
  Entry& of(std::uint32_t key) {
    return *std::find_if(entries_.begin(), entries_.end(), [&](auto& e) { return e.key == key; });
  }
  void add_column() {
    for (Entry& e : entries_) e.values.push_back(0);
  }
  void reorder(std::uint32_t key, Order order) {
    Entry moved = of(key);
    moved.order = order;
    entries_.erase(entries_.begin() + (&of(key) - entries_.data()));
    const auto place = std::partition_point(entries_.begin(), entries_.end(),
                                            [&](const Entry& e) { return e.order < order; });
    entries_.insert(place, std::move(moved));
  }
  [[nodiscard]] std::vector<std::uint32_t> found(const std::vector<Need>& needs) const {
    std::vector<std::uint32_t> out;
    for (const Entry& e : entries_) {
      if (std::all_of(needs.begin(), needs.end(),
                      [&](const Need& n) { return e.values[n.column] >= n.at_least; })) {
        out.push_back(1000 + e.key);
      }
    }
    return out;
  }

 private:
  std::vector<Entry> entries_;
};

TEST(CandidateList, AgreesWithASortedVector) {
  for (const std::uint32_t count : {3U, 150U, 5500U}) {
    std::mt19937 random(count);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    CandidateList list = consecutive(count);
    PlainList plain(count);
    std::vector<Order> orders;
    for (std::uint32_t i = 0; i < count; ++i) orders.push_back({0, i});
    const auto add_column = [&] {
      list.add_column();
      plain.add_column();
    };
    add_column();
    list.set_orders(orders);
    for (std::uint32_t step = 0; step < 12'000; ++step) {
      const std::uint32_t key = below(count), dice = below(100);
      if (dice < 45) {
        // Mostly small, so that few candidates meet large needs.
        const auto value = static_cast<Value>(below(10) == 0 ? below(1000) : below(4));
        const std::uint32_t column = below(list.columns());
        list.set(key, column, value);
        plain.of(key).values[column] = value;
      } else if (dice < 95) {
        // Few distinct weights cause long runs of ties and full blocks; sometimes all go to one
        // end.
        const Order order{below(3) == 0 ? below(5) : 1000 - step / 20, key};
        list.reorder(key, order);
        plain.reorder(key, order);
      } else if (dice == 95 && list.columns() < 4) {
        add_column();
      } else {
        std::vector<Need> needs;
        for (std::uint32_t c = 0; c < list.columns(); ++c) {
          if (below(2) == 0)
            needs.push_back({c, static_cast<Value>(below(2) == 0 ? below(1001) : below(4))});
        }
        ASSERT_EQ(found(list, needs), plain.found(needs)) << "step " << step;
        std::set<std::uint32_t> keys;
        for (std::uint32_t i = below(20); i > 0; --i) keys.insert(below(count));
        std::vector<std::uint32_t> wanted = plain.found({});
        std::erase_if(wanted, [&](std::uint32_t pool) { return !keys.contains(pool - 1000); });
        ASSERT_EQ(found_marked(list, keys), wanted) << "step " << step;
      }
    }
    ASSERT_EQ(found(list, {}), plain.found({}));
    EXPECT_EQ(list.size(), count);
  }
}

}  // namespace
}  // namespace copse
