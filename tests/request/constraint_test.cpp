// SPDX-License-Identifier: Apache-2.0
#include "request/constraint.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace copse {
namespace {

const std::map<std::string, std::string> kProperties = {{"fast", ""}, {"big", "yes"}};
const NodeFacts kNode{.name = "rack2n7", .rank = 7, .properties = &kProperties};

struct HoldsRow {
  const char* text;
  bool holds;
};

TEST(Constraint, Holds) {
  const std::vector<HoldsRow> rows = {
      {R"({})", true},
      {R"({"and": []})", true},
      {R"({"or": []})", true},
      {R"({"not": []})", false},
      {R"({"properties": []})", true},
      {R"({"hostlist": []})", false},
      {R"({"ranks": []})", false},
      {R"({"properties": ["fast"]})", true},
      {R"({"properties": ["slow"]})", false},
      {R"({"properties": ["fast", "big"]})", true},
      {R"({"properties": ["fast", "slow"]})", false},
      {R"({"properties": ["^fast"]})", false},
      {R"({"properties": ["^slow"]})", true},
      {R"({"properties": ["big", "^slow"]})", true},
      {R"({"properties": ["rack2n7"]})", false},  // a host name is not a property
      {R"({"hostlist": ["rack2n7"]})", true},
      {R"({"hostlist": ["rack2n[5-9]"]})", true},
      {R"({"hostlist": ["rack2n[8-9]", "login1,rack2n[6-7]"]})", true},
      {R"({"hostlist": ["rack2n[1-6,8]"]})", false},
      {R"({"hostlist": ["rack2n", "rack2n70"]})", false},
      {R"({"hostlist": ["z1,b2,rack2n7,a3"]})", true},  // not in order
      {R"({"ranks": ["7"]})", true},
      {R"({"ranks": ["0-6", "8-9"]})", false},
      {R"({"ranks": ["9", "0-3", "2-8"]})", true},  // neither ascending nor disjoint
      {R"({"ranks": ["9", "0-3", "2-6"]})", false},
      {R"({"ranks": ["[5,7]"]})", true},
      {R"({"ranks": [7]})", true},
      {R"({"and": [{"properties": ["fast"]}, {"ranks": ["7"]}]})", true},
      {R"({"and": [{"properties": ["fast"]}, {"ranks": ["6"]}]})", false},
      {R"({"and": [{}, {"or": []}]})", true},
      {R"({"or": [{"properties": ["slow"]}, {"ranks": ["7"]}]})", true},
      {R"({"or": [{"properties": ["slow"]}, {"ranks": ["6"]}]})", false},
      {R"({"not": [{"ranks": ["7"]}]})", false},
      {R"({"not": [{"ranks": ["6"]}]})", true},
      {R"({"not": [{"ranks": ["7"]}, {"ranks": ["6"]}]})", true},  // not all of them
      {R"({"not": [{"ranks": ["7"]}, {"properties": ["big"]}]})", false},
      {R"({"not": [{"not": [{"properties": ["big"]}]}]})", true},
      {"properties: ['fast', \"^slow\"]", true},
      {"and:\n- hostlist: [rack2n7]\n- ranks: [0-7]\n", true},
      {"not:\n- hostlist: [\"rack[2-3]\"]\n", true},
  };
  for (const HoldsRow& row : rows) {
    const auto constraint = parse_constraint(row.text);
    ASSERT_TRUE(constraint) << row.text << ": " << constraint.error().message();
    EXPECT_EQ(holds(*constraint, kNode), row.holds) << row.text;
  }
}

TEST(Constraint, NodeWithoutFacts) {
  const NodeFacts bare{.name = {}};
  EXPECT_FALSE(holds(*parse_constraint(R"({"properties": ["fast"]})"), bare));
  EXPECT_TRUE(holds(*parse_constraint(R"({"properties": ["^fast"]})"), bare));
  EXPECT_FALSE(holds(*parse_constraint(R"({"ranks": ["0-9"]})"), bare));
  EXPECT_FALSE(holds(*parse_constraint(R"({"hostlist": ["a1"]})"), bare));
}

TEST(Constraint, WordsAndRangesAreTidy) {
  const auto hosts = parse_constraint(R"({"hostlist": ["b[1-2]", "a1,b2"]})");
  ASSERT_TRUE(hosts);
  EXPECT_EQ(hosts->words, (std::vector<std::string>{"a1", "b1", "b2"}));
  const auto ranks = parse_constraint(R"({"ranks": ["8-9", "0-3,12", "2-5", "6"]})");
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->ranks, (decltype(ranks->ranks){{0, 6}, {8, 9}, {12, 12}}));
  const auto inside = parse_constraint(R"({"ranks": ["2-3", "0-9"]})");
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->ranks, (decltype(inside->ranks){{0, 9}}));
}

struct ConstraintErrorRow {
  const char* document;
  const char* text;
  std::uint32_t line;
  std::uint32_t column;
  ErrorCode code = ErrorCode::invalid;
};

