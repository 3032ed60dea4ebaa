// SPDX-License-Identifier: Apache-2.0
#include "text/tree/json_tree.hpp"

#include <gtest/gtest.h>

namespace copse {
namespace {

struct PlaceRow {
  const char* document;
  std::uint32_t line;
  std::uint32_t column;
};

TEST(JsonTree, PlacesAreLinesAndColumnsInCharacters) {
  const PlaceRow rows[] = {
      {R"({"a":1,"b":2})", 1, 12},         {"{\"a\":1,\"b\":2}\r\n", 1, 12},
      {"  {\"a\":1,\t\"b\": 2}", 1, 16},   {"\xEF\xBB\xBF{\"a\":1,\"b\":2}", 1, 12},
      {"{\"\xC3\xA9\":1,\"b\":2}", 1, 12}, {"{\"a\":\"\xF0\x9D\x84\x9E\",\"b\":2}", 1, 14},
      {"{\"a\":1,\n\"b\":2}", 2, 5},       {"\n\n{\"a\":1,\"b\":2}\n", 3, 12},
  };
  for (const PlaceRow& row : rows) {
    const auto tree = read_json_tree(row.document, "");
    ASSERT_TRUE(tree && *tree) << row.document;
    const auto b = TreeView(**tree).find("b");
    ASSERT_TRUE(b) << row.document;
    EXPECT_EQ(b->place().line, row.line) << row.document;
    EXPECT_EQ(b->place().column, row.column) << row.document;
  }
}

}  // namespace
}  // namespace copse
