// SPDX-License-Identifier: Apache-2.0
//
// What RFC 4 has of a graph, written and read again: tags, properties, relations and all subsystems, as JGF
// and GraphML; whole graphs and parts of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formats/graphml/graph_graphml.hpp"
#include "formats/graphml/graphml_read.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/jgf.hpp"
#include "graph/small_graph.hpp"

namespace copse {
namespace {

std::string shown(const ResourceGraph::Attributes* words) {
  std::string out;
  if (words == nullptr) return out;
  for (const auto& [key, value] : *words) out += " " + key + "=" + value;
  return out;
}

// What a graph has, in an order that does not depend on its numbers.
std::vector<std::string> contents(const ResourceGraph& g) {
  std::vector<std::string> out;
  const auto name = [&](PoolId p) {
    for (std::uint32_t s = 0; s < g.subsystem_count(); ++s) {
      const std::string path = g.path(p, SubsystemId{static_cast<std::uint8_t>(s)});
      if (!path.empty()) return path;
    }
    return g.name(p);
  };
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    const PoolId p{v};
    std::string line = g.type_name(p) + " " + g.basename_text(p) + " " + std::to_string(g.size(p)) +
                       g.unit_text(p) + " rank " + std::to_string(g.rank(p)) + " uniq " +
                       std::to_string(g.uniq_id(p)) + " uuid " + g.uuid(p) +
                       shown(g.properties(p)) + shown(g.tags(p));
    for (std::uint32_t s = 0; s < g.subsystem_count(); ++s) {
      line += " " + g.path(p, SubsystemId{static_cast<std::uint8_t>(s)});
    }
    out.push_back(line);
  }
  g.for_each_edge([&](const Edge& e) {
    out.push_back(name(e.from) + " -> " + name(e.to) + " " + g.subsystem_name(e.subsystem) + " " +
                  g.names().relations.text(e.relation.v) + "/" +
                  g.names().relations.text(e.reverse.v));
  });
  std::ranges::sort(out);
  return out;
}

ResourceGraph tagged() {
  ResourceGraph g = machine();
  g.set_tag(at(g, "/cluster0/rack0/node1"), "row", "7 & <8>");
  g.set_tag(at(g, "/cluster0/rack0/node1"), "spare");
  g.set_property(at(g, "/cluster0/rack1"), "cold", "yes");
  return g;
}

std::vector<SubsystemId> all_subsystems(const ResourceGraph& g) {
  std::vector<SubsystemId> out;
  for (std::uint32_t s = 0; s < g.subsystem_count(); ++s) {
    out.push_back(SubsystemId{static_cast<std::uint8_t>(s)});
  }
  return out;
}

TEST(GraphParts, JgfKeepsTagsAndRelations) {
  const ResourceGraph g = tagged();
  std::string text;
  ASSERT_TRUE(write_jgf(g, text));
  const auto again = read_jgf(text);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(contents(*again), contents(g));
}

TEST(GraphParts, GraphmlIsReadAgain) {
  const ResourceGraph g = tagged();
  std::string text;
  ASSERT_TRUE(write_graphml(g, all_subsystems(g), text));
  EXPECT_TRUE(is_graphml_graph(text));
  const auto again = read_graphml(text, "graph.graphml");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(contents(*again), contents(g));
  std::string twice;
  ASSERT_TRUE(write_graphml(*again, all_subsystems(*again), twice));
  EXPECT_TRUE(twice == text);
}

// A relation as two opposite edges.
TEST(GraphParts, GraphmlMayHaveEdgesBothWays) {
  const ResourceGraph g = machine();
  std::string text;
  ASSERT_TRUE(write_graphml(g, all_subsystems(g), text));
  std::string both = text, edges;
  for (std::size_t from = 0; (from = text.find("<edge source=\"", from)) != text.npos; ++from) {
    std::string edge = text.substr(from, text.find("</edge>\n", from) + 8 - from);
    const std::size_t s = edge.find("source=\"") + 8, t = edge.find("target=\"") + 8;
    const std::string source = edge.substr(s, edge.find('"', s) - s);
    const std::string target = edge.substr(t, edge.find('"', t) - t);
    edge = "<edge source=\"" + target + "\" target=\"" + source + edge.substr(t + target.size());
    const std::size_t relation = edge.find("\"relation\">") + 11;
    const std::string forward = edge.substr(relation, edge.find('<', relation) - relation);
    const std::size_t reverse = edge.find("\"reverse\">") + 10;
    const std::string back = edge.substr(reverse, edge.find('<', reverse) - reverse);
    edge.replace(reverse, back.size(), forward);
    edge.replace(relation, forward.size(), back);
    edges += edge;
  }
  both.insert(both.find("</graph>"), edges);
  const auto again = read_graphml(both, "graph.graphml");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(contents(*again), contents(g));
}

TEST(GraphParts, GraphmlIsRefusedWithItsPlace) {
  std::string good;
  const ResourceGraph g = machine();
  ASSERT_TRUE(write_graphml(g, all_subsystems(g), good));
  const auto refusal = [&](std::string_view word, std::string_view with) {
    std::string text = good;
    const std::size_t at = text.find(word);
    EXPECT_NE(at, text.npos) << word;
    text.replace(at, word.size(), with);
    const auto read = read_graphml(text, "g.graphml");
    return read ? std::string() : read.error().message();
  };
  EXPECT_EQ(refusal("<data key=\"rank\">0<", "<data key=\"rank\">x<").substr(0, 10), "g.graphml:");
  EXPECT_NE(refusal("<data key=\"type\">rack</data>", "").find("must have a type"),
            std::string::npos);
  EXPECT_NE(refusal("target=\"n1\"", "target=\"m1\"").find("is not a node"), std::string::npos);
  EXPECT_NE(refusal("<node id=\"n1\">", "<node id=\"n0\">").find("two nodes"), std::string::npos);
  EXPECT_NE(refusal("</graphml>", "").find("not well-formed"), std::string::npos);
  EXPECT_FALSE(read_graphml("", ""));
  EXPECT_FALSE(
      is_graphml_graph("<graphml><graph id=\"g\"><node id=\"resources\"/></graph></graphml>"));
}

// A part has the pools above it in every subsystem, and what is between them.
TEST(GraphParts, APartIsAGraph) {
  const ResourceGraph g = tagged();
  std::string text;
  const std::vector<PoolId> pools{at(g, "/cluster0/rack0/node1/socket0/core2"),
                                  at(g, "/cluster0/rack1/node2")};
  ASSERT_TRUE(write_jgf(g, pools, sink_into(text)));
  const auto part = read_jgf(text);
  ASSERT_TRUE(part) << part.error().message();
  std::vector<std::string> paths;
  for (std::uint32_t v = 0; v < part->pool_count(); ++v) {
    const std::string path = part->path(PoolId{v}, part->dominant());
    paths.push_back(path.empty() ? part->name(PoolId{v}) : path);
  }
  std::ranges::sort(paths);
  EXPECT_EQ(paths, (std::vector<std::string>{
                       "/cluster0", "/cluster0/rack0", "/cluster0/rack0/node1",
                       "/cluster0/rack0/node1/socket0", "/cluster0/rack0/node1/socket0/core2",
                       "/cluster0/rack1", "/cluster0/rack1/node2", "pdu0", "pdu1", "power0"}));
  // Each line of the part is one of the whole.
  const auto whole = contents(g), some = contents(*part);
  EXPECT_TRUE(std::ranges::includes(whole, some));
  EXPECT_EQ(
      std::ranges::count_if(
          some, [](const std::string& line) { return line.contains("supplies_to/draws_from"); }),
      5);  // node1 draws from both
}

TEST(GraphParts, JgfRefusesTagsThatAreNone) {
  std::string text;
  ASSERT_TRUE(write_jgf(tagged(), text));
  const auto refusal = [&](std::string_view tags) {
    std::string changed = text;
    const std::size_t at = changed.find("\"tags\": ");
    changed.replace(at, changed.find('}', at) + 1 - at, "\"tags\": " + std::string(tags));
    const auto read = read_jgf(changed);
    return read ? std::string() : read.error().text;
  };
  EXPECT_EQ(refusal("null"), "");
  EXPECT_EQ(refusal("7"), "key (tags) must be an object or null");
  EXPECT_EQ(refusal(R"({"a": "1", "a": "2"})"), "tag \"a\" is given twice");
  EXPECT_NE(refusal(R"({"a": 1})"), "");
}

}  // namespace
}  // namespace copse
