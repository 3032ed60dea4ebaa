// SPDX-License-Identifier: Apache-2.0
#include "base/chunked_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iterator>
#include <set>
#include <vector>

namespace copse {
namespace {

using FewIntegers = ChunkedSet<int, 4>;

std::vector<int> listed(const FewIntegers& set) { return {set.begin(), set.end()}; }

TEST(ChunkedSet, IsSortedAndHasEachItemOnce) {
  FewIntegers set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.begin(), set.end());
  EXPECT_FALSE(set.contains(1));
  EXPECT_FALSE(set.erase(1));
  for (const int item : {5, 1, 9, 3, 7, 5}) set.insert(item);
  EXPECT_EQ(listed(set), (std::vector<int>{1, 3, 5, 7, 9}));
  EXPECT_FALSE(set.insert(9));
  EXPECT_EQ(set.front(), 1);
  EXPECT_EQ(set.back(), 9);
  EXPECT_TRUE(set.erase(5));
  EXPECT_FALSE(set.erase(5));
  EXPECT_EQ(listed(set), (std::vector<int>{1, 3, 7, 9}));
  set.clear();
  EXPECT_TRUE(set.empty());
  set.check();
}

TEST(ChunkedSet, CopiesAreIndependent) {
  FewIntegers a;
  for (int item = 0; item < 20; ++item) a.insert(item);
  FewIntegers b = a;
  b.erase(3);
  a.insert(100);
  EXPECT_TRUE(a.contains(3));
  EXPECT_FALSE(b.contains(100));
  EXPECT_EQ(a.size(), 21U);
  EXPECT_EQ(b.size(), 19U);
}

TEST(ChunkedSet, WhatComesInOrderFillsChunks) {
  ChunkedSet<int> set;
  for (int item = 0; item < 100'000; ++item) set.insert(item);
  set.check();
  for (int item = 0; item < 100'000; ++item) EXPECT_TRUE(set.erase(set.front()));
  EXPECT_TRUE(set.empty());
  set.check();
}

// The reference is std::set.
struct Both {
  FewIntegers few;
  std::set<int> set;

  void compare(int around) const {
    few.check();
    RC_ASSERT(few.size() == set.size());
    RC_ASSERT(listed(few) == std::vector<int>(set.begin(), set.end()));
    std::vector<int> backward;
    for (auto at = few.end(); at != few.begin();) backward.push_back(*--at);
    RC_ASSERT(backward == std::vector<int>(set.rbegin(), set.rend()));
    for (int item = around - 2; item <= around + 2; ++item) {
      const auto lower = set.lower_bound(item), upper = set.upper_bound(item);
      RC_ASSERT(few.contains(item) == set.contains(item));
      RC_ASSERT(few.index(few.lower_bound(item)) ==
                static_cast<std::size_t>(std::distance(set.begin(), lower)));
      RC_ASSERT(few.index(few.upper_bound(item)) ==
                static_cast<std::size_t>(std::distance(set.begin(), upper)));
      if (lower != set.end()) RC_ASSERT(*few.lower_bound(item) == *lower);
    }
  }
};

RC_GTEST_PROP(ChunkedSet, EqualsASet, ()) {
  Both both;
  const int most = *rc::gen::inRange(1, 200);
  const int changes = *rc::gen::inRange(0, 200);
  for (int n = 0; n < changes; ++n) {
    const int item = *rc::gen::inRange(0, most), what = *rc::gen::inRange(0, 50);
    if (what < 20) {
      RC_ASSERT(both.few.insert(item) == both.set.insert(item).second);
    } else if (what < 37) {
      RC_ASSERT(both.few.erase(item) == (both.set.erase(item) > 0));
    } else if (what == 37) {
      both.few.erase_from(both.few.lower_bound(item));
      both.set.erase(both.set.lower_bound(item), both.set.end());
    } else if (what == 38) {
      const auto third = [](int each) { return each % 3 == 0; };
      RC_ASSERT(both.few.erase_if(third) == std::erase_if(both.set, third));
    } else if (what >= 40) {
      const int with = *rc::gen::inRange(0, most);
      if (!both.set.contains(item) || both.set.contains(with)) continue;
      both.few.replace(item, with);
      both.set.erase(item);
      both.set.insert(with);
    } else {
      both.few = FewIntegers(std::vector<int>(both.set.begin(), both.set.end()));
    }
    both.compare(item);
  }
}

}  // namespace
}  // namespace copse
