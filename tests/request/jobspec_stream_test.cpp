// SPDX-License-Identifier: Apache-2.0
//
// Streams of documents, and trees written as YAML. The grammar of one document is tested with
// parse_jobspec.
#include "request/jobspec/jobspec_stream.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "request/jobspec_texts.hpp"

namespace copse {
namespace {

const std::string kGood = "version: 1\nresources: []\ntasks: []\nattributes:\n";

// "ok", or "line:column sentence", for each document; "broken" at the end of a text that is.
std::string documents(const std::string& text, const JobspecLimits& limits = {}) {
  JobspecStream stream(text, "f", limits);
  std::string out;
  while (const auto request = stream.next()) {
    if (!out.empty()) out += '\n';
    if (*request) {
      out += "ok";
      continue;
    }
    const Error& e = request->error();
    out += fmt::format("{}:{} {}", e.place.line, e.place.column, e.text);
  }
  EXPECT_FALSE(stream.next());
  return out + (stream.broken() ? "\nbroken" : "");
}

TEST(JobspecStream, OneDocumentAfterTheOther) {
  EXPECT_EQ(documents(kGood), "ok");
  EXPECT_EQ(documents("---\n" + kGood + "...\n"), "ok");
  EXPECT_EQ(documents(kGood + "---\n" + kGood + "---\n" + kGood), "ok\nok\nok");
  EXPECT_EQ(documents(kGood + "...\n---\n" + kGood + "# the end\n"), "ok\nok");
  EXPECT_EQ(documents(R"({"version": 1, "resources": [], "tasks": [], "attributes": null})"), "ok");
}

TEST(JobspecStream, NothingIsADocumentToo) {
  const std::string null = "1:1 Top level of jobspec is not a mapping";
  for (const char* text : {"", "\n \n", "# a comment\n"}) EXPECT_EQ(documents(text), null) << text;
  EXPECT_EQ(documents("---\n---\n"),
            "2:1 Top level of jobspec is not a mapping\n3:1 Top level of jobspec is not a mapping");
}

TEST(JobspecStream, WhatIsInADocumentDoesNotEndTheStream) {
  const std::string more = "---\n" + kGood;
  EXPECT_EQ(documents("[]\n" + more), "1:1 Top level of jobspec is not a mapping\nok");
  EXPECT_EQ(documents("a: &x [1, {b: *x}]\n" + more), "1:4 YAML aliases are not accepted\nok");
  EXPECT_EQ(documents("a: [[[[{b: 1, b: 2}]]], 3]\nc: [4]\n" + more),
            "1:15 key \"b\" is given twice\nok");
  EXPECT_EQ(documents("? [a]\n: 1\n" + more), "1:3 a key of a mapping is not a scalar\nok");
}

TEST(JobspecStream, SyntaxErrorsEndTheStream) {
  EXPECT_EQ(documents(kGood + "---\n]\n---\n" + kGood),
            "ok\n6:1 YAML: did not find expected node content\nbroken");
  // Of a document that is refused, the rest is still read.
  EXPECT_EQ(
      documents("a: *x\nb: ]\n"),
      "1:4 YAML aliases are not accepted\n2:4 YAML: did not find expected node content\nbroken");
  EXPECT_EQ(documents("a: \xff\n" + kGood), "1:4 the text is not UTF-8 at byte 3\nbroken");
}

TEST(JobspecStream, LimitsAreThoseOfADocument) {
  const JobspecLimits limits{.text_bytes_max = 1000, .depth_max = 3, .events_max = 40};
  std::string many = kGood;
  for (int i = 0; i < 10; ++i) many += "---\n" + kGood;
  EXPECT_EQ(documents(many, limits), "ok\nok\nok\nok\nok\nok\nok\nok\nok\nok\nok");
  EXPECT_EQ(documents("[[[[]]]]\n---\n" + kGood, limits), "1:4 nested deeper than 3 levels");
  std::string list = "[";
  for (int i = 0; i < 50; ++i) list += "1,";
  EXPECT_EQ(documents(list + "]\n---\n" + kGood, limits), "1:80 more than 40 YAML events");
  // What is passed over is bounded as well.
  const std::string left = "too much of a document that was refused is left";
  EXPECT_EQ(documents("- *x\n- " + list + "]\n---\n" + kGood, limits),
            "1:3 YAML aliases are not accepted\n1:1 " + left);
  EXPECT_EQ(documents("- *x\n- [[[[[1]]]]]\n---\n" + kGood, limits),
            "1:3 YAML aliases are not accepted\n1:1 " + left);
  EXPECT_EQ(documents(std::string(1001, ' '), limits),
            "0:0 the text is longer than 1000 bytes\nbroken");
}

// --- Writing

std::string yaml_of(const std::string& text) {
  const auto tree = read_tree(text, "f", {});
  EXPECT_TRUE(tree) << tree.error().message();
  const auto yaml = to_yaml(*tree);
  EXPECT_TRUE(yaml);
  return *yaml;
}

TEST(ToYaml, BlockStyleInTheOrderOfTheText) {
  EXPECT_EQ(yaml_of("{b: [1, {c: 2, a: []}], a: {}, null: ~, '': }"),
            "---\nb:\n- 1\n- c: 2\n  a: []\na: {}\nnull: null\n'': null\n");
  EXPECT_EQ(yaml_of("word"), "--- word\n");
  EXPECT_EQ(yaml_of(""), "--- null\n");
}

TEST(ToYaml, TextsStayWhatTheyAre) {
  // Numbers, words and strings that look like them.
  EXPECT_EQ(yaml_of("[1, '1', 0x1F, 1.50, true, \"true\", ~, '~', '', 2026-11-21, ---a]"),
            "---\n- 1\n- '1'\n- 0x1F\n- 1.50\n- true\n- 'true'\n- null\n- '~'\n- ''\n"
            "- 2026-11-21\n- '---a'\n");
  EXPECT_EQ(yaml_of("{a: \"tab\\there\", b: 'it''s', c: \"\\0\\x07\\u2028é\"}"),
            "---\na: \"tab\\there\"\nb: 'it''s'\nc: \"\\0\\a\\Lé\"\n");
  EXPECT_EQ(yaml_of("a: |\n  one\n   two\n\n  three\n"), "---\na: |\n  one\n   two\n\n  three\n");
  EXPECT_EQ(yaml_of("a: |-\n  one\n  two\n"), "---\na: |-\n  one\n  two\n");
  EXPECT_EQ(yaml_of("a: \"one\\ntwo\\n\\n\"\nb: 1"), "---\na: \"one\\ntwo\\n\\n\"\nb: 1\n");
  EXPECT_EQ(yaml_of("a: \"one\\ntwo \\n\""), "---\na: \"one\\ntwo \\n\"\n");
  EXPECT_EQ(yaml_of("a: \" one\\ntwo\""), "---\na: \" one\\ntwo\"\n");
  EXPECT_EQ(yaml_of("a: one\n  two\n\n  three\n"), "---\na: |-\n  one two\n  three\n");
}

// The same nodes with the same texts, null and quotes where they were.
void expect_same(const Tree& a, const Tree& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::uint32_t n = 0; n < a.nodes.size(); ++n) {
    const TreeView x(a, n), y(b, n);
    EXPECT_EQ(a.nodes[n].kind, b.nodes[n].kind) << n;
    EXPECT_EQ(a.nodes[n].children, b.nodes[n].children) << n;
    EXPECT_EQ(x.is_null(), y.is_null()) << n;
    EXPECT_EQ(x.is_null() ? "" : x.text(), y.is_null() ? "" : y.text()) << n;
  }
}

TEST(ToYaml, IsReadBackAsTheSame) {
  std::string long_text(5000, 'x');
  for (std::size_t i = 70; i < long_text.size(); i += 71) long_text[i] = ' ';
  const std::vector<std::string> texts{
      "- - - a\n    - b\n  -\n- ? x\n  : - y\n",
      "[a: b, {c: [d]}]",
      "a: one\n  two\n\n  three\n",
      "- |\n\n  leading\n- >\n   folded\n   more\n- |2\n    x\n",
      "{'a: b': 'c # d', \"- e\": '- f', '? g': '%h', '@i': '`j', 'k ': ' l'}",
      "[\"\\u0085\", \"\\ufeff\", \"\\ud7ff\", \"\\U0010FFFF\", '…', \"a\\r\\nb\"]",
      "[-a, ---b, ...c, ?e, a#b, http://x:1/, <<, =, '|', '>']",
      "- " + long_text + "\n- '" + long_text + "'\n- {" + long_text.substr(0, 1000) + ": 1}\n"};
  for (const std::string& text : texts) {
    const auto before = read_tree(text, "f", {});
    ASSERT_TRUE(before) << before.error().message() << '\n' << text;
    const auto yaml = to_yaml(*before);
    ASSERT_TRUE(yaml) << text;
    const auto after = read_tree(*yaml, "f", {});
    ASSERT_TRUE(after) << after.error().message() << '\n' << *yaml;
    SCOPED_TRACE(*yaml);
    expect_same(*before, *after);
    EXPECT_EQ(*to_yaml(*after), *yaml);
  }
}

}  // namespace
}  // namespace copse
