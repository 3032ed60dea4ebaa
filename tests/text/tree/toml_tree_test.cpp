// SPDX-License-Identifier: Apache-2.0
//
// TOML as a tree: the types of its values, its places, and the checked values of a tree.
#include "text/tree/toml_tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace copse {
namespace {

class TomlTree : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto tree = read_toml_tree("", "t"); !tree) GTEST_SKIP() << tree.error().text;
  }
};

TEST_F(TomlTree, KeepsTheTypesOfValues) {
  const auto tree = read_toml_tree(R"(
text = "16"
hex = 0x10
whole = 2.0
large = 1e300
endless = -inf
none = nan
yes = true
day = 1979-05-27
moment = 1979-05-27T07:32:00Z
)",
                                   "t");
  ASSERT_TRUE(tree) << tree.error().message();
  const TreeView top(*tree);
  EXPECT_EQ(top.word("text"), "16");
  EXPECT_FALSE(top.number("text"));
  EXPECT_EQ(top.number("hex"), 16);
  EXPECT_EQ(top.find("hex")->text(), "16");
  EXPECT_FALSE(top.number("whole"));  // a float is not an integer
  EXPECT_EQ(top.find("whole")->real(), 2.0);
  EXPECT_EQ(top.find("hex")->real(), 16.0);
  EXPECT_EQ(top.find("large")->real(), 1e300);
  EXPECT_EQ(top.find("endless")->real(), -INFINITY);
  EXPECT_TRUE(std::isnan(top.find("none")->real().value_or(0)));
  EXPECT_TRUE(top.is_true("yes"));
  EXPECT_FALSE(top.is_true("no"));
  for (const char* key : {"day", "moment"}) {
    const TreeView date = *top.find(key);
    EXPECT_FALSE(date.integer() || date.real() || date.truth() || date.is_quoted_string()) << key;
    EXPECT_FALSE(date.is_null());
  }
  EXPECT_EQ(top.find("day")->text(), "1979-05-27");
}

TEST_F(TomlTree, SortsKeysAndKeepsPlaces) {
  const auto tree = read_toml_tree("b = 1\n[queues.z]\n[queues.a]\nc = [1,\n  \"x\"]\n", "t");
  ASSERT_TRUE(tree) << tree.error().message();
  std::string keys;
  for (const auto& [key, value] : TreeView(*tree).find("queues")->members()) {
    keys += key.text();
    EXPECT_TRUE(value.is_mapping());
  }
  EXPECT_EQ(keys, "az");
  const TreeView list = *TreeView(*tree).find("queues")->find("a")->find("c");
  std::size_t entries = 0;
  for (const TreeView entry : list.entries()) {
    ++entries;
    if (!entry.is_quoted_string()) continue;
    EXPECT_EQ(entry.place().line, 5U);
    EXPECT_EQ(entry.place().column, 3U);
  }
  EXPECT_EQ(entries, 2U);
  EXPECT_EQ(read_toml_tree("a = 1\na = 2", "t").error().place.line, 2U);
}

TEST_F(TomlTree, ValuesAreCheckedWithTheirPlace) {
  const auto tree = read_toml_tree("a = 1\nb = [2]\nc = \"\"\nd = 36.5\ne = 36.0", "t");
  ASSERT_TRUE(tree) << tree.error().message();
  const TreeView top(*tree);
  EXPECT_EQ(top.find("a")->read_text("a").error().message(), "t:1:5: a must be a string");
  EXPECT_EQ(top.find("b")->read_table("b").error().message(), "t:2:5: b must be a table");
  EXPECT_EQ(top.find("a")->read_truth("a").error().message(), "t:1:5: \"a\" is not true or false");
  EXPECT_EQ(top.find("c")->read_name("c", 9).error().message(),
            "t:3:5: \"c\" is not a text of 1 to 9 bytes");
  EXPECT_EQ(top.find("d")->read_whole("d", 0, 99).error().message(),
            "t:4:5: \"d\" is not a whole number from 0 to 99");
  EXPECT_EQ(top.find("e")->read_whole("e", 0, 99), 36);
  EXPECT_EQ(top.find("a")->read_whole("a", 0, 99), 1);
}

}  // namespace
}  // namespace copse
