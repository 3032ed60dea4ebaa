// SPDX-License-Identifier: Apache-2.0
#include "copse/shared.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace copse {
namespace {

TEST(Shared, CopiesHaveOneValueUntilOneWrites) {
  auto a = Shared<std::string>::make("node");
  Shared<std::string> b = a;
  EXPECT_EQ(a.get(), b.get());
  EXPECT_FALSE(a.alone());
  b.own() += "1";
  EXPECT_NE(a.get(), b.get());
  EXPECT_EQ(*a, "node");
  EXPECT_EQ(*b, "node1");
  EXPECT_TRUE(a.alone() && b.alone());
}

TEST(Shared, WhoIsAloneWritesInPlace) {
  auto a = Shared<std::string>::make("node");
  const std::string* before = a.get();
  {
    Shared<std::string> b = a;
  }
  a.own() = "rack";
  EXPECT_EQ(a.get(), before);
}

TEST(Shared, IsNullUntilMadeAndAfterReset) {
  Shared<int> a;
  EXPECT_FALSE(a);
  EXPECT_EQ(a.get(), nullptr);
  a = Shared<int>::make(3);
  Shared<int> b = std::move(a);
  EXPECT_TRUE(b);
  b.reset();
  EXPECT_FALSE(b);
}

TEST(Shared, CopiesMayBeInTwoThreads) {
  auto a = Shared<std::vector<int>>::make(std::vector<int>{1, 2, 3});
  Shared<std::vector<int>> b = a;
  std::thread other([b = std::move(b)]() mutable {
    for (int i = 0; i < 1000; ++i) b.own().push_back(i);
    b.reset();
  });
  for (int i = 0; i < 1000; ++i) a.own()[0] = i;
  other.join();
  EXPECT_EQ(*a, (std::vector<int>{999, 2, 3}));
  EXPECT_TRUE(a.alone());
}

TEST(SharedColumn, ReadsWhatWasWrittenHere) {
  SharedColumn<int> a(std::vector<int>{1, 2, 3});
  SharedColumn<int> b = a;
  EXPECT_EQ(a.data(), b.data());
  b.push_back(4);
  b.set(0, 7);
  EXPECT_EQ(std::vector<int>(a.begin(), a.end()), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(std::vector<int>(b.begin(), b.end()), (std::vector<int>{7, 2, 3, 4}));
  EXPECT_EQ(b.back(), 4);
  a = b;
  EXPECT_EQ(a.data(), b.data());
  EXPECT_EQ(a[0], 7);
  SharedColumn<int> empty;
  EXPECT_TRUE(empty.empty());
  empty.push_back(1);
  EXPECT_EQ(empty.size(), 1U);
}

}  // namespace
}  // namespace copse
