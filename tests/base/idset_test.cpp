// SPDX-License-Identifier: Apache-2.0
#include "base/idset.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

using Ranges = std::vector<Idset::Range>;
constexpr std::int64_t kLast = Idset::kIdMax - 1;

void expect_invariant(const Idset& set) {
  for (std::size_t i = 0; i < set.ranges().size(); ++i) {
    const auto [first, last] = set.ranges()[i];
    EXPECT_LE(0, first);
    EXPECT_LE(first, last);
    EXPECT_LT(last, Idset::kIdMax);
    if (i != 0) {
      EXPECT_LT(set.ranges()[i - 1].second + 1, first) << "ranges touch";
    }
  }
}

TEST(IdsetParse, AcceptsWhatTheGrammarAllows) {
  struct Row {
    const char* text;
    Ranges ranges;
    const char* plain;
    const char* bracketed;
  };
  const Row rows[] = {
      {"", {}, "", ""},
      {"[]", {}, "", ""},
      {"0", {{0, 0}}, "0", "0"},
      {"[5]", {{5, 5}}, "5", "5"},
      {"0-1", {{0, 1}}, "0-1", "[0-1]"},
      {"[4-6,9]", {{4, 6}, {9, 9}}, "4-6,9", "[4-6,9]"},
      {"3,5,8", {{3, 3}, {5, 5}, {8, 8}}, "3,5,8", "[3,5,8]"},
      {"10,11,12", {{10, 12}}, "10-12", "[10-12]"},           // neighbours become one range
      {"0-3,4,5-7,9", {{0, 7}, {9, 9}}, "0-7,9", "[0-7,9]"},  // adjacent ranges, too
      {"9,10-11", {{9, 11}}, "9-11", "[9-11]"},
      {"2147483648", {{2147483648, 2147483648}}, "2147483648", "2147483648"},
      {"4611686018427387903", {{kLast, kLast}}, "4611686018427387903", "4611686018427387903"},
      {"0-4611686018427387903", {{0, kLast}}, "0-4611686018427387903", "[0-4611686018427387903]"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const auto set = Idset::parse(row.text);
    ASSERT_TRUE(set.has_value()) << set.error().message();
    EXPECT_EQ(set->ranges(), row.ranges);
    EXPECT_EQ(set->text(), row.plain);
    EXPECT_EQ(set->text(true), row.bracketed);
    EXPECT_EQ(set->empty(), row.ranges.empty());
    expect_invariant(*set);
  }
}

TEST(IdsetParse, RefusesTheRestAndSaysWhere) {
  struct Row {
    std::string text;
    ErrorCode code;
    std::uint32_t column;
  };
  const Row rows[] = {
      {"a", ErrorCode::invalid, 1},
      {"1-b", ErrorCode::invalid, 3},
      {"12c", ErrorCode::invalid, 3},
      {"1.5", ErrorCode::invalid, 2},
      {"+1", ErrorCode::invalid, 1},
      {"-1", ErrorCode::invalid, 1},
      {"[-1]", ErrorCode::invalid, 2},
      {"0x1", ErrorCode::invalid, 2},
      {" 1", ErrorCode::invalid, 1},
      {"1 ", ErrorCode::invalid, 2},
      {"1, 2", ErrorCode::invalid, 3},
      {std::string("1\0,2", 4), ErrorCode::invalid, 2},
      {"00", ErrorCode::invalid, 1},  // leading zeros
      {"1,03", ErrorCode::invalid, 3},
      {"1-03", ErrorCode::invalid, 3},
      {"[", ErrorCode::invalid, 1},  // both brackets or neither, one pair
      {"]", ErrorCode::invalid, 1},
      {"[1", ErrorCode::invalid, 1},
      {"1]", ErrorCode::invalid, 2},
      {"][", ErrorCode::invalid, 1},
      {"[[1]]", ErrorCode::invalid, 2},
      {"[1]]", ErrorCode::invalid, 3},
      {"[1],2", ErrorCode::invalid, 1},
      {"1,[2]", ErrorCode::invalid, 3},
      {",", ErrorCode::invalid, 1},  // no empty elements
      {"[,]", ErrorCode::invalid, 2},
      {",1", ErrorCode::invalid, 1},
      {"1,", ErrorCode::invalid, 3},
      {"1,,3", ErrorCode::invalid, 3},
      {"1-", ErrorCode::invalid, 3},
      {"1-2-3", ErrorCode::invalid, 4},
      {"1--2", ErrorCode::invalid, 3},
      {"5-5", ErrorCode::invalid, 3},  // the second id is strictly greater
      {"6-5", ErrorCode::invalid, 3},
      {"4,4", ErrorCode::invalid, 3},  // ids ascend
      {"4,3", ErrorCode::invalid, 3},
      {"1-4,4", ErrorCode::invalid, 5},
      {"1-4,2-6", ErrorCode::invalid, 5},
      {"7,1-9", ErrorCode::invalid, 3},
      {"4611686018427387904", ErrorCode::limit, 1},
      {"0-4611686018427387904", ErrorCode::limit, 3},
      {"1,18446744073709551617", ErrorCode::limit, 3},  // 1 modulo 2^64
      {std::string(100'000, '9'), ErrorCode::limit, 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text.substr(0, 40));
    const auto set = Idset::parse(row.text);
    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error().code, row.code);
    EXPECT_EQ(set.error().place.line, 1u);
    EXPECT_EQ(set.error().place.column, row.column);
    EXPECT_TRUE(set.error().text.starts_with("idset: ")) << set.error().text;
  }
}

TEST(IdsetParse, LimitCountsRangesNotIds) {
  EXPECT_TRUE(Idset::parse("0-4294967295", 1).has_value());
  EXPECT_TRUE(Idset::parse("0,1,2,3", 1).has_value());
  EXPECT_TRUE(Idset::parse("0,2,4", 3).has_value());
  const auto above = Idset::parse("0,2,4", 2);
  ASSERT_FALSE(above.has_value());
  EXPECT_EQ(above.error().code, ErrorCode::limit);
  EXPECT_EQ(above.error().place.column, 5u);
  EXPECT_TRUE(Idset::parse("", 0).has_value());
  EXPECT_FALSE(Idset::parse("0", 0).has_value());

  std::string every_second;
  for (int id = 0; id < 2'000; id += 2) every_second += (id == 0 ? "" : ",") + std::to_string(id);
  EXPECT_TRUE(Idset::parse(every_second, 1'000).has_value());
  EXPECT_FALSE(Idset::parse(every_second, 999).has_value());
}

TEST(Idset, FourBillionIdsAreOneRange) {
  const auto set = Idset::parse("0-4294967295");
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(set->ranges().size(), 1u);
  EXPECT_EQ(set->count(), INT64_C(1) << 32);
  EXPECT_TRUE(set->contains(4294967295));
  EXPECT_FALSE(set->contains(4294967296));
}

TEST(Idset, AddRangeJoinsWhatItTouches) {
  struct Row {
    Idset::Range added;
    const char* text;  // of 10-19,30-39,50-59 with `added`
  };
  const Row rows[] = {
      {{0, 8}, "0-8,10-19,30-39,50-59"},
      {{0, 9}, "0-19,30-39,50-59"},
      {{0, 15}, "0-19,30-39,50-59"},
      {{12, 15}, "10-19,30-39,50-59"},
      {{10, 19}, "10-19,30-39,50-59"},
      {{15, 25}, "10-25,30-39,50-59"},
      {{20, 28}, "10-28,30-39,50-59"},
      {{21, 28}, "10-19,21-28,30-39,50-59"},
      {{20, 29}, "10-39,50-59"},
      {{25, 29}, "10-19,25-39,50-59"},
      {{20, 49}, "10-59"},
      {{0, 100}, "0-100"},
      {{5, 45}, "5-45,50-59"},
      {{40, 40}, "10-19,30-40,50-59"},
      {{49, 49}, "10-19,30-39,49-59"},
      {{48, 48}, "10-19,30-39,48,50-59"},
      {{55, 70}, "10-19,30-39,50-70"},
      {{60, 60}, "10-19,30-39,50-60"},
      {{61, 61}, "10-19,30-39,50-59,61"},
      {{kLast, kLast}, "10-19,30-39,50-59,4611686018427387903"},
      {{0, kLast}, "0-4611686018427387903"},
  };
  for (const Row& row : rows) {
    Idset set = Idset::parse("10-19,30-39,50-59").value();
    set.add_range(row.added.first, row.added.second);
    EXPECT_EQ(set.text(), row.text);
    expect_invariant(set);
  }
}

TEST(Idset, ContainsAtTheEdgesOfRanges) {
  const Idset set = Idset::parse("0,5-7,9").value();
  for (const std::int64_t id : {0, 5, 6, 7, 9}) EXPECT_TRUE(set.contains(id)) << id;
  for (const std::int64_t id : {-1, 1, 4, 8, 10}) EXPECT_FALSE(set.contains(id)) << id;
  EXPECT_FALSE(Idset().contains(0));
  EXPECT_FALSE(set.contains(INT64_MIN));
  EXPECT_FALSE(set.contains(INT64_MAX));
}

TEST(Idset, AppendTextAddsToWhatIsThere) {
  std::string out = "core";
  Idset::parse("0-3,7").value().append_text(out);
  EXPECT_EQ(out, "core0-3,7");
  Idset().append_text(out);
  EXPECT_EQ(out, "core0-3,7");
}

Idset idset_of(const std::vector<std::pair<std::uint8_t, std::uint8_t>>& spans) {
  Idset set;
  for (const auto& [first, length] : spans) set.add_range(first, first + length % 8);
  return set;
}

RC_GTEST_PROP(IdsetLaw, ParseOfTextIsTheSet,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& spans)) {
  const Idset set = idset_of(spans);
  RC_ASSERT(Idset::parse(set.text()).value() == set);
  RC_ASSERT(Idset::parse(set.text(true)).value() == set);
}

RC_GTEST_PROP(IdsetLaw, ParseOfTextIsTheSetForLargeIds, (const std::vector<std::uint64_t>& ids)) {
  Idset set;
  for (const std::uint64_t id : ids) set.add(static_cast<std::int64_t>(id >> 2));
  RC_ASSERT(Idset::parse(set.text()).value() == set);
}

RC_GTEST_PROP(IdsetLaw, AddRangeAgreesWithASetOfInts,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& spans)) {
  std::set<int> expected;
  for (const auto& [first, length] : spans) {
    for (int id = first; id <= first + length % 8; ++id) expected.insert(id);
  }
  const Idset set = idset_of(spans);
  expect_invariant(set);
  RC_ASSERT(set.count() == static_cast<std::int64_t>(expected.size()));
  for (int id = -1; id < 300; ++id) RC_ASSERT(set.contains(id) == expected.contains(id));
}

RC_GTEST_PROP(IdsetLaw, OrderOfAddingDoesNotMatter, (std::vector<std::uint8_t> ids)) {
  Idset as_drawn;
  for (const std::uint8_t id : ids) as_drawn.add(id);
  Idset ascending;
  std::ranges::sort(ids);
  for (const std::uint8_t id : ids) ascending.add(id);
  RC_ASSERT(as_drawn == ascending);
}

// The parser accepts or refuses any text; an accepted text is printed and parses to the same set.
RC_GTEST_PROP(IdsetLaw, AnyTextIsRefusedOrReadsBack, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("0123456789012345,,,,---[]")));
  const auto set = Idset::parse(text);
  RC_CLASSIFY(set.has_value(), "accepted");
  if (!set) return;
  expect_invariant(*set);
  RC_ASSERT(Idset::parse(set->text(true)).value() == *set);
}

}  // namespace
}  // namespace copse
