// SPDX-License-Identifier: Apache-2.0
#include "copse/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace copse {
namespace {

TEST(SourceLocation, TextLeavesOutWhatIsUnknown) {
  struct Row {
    SourceLocation place;
    const char* text;
  };
  const Row rows[] = {
      {{}, ""},
      {{"machine.yaml", 0, 0}, "machine.yaml"},
      {{"machine.yaml", 7, 0}, "machine.yaml:7"},
      {{"machine.yaml", 7, 12}, "machine.yaml:7:12"},
      {{"", 7, 12}, "7:12"},
      {{"", 7, 0}, "7"},
      {{"machine.yaml", 0, 12}, "machine.yaml"},  // a column without a line is not shown
      {{"", 0, 12}, ""},
      {{"a:b", UINT32_MAX, UINT32_MAX}, "a:b:4294967295:4294967295"},
  };
  for (const Row& row : rows) EXPECT_EQ(row.place.text(), row.text);
}

TEST(Error, MessagePutsThePlaceFirst) {
  EXPECT_EQ((Error{ErrorCode::invalid, "no such type", {"r.json", 3, 9}}).message(),
            "r.json:3:9: no such type");
  EXPECT_EQ((Error{ErrorCode::invalid, "no such type", {}}).message(), "no such type");
}

TEST(Error, FailCarriesAllThreeParts) {
  const auto refuse = [](bool placed) -> Result<int> {
    if (placed) return fail(ErrorCode::limit, "too deep", {"a", 2, 3});
    return fail(ErrorCode::io, "cannot be read");
  };
  const auto placed = refuse(true);
  ASSERT_FALSE(placed.has_value());
  EXPECT_EQ(placed.error().code, ErrorCode::limit);
  EXPECT_EQ(placed.error().text, "too deep");
  EXPECT_EQ(placed.error().place.text(), "a:2:3");
  const auto bare = refuse(false);
  ASSERT_FALSE(bare.has_value());
  EXPECT_EQ(bare.error().code, ErrorCode::io);
  EXPECT_EQ(bare.error().message(), "cannot be read");
}

// Programs compare these words: each is listed here.
TEST(Error, WordsAreStableAndDistinct) {
  const std::pair<ErrorCode, const char*> rows[] = {
      {ErrorCode::invalid, "invalid"},           {ErrorCode::limit, "limit"},
      {ErrorCode::not_found, "not_found"},       {ErrorCode::exists, "exists"},
      {ErrorCode::insufficient, "insufficient"}, {ErrorCode::infeasible, "infeasible"},
      {ErrorCode::unsupported, "unsupported"},   {ErrorCode::io, "io"},
  };
  std::set<std::string> words;
  for (const auto& [code, expected] : rows) {
    EXPECT_STREQ(word(code), expected);
    words.insert(word(code));
  }
  EXPECT_EQ(words.size(), std::size(rows));
}

}  // namespace
}  // namespace copse
