// SPDX-License-Identifier: Apache-2.0
//
// Texts made to take memory, time or the parser down: each gets one clear error.
#include <gtest/gtest.h>

#include <string>

#include "copse/request.hpp"
#include "request/jobspec_texts.hpp"

namespace copse {
namespace {

TEST(Jobspec, HostileYaml) {
  const auto limit = ErrorCode::limit;
  const std::string alias = "YAML aliases are not accepted";
  std::string bomb = "a: &a [x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1) + ", *" +
            static_cast<char>(c - 1) + "]\n";
  }
  const std::string deep(100'000, '[');
  const std::string long_name(10u << 20, 'x');
  expect_errors({
      {bomb, alias, 1},
      {with_attributes("{user: *x}"), alias, 4},
      {with_attributes("{user: &x 1}"), alias, 4},
      {with_attributes("&x {}"), alias, 4},
      {with_attributes("{user: &x []}"), alias, 4},
      {with_system_json("\"a\":*x"), alias, 1},
      {with_count("1") + "---\nsecond: 1\n", "the text has more than one YAML document", 6},
      {"version: 1\nversion: 2\n", "key \"version\" is given twice", 2},
      {with_resource("{type: node, count: 1, count: 2}"), "key \"count\" is given twice", 3},
      {with_attributes("{user: {\"a\": 1, a: 2}}"), "key \"a\" is given twice", 4},
      {with_system_json("\"a\":1,\n\"\\u0061\":2"), "key \"a\" is given twice", 2},
      {with_attributes("{user: {[a]: 1}}"), "a key of a mapping is not a scalar", 4},
      {with_attributes("{user: {? {a: b} : 1}}"), "a key of a mapping is not a scalar", 4},
      {deep, "nested deeper than 64 levels", 1, limit},
      {with_attributes("\n  user: " + deep), "nested deeper than 64 levels", 5, limit},
      {with_system_json("\"a\":\n" + deep), "nested deeper than 64 levels", 2, limit},
      {with_system_json("\"a\":\n" + deep + std::string(100'000, ']')),
       "nested deeper than 64 levels", 2, limit},
      {"version: 1\nname: \xff\xfe\n", "the text is not UTF-8 at byte 17", 2},
      {"version: \xc0\x80", "the text is not UTF-8 at byte 9", 1},
      {"version: \xe0\x80\x80", "the text is not UTF-8 at byte 9", 1},
      {"version: \xf0\x80\x80\x80", "the text is not UTF-8 at byte 9", 1},
      {"version: \xed\xa0\x80", "the text is not UTF-8 at byte 9", 1},
      {"version: \xf4\x90\x80\x80", "the text is not UTF-8 at byte 9", 1},
      {"version: 1234567 \xe2\x82", "the text is not UTF-8 at byte 17", 1},
      {with_resource("{type: " + long_name + ", count: 1}"),
       "Value of \"type\" is longer than 1024 bytes", 3, limit},
      {with_resource("{type: slot, count: 1, label: " + std::string(1025, 'x') + "}"),
       "Value of \"label\" is longer than 1024 bytes", 3, limit},
      {with_count(long_name), "count is out of range", 3, limit},
      {with_count(std::string(10u << 20, '9')), "count is out of range", 3, limit},
  });
}

TEST(Jobspec, TagDirectivesAreBounded) {
  const auto with_directives = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "%TAG !t" + std::to_string(i) + "! tag:x\n";
    return text + "---\n" + with_count("!t0!x 1");
  };
  EXPECT_TRUE(parse_jobspec(with_directives(100)));
  expect_errors({{with_directives(101), "more than 100 %TAG directives", 101, ErrorCode::limit},
                 {with_count("1") + "...\n" + with_directives(500'000),
                  "more than 100 %TAG directives", 107, ErrorCode::limit}});
}

TEST(Jobspec, ManyKeysAreCheckedToo) {
  std::string members;
  for (int i = 0; i < 1000; ++i) members += "\"k" + std::to_string(i) + "\":1,\n";
  EXPECT_TRUE(parse_jobspec(with_system_json(members + "\"last\":1")));
  const auto twice = parse_jobspec(with_system_json(members + "\"k500\":1"));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().text, "key \"k500\" is given twice");
  EXPECT_EQ(twice.error().place.line, 1001U);
}

TEST(Jobspec, OtherYamlErrorsHaveAPlace) {
  expect_errors({
      {"version: 1\nresources: [\n", "YAML: did not find expected node content", 3},
      {"version: 1\n\ttasks: 1\n", "YAML: found a tab character that violates indentation", 2},
      {"version: @1\n", "YAML: found character that cannot start any token", 1},
      {"version: 1\nname: \"a\n", "YAML: found unexpected end of stream", 3},
  });
  for (const std::string& text : {std::string("a: b: c"), std::string("a: \x01"), std::string("%"),
                                  std::string("version: 1\0", 11), std::string("\0", 1)}) {
    const auto request = parse_jobspec(text);
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().code, ErrorCode::invalid);
    EXPECT_TRUE(request.error().text.starts_with("YAML: ")) << request.error().message();
    EXPECT_GE(request.error().place.line, 1U);
  }
}

TEST(Jobspec, LimitsAreThoseOfTheCaller) {
  const auto error_with = [](JobspecLimits limits, const std::string& text) {
    const auto request = parse_jobspec(text, {}, limits);
    if (request) return std::string("accepted");
    EXPECT_EQ(request.error().code, ErrorCode::limit);
    return request.error().text;
  };
  const std::string text = with_count("1");
  JobspecLimits limits;
  limits.text_bytes_max = text.size();
  EXPECT_EQ(error_with(limits, text), "accepted");
  EXPECT_EQ(error_with(limits, text + " "),
            "the text is longer than " + std::to_string(text.size()) + " bytes");
  limits = {.events_max = 31};
  EXPECT_EQ(error_with(limits, text), "accepted");
  limits = {.events_max = 30};
  EXPECT_EQ(error_with(limits, text), "more than 30 YAML events");
  limits = {.depth_max = 4};
  EXPECT_EQ(error_with(limits, text), "accepted");
  limits = {.depth_max = 3};
  EXPECT_EQ(error_with(limits, text), "nested deeper than 3 levels");
  limits = {.resources_max = 3};
  const std::string three =
      with_resource("{type: a, count: 1, with: [{type: b, count: 1}, {type: c, count: 1}]}");
  EXPECT_EQ(error_with(limits, three), "accepted");
  limits = {.resources_max = 2};
  EXPECT_EQ(error_with(limits, three), "more than 2 resources");
  limits = {.hosts_max = 9};
  const std::string hosts = "{system: {constraints: {hostlist: [\"a[1-5]\", \"b[1-";
  EXPECT_EQ(error_with(limits, with_attributes(hosts + "4]\"]}}}")), "accepted");
  EXPECT_NE(error_with(limits, with_attributes(hosts + "5]\"]}}}")), "accepted");
  // The defaults hold a text of 16 MiB, no more.
  EXPECT_EQ(error_with({}, std::string((16u << 20) + 1, ' ')),
            "the text is longer than 16777216 bytes");
}

}  // namespace
}  // namespace copse
