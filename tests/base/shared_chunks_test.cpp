// SPDX-License-Identifier: Apache-2.0
#include "base/shared_chunks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

namespace copse {
namespace {

using Few = SharedChunks<int, 4>;

TEST(SharedChunks, IsAVector) {
  Few items(6);
  EXPECT_EQ(items.size(), 6U);
  EXPECT_EQ(items[5], 0);
  items.own(5) = 3;
  items.add() = 4;
  items.fill(0, 3, 9);
  EXPECT_EQ(items.size(), 7U);
  EXPECT_EQ(items[2], 9);
  EXPECT_EQ(items[3], 0);
  EXPECT_EQ(items[5], 3);
  EXPECT_EQ(items[6], 4);
  EXPECT_TRUE(items.check());
}

TEST(SharedChunks, WhatWasNeverWrittenHasNoMemory) {
  SharedChunks<int, 1024> items(1'000'000);
  EXPECT_LT(items.bytes(), items.size() * sizeof(int) / 100);
  items.own(70'000) = 1;
  const std::uint64_t one_chunk = items.bytes();
  items.own(70'001) = 1;  // of the same chunk
  EXPECT_EQ(items.bytes(), one_chunk);
  items.own(90'000) = 1;
  EXPECT_GT(items.bytes(), one_chunk);
  EXPECT_LT(items.bytes(), items.size() * sizeof(int) / 100);
}

TEST(SharedChunks, ACopyCopiesOnlyTheChunkThatItWrites) {
  Few a(12);
  for (std::size_t i = 0; i < 12; ++i) a.own(i) = static_cast<int>(i);
  Few b = a;
  const int* const first = &a[0];
  b.own(5) = 50;
  EXPECT_EQ(a[5], 5);
  EXPECT_EQ(b[5], 50);
  EXPECT_EQ(&b[0], first);
  EXPECT_NE(&b[4], &a[4]);
  a.own(0) = 10;  // the original is written: the copy keeps its old content
  EXPECT_EQ(b[0], 0);
  EXPECT_EQ(&b[0], first);
  EXPECT_TRUE(a.check() && b.check());
}

TEST(SharedChunks, WhoIsLeftAloneCopiesNothing) {
  Few a(4);
  a.own(0) = 1;
  const int* const before = &a[0];
  {
    const Few b = a;
  }
  a.own(0) = 2;
  EXPECT_EQ(&a[0], before);
}

TEST(SharedChunks, CopiesMayBeInTwoThreads) {
  Few a(1000);
  a.fill(0, 1000, 1);
  Few b = a;
  std::thread other([&b] {
    for (std::size_t i = 0; i < 1000; ++i) b.own(i) = 2;
  });
  for (std::size_t i = 1000; i-- > 0;) a.own(i) = 3;
  other.join();
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_TRUE(a[i] == 3 && b[i] == 2);
}

// Several copies are written, grow and are copied again; compared with plain vectors.
RC_GTEST_PROP(SharedChunksLaws, CopiesAreValues, ()) {
  std::array<Few, 3> copies;
  std::array<std::vector<int>, 3> model;
  const auto steps = *rc::gen::inRange(0, 200);
  for (int step = 0; step < steps; ++step) {
    const auto at = *rc::gen::inRange<std::size_t>(0, 3);
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        const auto from = *rc::gen::inRange<std::size_t>(0, 3);
        copies[at] = Few(copies[from]);
        model[at] = std::vector<int>(model[from]);
        break;
      }
      case 1:
        copies[at].add() = step;
        model[at].push_back(step);
        break;
      case 2:
        if (model[at].empty()) break;
        {
          const auto i = *rc::gen::inRange<std::size_t>(0, model[at].size());
          copies[at].own(i) = step;
          model[at][i] = step;
        }
        break;
      default: copies[at].resize(model[at].size() + 3); model[at].resize(model[at].size() + 3);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      RC_ASSERT(copies[c].check() && copies[c].size() == model[c].size());
      for (std::size_t i = 0; i < model[c].size(); ++i) RC_ASSERT(copies[c][i] == model[c][i]);
    }
  }
}

}  // namespace
}  // namespace copse
