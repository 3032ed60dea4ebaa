// SPDX-License-Identifier: Apache-2.0
#include "base/nearest_word.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace copse {
namespace {

constexpr std::array<std::string_view, 4> kKnown{"duration", "run", "submit", "nodes"};

TEST(NearestWord, IsTheOneThatDiffersLeast) {
  EXPECT_EQ(nearest_word("duraton", kKnown), "duration");  // a letter is missing
  EXPECT_EQ(nearest_word("rnu", kKnown), "run");           // letters are swapped
  EXPECT_EQ(nearest_word("Submitt", kKnown), "submit");    // a letter is added
  EXPECT_EQ(nearest_word("modes", kKnown), "nodes");       // a letter is changed
  EXPECT_EQ(nearest_word("node", kKnown), "nodes");
  EXPECT_EQ(nearest_word("walltime", kKnown), "");
  EXPECT_EQ(nearest_word("xyz", kKnown), "");
  EXPECT_EQ(nearest_word("", kKnown), "");
  EXPECT_EQ(nearest_word(std::string(1'000'000, 'd'), kKnown), "");
  EXPECT_EQ(nearest_word("run", {}), "");
}

TEST(NearestWord, IsNamedElseAllAreListed) {
  EXPECT_EQ(unknown_word("key", "duraton", kKnown),
            "unknown key \"duraton\"; did you mean \"duration\"?");
  EXPECT_EQ(unknown_word("key", "walltime", kKnown),
            "unknown key \"walltime\"; there are duration, run, submit, nodes");
  EXPECT_EQ(unknown_word("key", "a\nb", {}), "unknown key \"a?b\"");
  EXPECT_EQ(unknown_word("key", "walltime", {}), "unknown key \"walltime\"");
  const std::vector<std::string_view> many(20, "abc");
  EXPECT_TRUE(unknown_word("key", "walltime", many).ends_with(", abc, …"));
}

}  // namespace
}  // namespace copse