TEST(Constraint, Errors) {
  const std::vector<ConstraintErrorRow> rows = {
      {"[]", "constraint is not a mapping", 1, 1},
      {"~", "constraint is not a mapping", 1, 1},
      {"", "constraint is not a mapping", 1, 1},
      {"word", "constraint is not a mapping", 1, 1},
      {R"({"and": [[]]})", "constraint is not a mapping", 1, 10},
      {R"({"and": [], "or": []})", "constraint map may not contain > 1 operation", 1, 1},
      {"{\"and\": [\n  {\"ranks\": [], \"hostlist\": []}]}",
       "constraint map may not contain > 1 operation", 2, 3},
      {R"({"and": "foo"})", "and operator value must be an array", 1, 9},
      {R"({"or": {}})", "or operator value must be an array", 1, 8},
      {R"({"not": null})", "not operator value must be an array", 1, 9},
      {R"({"properties": "foo"})", "properties operator value must be an array", 1, 16},
      {R"({"hostlist": "foo"})", "hostlist operator value must be an array", 1, 14},
      {R"({"ranks": 3})", "ranks operator value must be an array", 1, 11},
      {R"({"foo": []})", "unknown constraint operator: foo", 1, 2},
      {R"({"foo": 1})", "unknown constraint operator: foo", 1, 2},
      {R"({"properties": ["foo", 42]})", "non-string property specified", 1, 24},
      {R"({"properties": [true]})", "non-string property specified", 1, 17},
      {R"({"properties": [null]})", "non-string property specified", 1, 17},
      {R"({"properties": [["a"]]})", "non-string property specified", 1, 17},
      {"properties:\n- 'good'\n- bad\n", "non-string property specified", 3, 3},
      {R"({"properties": ["foo", "bar&"]})", "bar& is invalid", 1, 24},
      {R"({"properties": ["a!b"]})", "a!b is invalid", 1, 17},
      {R"({"properties": ["a'b"]})", "a'b is invalid", 1, 17},
      {R"({"properties": ["a\"b"]})", "a\"b is invalid", 1, 17},
      {R"({"properties": ["a^b"]})", "a^b is invalid", 1, 17},
      {R"({"properties": ["^^b"]})", "^^b is invalid", 1, 17},
      {R"({"properties": ["a`b"]})", "a`b is invalid", 1, 17},
      {R"({"properties": ["a|b"]})", "a|b is invalid", 1, 17},
      {R"({"properties": ["(b"]})", "(b is invalid", 1, 17},
      {R"json({"properties": ["b)"]})json", "b) is invalid", 1, 17},
      {R"({"hostlist": ["a1", "foo0-10]"]})", "Invalid hostlist `foo0-10]'", 1, 21},
      {R"({"hostlist": ["a[1-"]})", "Invalid hostlist `a[1-'", 1, 15},
      {R"({"hostlist": [{}]})", "hostlist entry is not a scalar", 1, 15},
      {R"({"ranks": ["5,1-3"]})", "Invalid idset `5,1-3'", 1, 12},
      {R"({"ranks": ["-1"]})", "Invalid idset `-1'", 1, 12},
      {R"({"ranks": [[1]]})", "ranks entry is not a scalar", 1, 12},
      {R"({"ranks": ["0"], "ranks": ["1"]})", "key \"ranks\" is given twice", 1, 18},
  };
  for (const ConstraintErrorRow& row : rows) {
    const auto constraint = parse_constraint(row.document, "c.json");
    ASSERT_FALSE(constraint) << row.document;
    EXPECT_EQ(constraint.error().text, row.text) << row.document;
    EXPECT_EQ(constraint.error().code, row.code) << row.document;
    EXPECT_EQ(constraint.error().place.line, row.line) << row.document;
    EXPECT_EQ(constraint.error().place.column, row.column) << row.document;
    EXPECT_EQ(constraint.error().place.file, "c.json");
  }
}

TEST(Constraint, LimitsOfHosts) {
  const auto limit_of = [](const std::string& text) {
    const auto constraint = parse_constraint(text);
    return !constraint && constraint.error().code == ErrorCode::limit;
  };
  EXPECT_TRUE(limit_of(R"({"hostlist": ["a[0-4000000000]"]})"));
  // Each is within the bound, together they are not.
  EXPECT_TRUE(limit_of(R"({"hostlist": ["a[0-600000]", "b[0-600000]"]})"));
  EXPECT_TRUE(
      limit_of(R"({"or": [{"hostlist": ["a[0-600000]"]}, {"hostlist": ["b[0-600000]"]}]})"));
  // A long name in front of a bracket would be repeated for every host.
  EXPECT_TRUE(limit_of(R"({"hostlist": [")" + std::string(256, 'a') + R"([0-1]"]})"));
  EXPECT_FALSE(limit_of(R"({"hostlist": [")" + std::string(255, 'a') + R"([0-1]"]})"));
  EXPECT_FALSE(limit_of(R"({"hostlist": ["a[0-1000]", "a[0-1000]"]})"));
}

TEST(Constraint, DepthIsBounded) {
  const auto nested = [](int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += R"({"not": [)";
    text += "{}";
    for (int i = 0; i < levels; ++i) text += "]}";
    return text;
  };
  const auto odd = parse_constraint(nested(31));
  ASSERT_TRUE(odd) << odd.error().message();
  EXPECT_FALSE(holds(*odd, kNode));
  EXPECT_TRUE(holds(*parse_constraint(nested(30)), kNode));
  const auto deep = parse_constraint(nested(100'000));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, ErrorCode::limit);
  EXPECT_EQ(deep.error().text, "nested deeper than 64 levels");
}

TEST(Constraint, LongTextIsCutInMessages) {
  const auto constraint =
      parse_constraint(R"({"properties": [")" + std::string(5000, 'x') + R"(&\n"]})");
  ASSERT_FALSE(constraint);
  EXPECT_LT(constraint.error().text.size(), 300U);
  const auto control = parse_constraint(R"({"a\nb": []})");
  ASSERT_FALSE(control);
  EXPECT_EQ(control.error().text, "unknown constraint operator: a?b");
}

}  // namespace
}  // namespace copse
