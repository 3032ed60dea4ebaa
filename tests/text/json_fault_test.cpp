// SPDX-License-Identifier: Apache-2.0
#include "text/json_fault.hpp"

#include <gtest/gtest.h>

#include <string>

namespace copse {
namespace {

TEST(JsonFault, IsTheFirstOne) {
  struct Row {
    const char* text;
    std::size_t offset;
    const char* fault;
  };
  const Row rows[] = {
      {R"({"a": 1 "b": 2})", 8, R"(a comma is missing before "b")"},
      {R"([1 2])", 3, R"(a comma is missing before "2")"},
      {R"({"a" 1})", 5, R"(a colon is missing before "1")"},
      {R"({"a": 1,})", 8, R"(unexpected comma before "}")"},
      {R"([1,])", 3, R"(a value is missing before "]")"},
      {R"({"a": })", 6, R"(a value is missing before "}")"},
      {R"({, "a": 1})", 1, R"(a key in double quotes is missing before ",")"},
      {R"({a: 1})", 1, R"(a key in double quotes is missing before "a")"},
      {R"({'a': 1})", 1, R"(a key in double quotes is missing before "'a'")"},
      {R"({"a": [1})", 8, R"("]" is missing before "}")"},
      {R"({"a": True})", 6, R"("True" is not a JSON value; did you mean true?)"},
      {R"({"a": abc})", 6, R"("abc" is not a JSON value; texts need double quotes)"},
      {R"({"a": 01})", 6, R"("01" is not a JSON value; texts need double quotes)"},
      {R"({"a": "b)", 6, "this string has no end"},
      {"{\"a\":\n [1", 9, R"(the text ends, and "[" of line 2 is not closed)"},
  };
  for (const Row& row : rows) {
    const auto fault = find_json_fault(row.text);
    ASSERT_TRUE(fault) << row.text;
    EXPECT_EQ(fault->text, row.fault);
    EXPECT_EQ(fault->offset, row.offset) << row.text;
  }
}

TEST(JsonFault, OfALineIsAlsoWhatFollows) {
  const auto follows = find_json_fault_of_line(R"({"a": {}} ,)");
  ASSERT_TRUE(follows);
  EXPECT_EQ(follows->text, R"("," comes after the end of the value)");
  EXPECT_EQ(follows->offset, 10U);
  const auto open = find_json_fault_of_line(R"({"a": "ä", "b": [1)");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->text, R"(the line ends, and "[" of column 17 is not closed)");
  EXPECT_FALSE(find_json_fault_of_line(" {} \t"));
}

TEST(JsonFault, IsNotInWhatIsRight) {
  for (const char* text :
       {"", " ", "{}", "[]", " {\"a\": [1, -2.5e3, true, null, {}], \"b\": \"\\\"}\"} x", "7",
        "\"a\"", "[[[]], {}]"}) {
    EXPECT_FALSE(find_json_fault(text)) << text;
  }
}

}  // namespace
}  // namespace copse
