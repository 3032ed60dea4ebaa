// SPDX-License-Identifier: Apache-2.0
//
// JGF that is refused: each with its sentence and its place.
#include <gtest/gtest.h>

#include "jgf_words.hpp"

namespace copse::jgf {
namespace {

const std::string kRoot = node("0", "a", "/a0");

TEST(JgfRefuse, WhatIsNoJson) {
  struct Row {
    std::string text, message;
  };
  const std::string good = document({kRoot}, {});
  const Row rows[] = {
      {"", "m:1:1: there is no JSON in this text"},
      {" \n ", "m:2:2: there is no JSON in this text"},
      {"[]", "m:1:1: the document must be a JSON object"},
      {"7", "m:1:1: the document must be a JSON object"},
      {"{", "m:1:2: the text must end with the brace that closes the document"},
      {good.substr(0, good.size() - 1) + " ",
       "m:3:16: this is not JSON: the text ends, and \"{\" of line 1 is not closed"},
      {good + " x", "m:3:18: the text must end with the brace that closes the document"},
      {good + "{}", "m:3:16: the JSON document ends before this, and only one is read"},
      {"{\"a\": \"\xff\"}", "m:1:8: this byte is not UTF-8"},
      {"{\"a\":\n \"x\ny\"}", "m:2:4: a control character in a string must be escaped"},
      {"{\"a\":\n \"x}", "m:2:2: this string has no end"},
      {"{\"a\": \"\\x\"}", "m:1:7: this string has an escape that JSON does not know"},
      {"{\"\\ud800\": 1}", "m:1:2: this string has an escape that JSON does not know"},
      {"{\"a\": NaN}", "m:1:7: this is not JSON: a value is missing here"},
      {"{\"a\": nan}", "m:1:7: this is not JSON: a word must be true, false or null"},
      {"{\"a\": 01}", "m:1:7: this is not JSON: a number is malformed"},
      {"{\"a\": 1.}", "m:1:7: this is not JSON: a number is malformed"},
      {"{\"a\": -Infinity}", "m:1:7: this is not JSON: a number is malformed"},
      {"{\"a\": [1 2]}", "m:1:10: this is not JSON: a comma is missing before \"2\""},
      {"{\"a\": [1,]}", "m:1:10: this is not JSON: a value is missing here"},
      {"{\"a\" 1}", "m:1:6: this is not JSON: a colon is missing before \"1\""},
      {"{\"a\": 1 \"b\": 2}", "m:1:9: this is not JSON: a comma is missing before \"b\""},
  };
  for (const Row& row : rows) EXPECT_EQ(refusal(row.text), row.message) << row.text;
}

TEST(JgfRefuse, WhatIsNoJgf) {
  struct Row {
    std::string text, message;
  };
  const auto nodes = [](const std::string& second) { return document({kRoot, second}, {}); };
  const auto edges = [](const std::string& edge) {
    return document({kRoot, node("1", "b", "/a0/b1")}, {edge});
  };
  const Row rows[] = {
      {"{}", "m:1:1: JGF does not contain a required key (graph)"},
      {R"({"graph": []})", R"(m:1:11: "graph" must be an object)"},
      {R"({"graph": {"edges": []}})", "m:1:11: JGF does not contain a required key (nodes)"},
      {R"({"graph": {"nodes": []}})", "m:1:11: JGF does not contain a required key (edges)"},
      {R"({"graph": {"nodes": {}, "edges": []}})", R"(m:1:21: "nodes" must be an array)"},
      {R"({"graph": {"nodes": [], "edges": [], "nodes": []}})",
       R"(m:1:47: "nodes" is given twice)"},
      {R"({"graph": {"nodes": [], "edges": []}, "scheduling": {"graph": {}}})",
       R"(m:1:63: a second "graph" is given)"},
      {nodes("7"), "m:3:1: a JGF node must be an object"},
      {nodes("{}"), "m:3:1: JGF vertex id key is not found in a node"},
      {nodes(R"({"id": 7})"), "m:3:8: the id of a JGF node must be a string"},
      {nodes(R"({"id": "7"})"),
       "m:3:1: malformed metadata in a JGF node for 7: all of it is missing"},
      {nodes(R"({"id": "7", "metadata": []})"),
       R"(m:3:25: "metadata" of a JGF node must be an object)"},
      {nodes(R"({"id": "7", "metadata": {"paths": {}}})"),
       R"(m:3:1: malformed metadata in a JGF node for 7: "type" is missing)"},
      {nodes(node("7", "b", "")),
       R"(m:3:1: malformed metadata in a JGF node for 7: "paths" is missing)"},
      {nodes(node("7", "", "/b")), "m:3:34: a JGF node must have a type"},
      {nodes(node("x", "b", "/a0/b")),
       "m:3:8: the id of a JGF node without \"uniq_id\" must be a whole number"},
      {nodes(node("9223372036854775808", "b", "/a0/b")),
       "m:3:8: the id of a JGF node without \"uniq_id\" must be a whole number"},
      {nodes(node("9223372036854775807", "b", "/a0/b")),
       "m:3:8: the number of a JGF node without \"id\" is beyond 9007199254740992"},
      {nodes(node("1", "node", "/a0/b", R"("name": "n99999999999999999999")")),
       "m:3:8: the number of a JGF node without \"id\" is beyond 9007199254740992"},
      {nodes(node("1", "b", "/a0/b", R"("id": 9223372036854775808)")),
       R"(m:3:80: "id" of a JGF node must be a whole number from -9007199254740992 to 9007199254740992)"},
      {nodes(node("1", "b", "/a0/b", R"("size": -1)")),
       R"(m:3:82: "size" of a JGF node must be a whole number from 0 to 9223372036854775807)"},
      {nodes(node("1", "b", "/a0/b", R"("size": 1e3)")),
       R"(m:3:82: "size" of a JGF node must be a whole number from 0 to 9223372036854775807)"},
      {nodes(node("1", "b", "/a0/b", R"("rank": -2)")),
       R"(m:3:82: "rank" of a JGF node must be a whole number from -1 to 2147483647)"},
      {nodes(node("1", "b", "/a0/b", R"("rank": "0")")),
       R"(m:3:82: "rank" of a JGF node must be a whole number from -1 to 2147483647)"},
      {nodes(node("1", "b", "/a0/b", R"("status": 2)")),
       R"(m:3:84: "status" of a JGF node must be a whole number from 0 to 1)"},
      {nodes(node("1", "b", "/a0/b", R"("exclusive": 1)")),
       R"(m:3:87: "exclusive" of a JGF node must be true or false)"},
      {nodes(node("1", "b", "/a0/b", R"("unit": null)")),
       R"(m:3:82: "unit" of a JGF node must be a string)"},
      {nodes(node("1", "b", "/a0/b", R"("size": 1, "size": 1)")),
       R"(m:3:93: "size" is given twice)"},
      {nodes(node("1", "b", "/a0/b", R"("properties": [])")),
       "m:3:88: key (properties) must be an object or null"},
      {nodes(node("1", "b", "/a0/b", R"("properties": {"p": 1})")),
       "m:3:94: a property of a JGF node must be a string"},
      {nodes(node("1", "b", "/a0/b", R"("properties": {"p": "", "p": ""})")),
       "m:3:103: property \"p\" is given twice"},
      {nodes(node("1", "b", "a0/b")),
       "m:3:64: a path of a JGF node must begin with \"/\" and a name"},
      {nodes(node("1", "b", "/")), "m:3:64: a path of a JGF node must begin with \"/\" and a name"},
      {nodes(node("0", "b", "/a0/b")), "m:3:8: found duplicate JGF node id for 0"},
      {nodes(node("1", "b", "/b1")),
       "m:3:64: failed to add root metadata for containment subsystem. Possible duplicate root"},
      {edges("[]"), "m:5:1: a JGF edge must be an object"},
      {edges(R"({"source": "0"})"), "m:5:1: source and/or target vertex not found in a JGF edge"},
      {edges(R"({"source": 0, "target": "1"})"),
       R"(m:5:12: "source" of a JGF edge must be a string)"},
      {edges(edge("0", "9")), "m:5:1: source and/or target vertex not found: 0 -> 9"},
      {edges(edge("9", "0")), "m:5:1: source and/or target vertex not found: 9 -> 0"},
      {edges(R"({"source": "0", "target": "1", "metadata": {"subsystem": ""}})"),
       "m:5:58: a subsystem must have a name"},
  };
  for (const Row& row : rows) EXPECT_EQ(refusal(row.text), row.message) << row.text;
}

TEST(JgfRefuse, WhatIsNoMachine) {
  EXPECT_EQ(refusal(document({node("0", "a", "/x/a0")}, {})),
            "m: no subsystem named containment with a root in this graph");
  EXPECT_EQ(refusal(document({}, {})),
            "m: no subsystem named containment with a root in this graph");
  const std::vector<std::string> three = {kRoot, node("1", "b", "/a0/b1"),
                                          node("2", "c", "/a0/b1/c2")};
  const std::vector<std::string> four = {three[0], three[1], three[2],
                                         node("3", "d", "/a0/b1/c2/d3")};
  EXPECT_EQ(refusal(document(four, {edge("1", "2"), edge("2", "3"), edge("3", "1")})),
            "m: b1 cannot be reached from the root of subsystem containment by the edges made "
            "last: they form a cycle, or begin outside of it");
  EXPECT_EQ(refusal(document(three, {edge("0", "1"), edge("1", "2"), edge("2", "0")})),
            "m: a0 cannot be reached from the root of subsystem containment by the edges made "
            "last: they form a cycle, or begin outside of it");
  EXPECT_EQ(refusal(document(three, {edge("1", "2")})),
            "m: c2 cannot be reached from the root of subsystem containment by the edges made "
            "last: they form a cycle, or begin outside of it");
  EXPECT_EQ(refusal(document(
                four, {edge("1", "2", "power"), edge("2", "3", "power"), edge("3", "1", "power")})),
            "m: the edges of subsystem power form a cycle, at b1");
  EXPECT_EQ(refusal(document(three, {edge("0", "1"), edge("1", "1", "power")})),
            "m: the edges of subsystem power form a cycle, at b1");
}

TEST(JgfRefuse, WhatIsTooMuch) {
  const std::string deep =
      R"({"graph": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(refusal(deep), R"(m:1:11: "graph" must be an object)");
  const std::string below =
      R"({"x": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(refusal(below), "m:1:71: more than 64 levels of JSON");
  EXPECT_EQ(refusal(R"({"x": )" + std::string(100'000, '[')),
            "m:1:100007: the text must end with the brace that closes the document");
  std::string objects = "{\"x\": ";
  for (int i = 0; i < 1'000; ++i) objects += "{\"x\": ";
  EXPECT_EQ(refusal(objects + "1" + std::string(1'001, '}')),
            "m:1:391: more than 64 levels of JSON");

  const std::string big(10u << 20, 'x');
  EXPECT_EQ(refusal(document({node("0", big, "/a0")}, {})),
            "m:2:34: \"type\" of a JGF node is longer than 65536 bytes");
  EXPECT_EQ(refusal(document({node(big, "a", "/a0")}, {})),
            "m:2:8: the id of a JGF node is longer than 65536 bytes");
  EXPECT_EQ(
      refusal(document({node("0", "a", "/a0", "\"properties\": {\"" + big + "\": \"\"}")}, {}))
          .substr(0, 2),
      "m:");
  // What nobody wants may be of any length.
  EXPECT_EQ(refusal(document({node("0", "a", "/a0", "\"x\": \"" + big + '"')}, {})), "accepted");

  const std::vector<std::string> two = {
      kRoot, node("1", "b", "/a0/b1", R"("properties": {"p": "", "q": ""})")};
  const std::string text = document(two, {edge("0", "1"), edge("0", "1")});
  EXPECT_EQ(refusal(text), "accepted");
  EXPECT_EQ(refusal(text, {.nodes_max = 1}), "m:3:1: more than 1 nodes");
  EXPECT_EQ(refusal(text, {.edges_max = 1}), "m:6:1: more than 1 edges");
  EXPECT_EQ(refusal(text, {.members_max = 1}),
            "m:3:104: a JGF node has more than 1 properties or paths");
  EXPECT_EQ(refusal(text, {.text_bytes_max = 10}), "m:1:1: the text has more than 10 bytes");

  std::vector<std::string> nodes = {kRoot}, edges;
  std::string path = "/a0";
  for (int i = 1; i <= 1'001; ++i) {
    path += "/b";
    nodes.push_back(node(std::to_string(i), "b", path, R"("id": -1)"));
    edges.push_back(edge(std::to_string(i - 1), std::to_string(i)));
  }
  EXPECT_EQ(refusal(document(nodes, edges)),
            "m: the edges of subsystem containment are more than 1000 levels deep, at b");
}

// What is unescaped has room for the length of the text and no more: nothing is unescaped twice.
TEST(JgfRefuse, EscapesAreReadOnce) {
  std::string key = "\\n";
  for (int i = 0; i < 20; ++i) key += key;
  const std::string edges = R"("edges": [])", nodes = "\"nodes\": [" + kRoot + "]";
  const auto graph = [&](const std::string& a, const std::string& b, const std::string& c) {
    return refusal(R"({"graph": {)" + a + ", " + b + ", " + c + "}}");
  };
  const std::string huge = '"' + key + "\": \"" + key + '"';
  EXPECT_EQ(graph(edges, nodes, huge), "accepted");
  EXPECT_EQ(graph(edges, huge, nodes), "accepted");
  EXPECT_EQ(graph(huge, edges, nodes), "accepted");
  EXPECT_EQ(graph(huge, nodes, edges), "accepted");
}

TEST(JgfRefuse, WhatEndsInSomethingElse) {
  const std::string text = document({kRoot}, {});
  // The bytes behind the text are no part of it, and are not read even if they would complete it.
  const std::string longer = text + std::string(100, '}');
  for (std::size_t size = 1; size <= text.size() + 1; ++size) {
    const std::string_view part = std::string_view(longer).substr(0, size);
    const auto graph = read_jgf(part, {.readable_past = longer.size() - size});
    EXPECT_EQ(graph.has_value(), size == text.size()) << size;
  }
}

TEST(JgfRefuse, EveryTruncatedText) {
  const std::string text = document(
      {kRoot, node("1", "b", "/a0/b1", R"("properties": {"p": "\u00e9", "q": "é"}, "size": 3)")},
      {edge("0", "1", "containment")});
  ASSERT_EQ(refusal(text), "accepted");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string message = refusal(text.substr(0, size));
    EXPECT_TRUE(message.starts_with("m:") && message.size() > 8) << size << ": " << message;
  }
}

}  // namespace
}  // namespace copse::jgf
