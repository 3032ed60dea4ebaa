// SPDX-License-Identifier: Apache-2.0
#include "request/count_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "request/jobspec_texts.hpp"

namespace copse {
namespace {

TEST(CountText, ListsItsCounts) {
  struct Row {
    const char* text;
    std::vector<std::int64_t> counts;  // those up to 40
    const char* shortest;
  };
  const std::vector<Row> rows = {
      {"8", {8}, "8"},
      {"[8]", {8}, "8"},
      {"8-8", {8}, "8"},
      {"8-8:3:*", {8}, "8"},
      {"3-6", {3, 4, 5, 6}, "3-6"},
      {"[3-6:1]", {3, 4, 5, 6}, "3-6"},
      {"3-6:1:+", {3, 4, 5, 6}, "3-6"},
      {"3-9:4", {3, 7}, "3-9:4"},
      {"3-9:9:+", {3}, "3-9:9"},
      {"5-40:2:*", {5, 10, 20, 40}, "5-40:2:*"},
      {"1-30:3:*", {1, 3, 9, 27}, "1-30:3:*"},
      {"3-40:3:^", {3, 27}, "3-40:3:^"},
      {"38+", {38, 39, 40}, "38+"},
      {"1+:13", {1, 14, 27, 40}, "1+:13"},
      {"2+:2:^", {2, 4, 16}, "2+:2:^"},
      {"3,11", {3, 11}, "3,11"},
      {"[3,11-13,40]", {3, 11, 12, 13, 40}, "3,11-13,40"},
      {"3,4,5", {3, 4, 5}, "3-5"},
      {"3-4,5,7-9", {3, 4, 5, 7, 8, 9}, "3-5,7-9"},
      {"2305843009213693951", {}, "2305843009213693951"},
  };
  for (const Row& row : rows) {
    const auto count = parse_count(row.text);
    ASSERT_TRUE(count) << row.text << ": " << count.error().message();
    std::vector<std::int64_t> counts;
    for (std::int64_t have = 1; have <= 40; ++have) {
      if (count->effective(have) == have) counts.push_back(have);
    }
    EXPECT_EQ(counts, row.counts) << row.text;
    EXPECT_EQ(count_text(*count), row.shortest);
    EXPECT_EQ(*parse_count(row.shortest), *count) << row.text;
  }
}

TEST(CountText, Refused) {
  struct Row {
    const char* text;
    std::uint32_t column;
    ErrorCode code = ErrorCode::invalid;
  };
  const std::vector<Row> rows = {
      {"", 1},
      {"[]", 2},
      {"0", 1},
      {"007", 1},
      {"+4", 1},
      {"-4", 1},
      {" 4", 1},
      {"4 ", 2},
      {"four", 1},
      {"4.0", 2},
      {"0x4", 1},
      {"[4", 1},
      {"4]", 2},
      {"[[4]]", 2},
      {"[4]5", 4},
      {"4-", 3},
      {"4-0", 3},
      {"4-3", 3},
      {"4-05", 3},
      {"4--5", 3},
      {"4-5-6", 4},
      {"4++", 3},
      {"4+5", 3},
      {"4+:", 4},
      {"4+:0", 4},
      {"4-9:", 5},
      {"4-9:02", 5},
      {"4-9:2:", 7},
      {"4-9:2:/", 7},
      {"4-9:2:++", 8},
      {"4-9:1:*", 5},
      {"4-9:1:^", 5},
      {"1-9:2:^", 1},
      {"[1+:2:^]", 2},
      {"4:2", 2},
      {"4,", 3},
      {",4", 1},
      {"4,4", 3},
      {"4,3", 3},
      {"4,,5", 3},
      {"4,6-6", 5},
      {"4,9-6", 5},
      {"6-6,9", 3},
      {"4-6,6", 5},
      {"4,6:2", 4},
      {"4,6+", 4},
      {"0,4", 1},
      {"4,06", 3},
      {"4;6", 2},
      {"2305843009213693952", 1, ErrorCode::limit},
      {"1-99999999999999999999999", 3, ErrorCode::limit},
      // Ten times the number so far is beyond 64 bits, and wraps around to a small one.
      {"20000000000000000000000000000000000000000", 1, ErrorCode::limit},
      {"18446744073709551617", 1, ErrorCode::limit},
  };
  for (const Row& row : rows) {
    const auto count = parse_count(row.text);
    ASSERT_FALSE(count) << row.text;
    EXPECT_EQ(count.error().place.line, 1U);
    EXPECT_EQ(count.error().place.column, row.column) << row.text << ": " << count.error().text;
    EXPECT_EQ(count.error().code, row.code) << row.text;
  }
}

TEST(CountText, SetsAreBounded) {
  std::string text = "1";
  for (std::size_t i = 1; i < kCountRangesMax; ++i) text += ',' + std::to_string(2 * i + 1);
  ASSERT_TRUE(parse_count(text));
  EXPECT_EQ(parse_count(text)->set->size(), kCountRangesMax);
  EXPECT_TRUE(parse_count(text + ',' + std::to_string(2 * kCountRangesMax)));  // adjacent
  const auto more = parse_count(text + ",99999");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::limit);
}

// In jobspecs, where no mapping says the same; else Fluxion's sentence stays.
TEST(CountText, InJobspecs) {
  for (const char* text : {"\"1,3-5\"", "2+:2:*", "6+:6", "'[4,6]'", "'7'"}) {
    const auto request = parse_jobspec(with_count(text));
    ASSERT_TRUE(request) << text << ": " << request.error().message();
    std::string bare(text);
    std::erase_if(bare, [](char c) { return c == '"' || c == '\''; });
    EXPECT_EQ(request->resources[0].count, *parse_count(bare)) << text;
  }
  expect_errors({{with_count("'1,3-3'"), "count is out of range", 3, ErrorCode::limit},
                 {with_count("2-8"), "count is out of range", 3, ErrorCode::limit},
                 {with_count("0-8"), "count is out of range", 3, ErrorCode::limit}});
}

}  // namespace
}  // namespace copse
