// SPDX-License-Identifier: Apache-2.0
//
// What a request asks of hierarchical resources: its grammar, each fault with its column, and the
// string in a jobspec.
#include "request/hres.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "request/jobspec_texts.hpp"

namespace copse {
namespace {

std::string written(const std::string& text) {
  const auto request = parse_hres_request(text);
  return request ? hres_text(*request) : request.error().message();
}

TEST(HresRequest, IsReadIntoItems) {
  const auto request = parse_hres_request("flat:2,natural;power=full_node");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->either);
  ASSERT_EQ(request->items.size(), 3U);
  EXPECT_EQ(request->items[0], (HresItem{"flat", "", 2}));
  EXPECT_EQ(request->items[1], (HresItem{"natural", "", 1}));
  EXPECT_EQ(request->items[2], (HresItem{"power", "full_node", 1}));
  EXPECT_TRUE(HresRequest{}.empty());
  EXPECT_EQ(hres_text({}), "");
}

TEST(HresRequest, IsWrittenWithAllCounts) {
  EXPECT_EQ(written("flat"), "flat:1");
  EXPECT_EQ(written("flat=2,natural:1"), "flat:2;natural:1");
  EXPECT_EQ(written("flat|natural=x|power"), "flat:1|natural:x|power:1");
}

TEST(HresRequest, AlternativesAreToldByTheirSeparator) {
  EXPECT_TRUE(parse_hres_request("flat:1|natural:1")->either);
  EXPECT_FALSE(parse_hres_request("flat:1;natural:1")->either);
  EXPECT_FALSE(parse_hres_request("flat:1")->either);
}

TEST(HresRequest, NamesMayRepeatAndCountsMayBeNone) {
  EXPECT_EQ(written("a:1,a:2,b:0"), "a:1;a:2;b:0");
  EXPECT_EQ(written("a:0"), "a:0");
  EXPECT_EQ(written("a|a:0"), "a:1|a:0");
}

TEST(HresRequest, CountsHave63Bits) {
  EXPECT_EQ(parse_hres_request("a:9223372036854775807")->items[0].count, INT64_MAX);
  EXPECT_EQ(parse_hres_request("a:4294967297")->items[0].count, 4294967297);
  EXPECT_EQ(parse_hres_request("a:" + std::string(1000, '0') + "7")->items[0].count, 7);
}

TEST(HresRequest, ADigitMakesACount) {
  EXPECT_EQ(parse_hres_request("9a:b9")->items[0], (HresItem{"9a", "b9", 1}));
  // No variable has such a name, but that is not for the grammar to say.
  EXPECT_EQ(parse_hres_request("a:-1")->items[0], (HresItem{"a", "-1", 1}));
  EXPECT_EQ(parse_hres_request("a:+1")->items[0], (HresItem{"a", "+1", 1}));
}

TEST(HresRequest, NamesAreMadeOfAnythingElse) {
  EXPECT_EQ(written("über.a/b[1]-{2}:größe"), "über.a/b[1]-{2}:größe");
  for (const char* name : {"a", "1", "-", "a\"b'", "é"}) EXPECT_TRUE(is_hres_name(name)) << name;
  for (const char* name :
       {"", " ", "a b", "a\t", "\n", "\x7f", "\x01", "a,", "a;", "|", "a:b", "=", "(", ")"}) {
    EXPECT_FALSE(is_hres_name(name)) << name;
  }
  EXPECT_FALSE(is_hres_name(std::string_view("a\0b", 3)));
}

TEST(HresRequest, EachFaultHasItsColumn) {
  const std::string blank = "the request has a blank or a control character; there may be none";
  const std::string layers =
      "a request names resources, not layers of them; there are no parentheses";
  const std::string mixed = "'|' cannot be mixed with ',' or ';'";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "1:1: the request is empty; an item is name or name:count"},
      {",", "1:1: expected the name of a resource, not ','"},
      {"flat:1,", "1:8: expected the name of a resource, not the end"},
      {"flat:1,,natural:1", "1:8: expected the name of a resource, not ','"},
      {"flat:1||natural:1", "1:8: expected the name of a resource, not '|'"},
      {"flat:1|", "1:8: expected the name of a resource, not the end"},
      {"|flat:1", "1:1: expected the name of a resource, not '|'"},
      {":1", "1:1: expected the name of a resource, not ':'"},
      {"flat:", "1:6: expected a count or the name of a variable, not the end"},
      {"flat=,a", "1:6: expected a count or the name of a variable, not ','"},
      {"flat:=1", "1:6: expected a count or the name of a variable, not '='"},
      {"flat:x:2", "1:7: expected ',', ';', '|' or the end, not ':'"},
      {"flat:1x", "1:6: the count \"1x\" is not a whole number"},
      {"flat:2.5", "1:6: the count \"2.5\" is not a whole number"},
      {"flat:9223372036854775808",
       "1:6: the count \"9223372036854775808\" is above 9223372036854775807"},
      {"flat:99999999999999999999x",
       "1:6: the count \"99999999999999999999x\" is not a whole number"},
      {"flat: 1", "1:6: " + blank},
      {" flat:1", "1:1: " + blank},
      {"flat:1 ", "1:7: " + blank},
      {"flat :1", "1:5: " + blank},
      {"flat:1, a", "1:8: " + blank},
      {"fl\x01", "1:3: " + blank},
      {"flat:1\n", "1:7: " + blank},
      {"flat(node[01-32]):1", "1:5: " + layers},
      {"flat:1,a(n):1", "1:9: " + layers},
      {"flat)", "1:5: " + layers},
      {"a|b,c", "1:4: " + mixed},
      {"a|b;c", "1:4: " + mixed},
      {"a,b|c", "1:4: " + mixed},
      {"a;b|c", "1:4: " + mixed},
      {"a;b,c|d", "1:6: " + mixed},
      {"größe:ü,:", "1:9: expected the name of a resource, not ':'"},
      {"a,\xff", "1:3: the request is not UTF-8 from here on"},
      {"ü,\xc3", "1:3: the request is not UTF-8 from here on"},
  };
  for (const auto& [text, message] : rows) {
    EXPECT_EQ(written(text), message) << text;
    const auto request = parse_hres_request(text);
    ASSERT_FALSE(request) << text;
    EXPECT_EQ(request.error().code, ErrorCode::invalid) << text;
  }
}

