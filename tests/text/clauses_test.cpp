// SPDX-License-Identifier: Apache-2.0
#include "text/clauses.hpp"

#include <gtest/gtest.h>

namespace copse {
namespace {

TEST(Clauses, TextsEndWithAClause) {
  EXPECT_EQ(first_clauses("needs 1 node", 80), "needs 1 node");
  EXPECT_EQ(
      first_clauses("needs 1 node with 1 free core; of 4 nodes none fits now: 4 are allocated "
                    "to jobs (job 7 until 2026-11-22T21:50:55Z)",
                    80),
      "needs 1 node with 1 free core; of 4 nodes none fits now: 4 are allocated to jobs");
  EXPECT_EQ(first_clauses("it waits, and longer", 9), "it waits");
}

// Characters are counted, not bytes, and none is cut.
TEST(Clauses, CharactersAreWhole) {
  std::string text;
  for (int i = 0; i < 80; ++i) text += "\xC6\x92";
  EXPECT_EQ(characters(text), 80U);
  EXPECT_EQ(first_clauses(text, 80), text);
  EXPECT_EQ(first_clauses(text + "x", 80), text.substr(0, 158) + "\xE2\x80\xA6");
  EXPECT_EQ(shortened("maintenance", 6), "maint\xE2\x80\xA6");
  EXPECT_EQ(shortened("course", 6), "course");
}

}  // namespace
}  // namespace copse
