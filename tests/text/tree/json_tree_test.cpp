// SPDX-License-Identifier: Apache-2.0
#include "text/tree/json_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

#include "text/json_text.hpp"

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

// The tree of a document, as JSON; "-": it is not strict JSON; else the error.
std::string read_again(std::string_view document, const TreeLimits& limits = {}) {
  const auto tree = read_json_tree(document, "", limits);
  if (!tree) return "-";
  if (!*tree) return tree->error().message();
  std::string out;
  append_json(out, TreeView(**tree));
  return out;
}

TEST(JsonTree, RefusesWhatIsNotStrictJson) {
  for (const char* document : {R"({"a":"b":1})",
                               R"({"a":["b":1}]})",
                               R"({"a":1:2})",
                               R"({"a" "b"})",
                               R"({"a":})",
                               R"({"a"})",
                               R"({"a":"b" "c"})",
                               R"({"a":"b"c})",
                               R"({"a"b:1})",
                               R"({"a":1 2})",
                               R"({"a":tru})",
                               R"({"a":01})",
                               R"({"a":1.})",
                               R"({"a":[1,]})",
                               R"({"a":[1 2]})",
                               R"({"a":[1})",
                               R"({"a":1}})",
                               R"({"a":1} 2)",
                               R"({"a":1,})",
                               R"({,"a":1})",
                               R"({a:1})",
                               R"({"a":1)",
                               R"({"a":"1)",
                               R"({"a)",
                               R"({"a":"\q"})",
                               R"({"\q":1})",
                               R"({"a":"\ud800"})",
                               R"({"a":"\"})",
                               R"({'a':1})",
                               "{\"a\":\"\t\"}",
                               "{\"\n\":1}",
                               "[1]",
                               "1",
                               "",
                               "{",
                               "}"}) {
    EXPECT_EQ(read_again(document), "-") << document;
  }
}

TEST(JsonTree, RefusesWhatItsLimitsForbid) {
  const std::string list = R"({"a":[1],"b":2})";
  EXPECT_EQ(read_again(list, {.depth_max = 2, .events_max = 8}), R"({"a": [1], "b": 2})");
  EXPECT_EQ(read_again(list, {.depth_max = 1}), "1:6: nested deeper than 1 levels");
  EXPECT_EQ(read_again(list, {.events_max = 6}), "1:14: more than 6 YAML events");
  EXPECT_EQ(read_again(list, {.events_max = 7}), "1:1: more than 7 YAML events");
  EXPECT_EQ(read_again(R"({"a":1,"\u0061":2})"), "1:8: key \"a\" is given twice");
  std::string many = "{";
  for (int i = 0; i < 20; ++i) many += "\"k" + std::to_string(i) + "\":1,";
  EXPECT_EQ(read_again(many + R"("k7":2})"), R"(1:152: key "k7" is given twice)");
}

// A document with blanks and escapes at random, and what append_json() makes of it.
class RandomDocument {
 public:
  RandomDocument() { mapping(0); }
  std::string document, expected;

 private:
  static int draw(int below) { return *rc::gen::inRange(0, below); }
  void blanks() {
    for (int n = draw(4) - 1; n > 0; --n) document += " \n\t\r"[draw(4)];
  }
  void both(char c) {
    blanks();
    document += c;
    blanks();
    expected += c;
    if (c == ',' || c == ':') expected += ' ';
  }
  std::string word() {
    std::string text;
    document += '"';
    for (int n = draw(9); n > 0; --n) {
      switch (draw(8)) {
        case 0: (document += "\\n", text += '\n'); break;
        case 1: (document += "\\\"", text += '"'); break;
        case 2: (document += "\\\\", text += '\\'); break;
        case 3: (document += "\\u00e9", text += "\xC3\xA9"); break;
        case 4: (document += "\xC3\xA9", text += "\xC3\xA9"); break;
        default:
          const char c = "ab {}[]:,/'0"[draw(12)];
          document += c;
          text += c;
      }
    }
    document += '"';
    append_json(expected, text);
    return text;
  }
  void mapping(int depth) {
    both('{');
    std::set<std::string> keys;
    for (int i = 0, n = draw(depth > 3 ? 2 : 5); i < n; ++i) {
      const std::string document_before = document, expected_before = expected;
      if (i > 0) both(',');
      if (!keys.insert(word()).second) {  // a key may be given once
        document = document_before;
        expected = expected_before;
        break;
      }
      both(':');
      value(depth + 1);
    }
    both('}');
  }
  void sequence(int depth) {
    both('[');
    for (int i = 0, n = draw(depth > 3 ? 2 : 5); i < n; ++i) {
      if (i > 0) both(',');
      value(depth + 1);
    }
    both(']');
  }
  void value(int depth) {
    switch (draw(depth > 6 ? 3 : 5)) {
      case 0:
      case 1: word(); return;
      case 2: {
        const char* const scalars[] = {"0",    "-1.5e3", "12345678901234567890",
                                       "true", "false",  "null"};
        const char* const scalar = scalars[draw(6)];
        document += scalar;
        expected += scalar;
        return;
      }
      case 3: sequence(depth); return;
      default: mapping(depth);
    }
  }
};

RC_GTEST_PROP(JsonTree, KeepsKeysAndValues, ()) {
  const RandomDocument random;
  RC_ASSERT(read_again(random.document) == random.expected);
}

}  // namespace
}  // namespace copse