TEST(HresRequest, ColumnsCountOnFromAPlace) {
  const auto request = parse_hres_request("a,,b", {"f", 4, 10});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().place.text(), "f:4:12");
  EXPECT_EQ(parse_hres_request("a,,b", {"f"}).error().place.text(), "f:1:3");
}

TEST(HresRequest, LengthAndItemsAreBounded) {
  const std::string long_name(kHresTextBytesMax, 'x');
  EXPECT_TRUE(parse_hres_request(long_name));
  const auto too_long = parse_hres_request(long_name + "x");
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, ErrorCode::limit);
  EXPECT_EQ(too_long.error().message(), "1:1: the request is longer than 65536 bytes");
  std::string items = "a";
  for (std::size_t i = 1; i < kHresItemsMax; ++i) items += ",a";
  ASSERT_TRUE(parse_hres_request(items));
  EXPECT_EQ(parse_hres_request(items)->items.size(), kHresItemsMax);
  const auto too_many = parse_hres_request(items + ",a");
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code, ErrorCode::limit);
  EXPECT_EQ(too_many.error().message(), "1:2001: more than 1000 items");
}

TEST(HresRequest, StandsInAJobspec) {
  const auto hres = [](const std::string& document) {
    const auto request = parse_jobspec(document, "j");
    return request ? hres_text(request->hres) : request.error().message();
  };
  const auto in_flow = [&](const std::string& text) {  // the value begins in column 29
    return hres(with_attributes("{system: {hres: " + text + "}}"));
  };
  EXPECT_EQ(in_flow("\"flat:2,natural:1\""), "flat:2;natural:1");
  EXPECT_EQ(in_flow("'flat|natural'"), "flat:1|natural:1");
  EXPECT_EQ(in_flow("flat:2"), "flat:2");
  EXPECT_EQ(in_flow("\"5\""), "5:1");
  EXPECT_EQ(in_flow("null"), "");
  EXPECT_EQ(hres(with_system_json("\"hres\":\"power:full_node\"")), "power:full_node");
  EXPECT_EQ(hres(with_system_json("\"duration\":1")), "");
  EXPECT_EQ(hres(with_attributes("\n  system:\n    hres: >-\n      flat:2,natural:1\n")),
            "flat:2;natural:1");

  EXPECT_EQ(in_flow("\"flat:1x\""), "j:4:35: hres: the count \"1x\" is not a whole number");
  EXPECT_EQ(in_flow("flat:1x"), "j:4:34: hres: the count \"1x\" is not a whole number");
  EXPECT_EQ(in_flow("\"\""), "j:4:30: hres: the request is empty; an item is name or name:count");
  for (const char* value : {"5", "-1", "2.5", "1e3", "true", "false", "[a]", "{a: 1}"}) {
    EXPECT_EQ(in_flow(value), "j:4:29: Value of \"hres\" must be a string") << value;
  }
  EXPECT_EQ(hres(with_system_json("\n\"hres\":\"a,,b\"")),
            "j:2:11: hres: expected the name of a resource, not ','");
  EXPECT_EQ(hres(with_system_json("\n\"hres\":5")), "j:2:8: Value of \"hres\" must be a string");
  // Where in the lines of such a text it is cannot be told.
  EXPECT_EQ(hres(with_attributes("\n  system:\n    hres: |\n      flat:2\n")),
            "j:6:11: hres: the request has a blank or a control character; there may be none");
  EXPECT_EQ(hres(with_attributes("\n  system:\n    hres: \"flat:2,\n      natural:1\"\n")),
            "j:6:11: hres: the request has a blank or a control character; there may be none");
}

}  // namespace
}  // namespace copse
