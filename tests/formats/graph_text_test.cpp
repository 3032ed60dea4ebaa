// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <pugixml.hpp>
#include <set>
#include <tuple>

#include "formats/graph_dot.hpp"
#include "formats/graphml/graph_graphml.hpp"
#include "graph/small_graph.hpp"

namespace copse {
namespace {

std::vector<SubsystemId> all_of(const ResourceGraph& g) {
  std::vector<SubsystemId> out;
  for (std::uint32_t s = 0; s < g.subsystem_count(); ++s) {
    out.push_back(SubsystemId{static_cast<std::uint8_t>(s)});
  }
  return out;
}

std::string dot(const ResourceGraph& g, const std::vector<SubsystemId>& subsystems) {
  std::string out;
  EXPECT_TRUE(write_dot(g, subsystems, out));
  return out;
}
std::string graphml(const ResourceGraph& g, const std::vector<SubsystemId>& subsystems) {
  std::string out;
  EXPECT_TRUE(write_graphml(g, subsystems, out));
  return out;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto i = text.find(part); i != std::string_view::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

// A rack with a node; the node has memory, and is fed by a PDU that only power knows.
ResourceGraph rack() {
  GraphText t;
  const auto root = t.pool({"rack", 0}), node = t.child(root, {.type = "node", .id = 3, .rank = 7});
  t.child(node, {"memory", 0, 16, "GB"});
  const auto pdu = t.pool({"pdu", 1, 1});
  t.edge(pdu, node, "power", "supplies_to", "draws_from");
  return t.build();
}

// Every character that a format could trip over.
constexpr std::string_view kOdd = "a\"b\\c<d>&e'\n\t\r\x01\x7F\xFFz\u00E9]]>{|}%";

ResourceGraph odd() {
  GraphText t;
  const std::string type(kOdd);
  const auto root = t.pool({.type = type, .size = 2, .unit = kOdd});
  const auto child = t.pool({"core", 1});
  t.edge(root, child, kOdd, kOdd, kOdd);
  return t.build(kOdd);
}

TEST(GraphDot, DrawsPoolsAndEdges) {
  const ResourceGraph g = rack();
  const std::string text = dot(g, all_of(g));
  EXPECT_TRUE(text.starts_with("digraph \"rack0\" {\n"));
  EXPECT_TRUE(text.ends_with("}\n"));
  for (const char* line :
       {"  n1 [label=\"node3\", pool_type=\"node\", pool_basename=\"node\", pool_id=3, "
        "pool_size=1, "
        "pool_unit=\"\", pool_rank=7, pool_uniq_id=1, \"path_containment\"=\"/rack0/node3\", "
        "\"path_power\"=\"/pdu1/node3\"];\n",
        "  n2 [label=\"memory0\\n\u00D716 GB\", pool_type=\"memory\", pool_basename=\"memory\", "
        "pool_id=0, pool_size=16, pool_unit=\"GB\", pool_rank=-1, pool_uniq_id=2, "
        "\"path_containment\"=\"/rack0/node3/memory0\"];\n",
        "  n3 [label=\"pdu1\", ",
        ", subsystem=\"containment\", relation=\"contains\", reverse=\"in\"];\n"
        "  n0 -> n1;\n  n1 -> n2;\n",
        ", subsystem=\"power\", relation=\"supplies_to\", reverse=\"draws_from\"];\n  n3 -> n1;\n",
        "\u25A0 containment: contains / in<", "\u25A0 power: supplies_to / draws_from<"}) {
    EXPECT_EQ(count(text, line), 1U) << line << text;
  }
}

TEST(GraphDot, ColoursSubsystemsApart) {
  const ResourceGraph g = rack();
  const std::string text = dot(g, all_of(g));
  std::set<std::string> colours;
  for (const char* begin : {"  edge [color=\"", "  node [color=\""}) {
    for (auto i = text.find(begin); i != std::string::npos; i = text.find(begin, i + 1)) {
      colours.insert(text.substr(i, 24));
    }
  }
  EXPECT_EQ(colours.size(), 4U);  // two of edges, two of pools
}

TEST(GraphDot, ShowsTheChosenSubsystemsOnly) {
  const ResourceGraph g = machine();
  const std::string power = dot(g, {subsystem(g, "power")});
  EXPECT_EQ(count(power, " [label=\""), 7U);
  EXPECT_EQ(count(power, " -> "), 7U);
  EXPECT_EQ(count(power, "containment"), 0U);
  EXPECT_EQ(count(power, "\\n\u00D74000 W"), 1U);
  const std::string containment = dot(g, {g.dominant()});
  EXPECT_EQ(count(containment, " [label=\""), g.tree_count());
  EXPECT_EQ(count(containment, " -> "), g.tree_count() - 1);
  EXPECT_EQ(count(containment, "power"), 0U);
  EXPECT_EQ(dot(g, {g.dominant(), g.dominant()}), containment);
  EXPECT_EQ(count(dot(g, {}), "label=\""), 0U);
}

// Each quoted string ends where it should, and no byte is left that Graphviz would choke on.
TEST(GraphDot, EscapesWhatHasAMeaning) {
  const ResourceGraph g = odd();
  const std::string text = dot(g, all_of(g));
  const std::string escaped =
      "a\\\"b\\\\c<d>&amp;e'\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDz\u00E9]]>{|}%";
  EXPECT_EQ(count(text, "label=\"" + escaped + "\\n\u00D72 " + escaped + "\""), 1U) << text;
  EXPECT_EQ(count(text, "relation=\"" + escaped + "\""), 1U);
  EXPECT_EQ(count(text, "a\"b\\c&lt;d&gt;&amp;e'"), 3U);  // in the title: subsystem and relations
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ');
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    begin += line.size() + 1;
    if (line.starts_with("  graph [")) continue;  // its title is in angle brackets
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        quoted = !quoted;
      }
    }
    EXPECT_FALSE(quoted) << line;
  }
}

// --- GraphML, read back

struct Parsed {
  std::map<std::string, std::map<std::string, std::string>> nodes;  // data by attr.name
  std::vector<std::tuple<std::string, std::string, std::map<std::string, std::string>>> edges;
};

Parsed parsed(const std::string& text) {
  Parsed out;
  pugi::xml_document document;
  const auto result = document.load_buffer(text.data(), text.size(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description() << " at " << result.offset;
  const pugi::xml_node root = document.child("graphml");
  std::map<std::string, std::string> names;  // of keys
  for (const pugi::xml_node key : root.children("key")) {
    EXPECT_TRUE(
        names.emplace(key.attribute("id").value(), key.attribute("attr.name").value()).second);
  }
  const auto data = [&](pugi::xml_node of) {
    std::map<std::string, std::string> values;
    for (const pugi::xml_node d : of.children("data")) {
      EXPECT_TRUE(values.emplace(names.at(d.attribute("key").value()), d.child_value()).second);
    }
    return values;
  };
  const pugi::xml_node graph = root.child("graph");
  EXPECT_STREQ(graph.attribute("edgedefault").value(), "directed");
  for (const pugi::xml_node node : graph.children("node")) {
    EXPECT_TRUE(out.nodes.emplace(node.attribute("id").value(), data(node)).second);
  }
  for (const pugi::xml_node edge : graph.children("edge")) {
    out.edges.emplace_back(edge.attribute("source").value(), edge.attribute("target").value(),
                           data(edge));
  }
  return out;
}

TEST(GraphGraphml, HasEveryPoolAndEdgeWithItsData) {
  const ResourceGraph g = machine();
  const Parsed p = parsed(graphml(g, all_of(g)));
  ASSERT_EQ(p.nodes.size(), g.pool_count());
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    const PoolId pool{v};
    std::map<std::string, std::string> wanted{{"type", g.type_name(pool)},
                                              {"basename", g.basename_text(pool)},
                                              {"name", g.name(pool)},
                                              {"id", std::to_string(g.id(pool))},
                                              {"uniq_id", std::to_string(g.uniq_id(pool))}};
    if (g.size(pool) != 1) wanted["size"] = std::to_string(g.size(pool));
    if (!g.unit_text(pool).empty()) wanted["unit"] = g.unit_text(pool);
    if (g.rank(pool) != -1) wanted["rank"] = std::to_string(g.rank(pool));
    for (const SubsystemId s : all_of(g)) {
      if (g.in_subsystem(pool, s)) wanted["path:" + g.subsystem_name(s)] = g.path(pool, s);
    }
    EXPECT_EQ(p.nodes.at("n" + std::to_string(v)), wanted);
  }
  std::size_t next = 0;
  g.for_each_edge([&](const Edge& e) {
    ASSERT_LT(next, p.edges.size());
    const auto& [source, target, data] = p.edges[next++];
    EXPECT_EQ(source, "n" + std::to_string(e.from.v));
    EXPECT_EQ(target, "n" + std::to_string(e.to.v));
    EXPECT_EQ(data, (std::map<std::string, std::string>{
                        {"subsystem", g.subsystem_name(e.subsystem)},
                        {"relation", g.names().relations.text(e.relation.v)},
                        {"reverse", g.names().relations.text(e.reverse.v)}}));
  });
  EXPECT_EQ(next, p.edges.size());
}

TEST(GraphGraphml, EdgesHaveBothEndsInAnyChoice) {
  GraphText t;
  const auto root = t.pool({"cluster"}), a = t.pool({"a"}), b = t.pool({"b"});
  t.root("containment", root);
  t.root("power", root);
  t.edge(a, b, "power");  // below no root
  const ResourceGraph g = t.build();
  for (const auto& choice : {std::vector<SubsystemId>{}, {g.dominant()}, {subsystem(g, "power")}}) {
    const Parsed p = parsed(graphml(g, choice));
    for (const auto& [source, target, data] : p.edges) {
      EXPECT_TRUE(p.nodes.contains(source) && p.nodes.contains(target));
    }
    EXPECT_EQ(p.edges.size(), choice == std::vector{subsystem(g, "power")} ? 1U : 0U);
  }
}

TEST(GraphGraphml, EscapesWhatHasAMeaning) {
  const ResourceGraph g = odd();
  const Parsed p = parsed(graphml(g, all_of(g)));
  const std::string same = "a\"b\\c<d>&e'\n\t\r\uFFFD\x7F\uFFFDz\u00E9]]>{|}%";
  EXPECT_EQ(p.nodes.at("n0").at("type"), same);
  EXPECT_EQ(p.nodes.at("n0").at("unit"), same);
  EXPECT_EQ(p.nodes.at("n1").at("path:" + same), "/" + same + "/core1");
  ASSERT_EQ(p.edges.size(), 1U);
  EXPECT_EQ(std::get<2>(p.edges[0]).at("reverse"), same);
}

TEST(GraphGraphml, ReplacesCharactersThatXmlDoesNotAllow) {
  GraphText t;
  t.root("containment", t.pool({"x\uFFFEy\uFFFFz\uFFFDw\U0001F600"}));
  const Parsed p = parsed(graphml(t.build(), {SubsystemId{0}}));
  EXPECT_EQ(p.nodes.at("n0").at("type"), "x\uFFFDy\uFFFDz\uFFFDw\U0001F600");
}

// --- Both

class BothWriters : public testing::TestWithParam<bool> {
 protected:
  static Result<void> write(const ResourceGraph& g, const std::vector<SubsystemId>& subsystems,
                            const TextSink& sink) {
    return GetParam() ? write_dot(g, subsystems, sink) : write_graphml(g, subsystems, sink);
  }
};

ResourceGraph large() {
  GraphText t;
  const auto root = t.pool({"cluster", 0});
  for (int i = 0; i < 5000; ++i) t.child(root, {"node", i});
  return t.build();
}

TEST_P(BothWriters, HandOverTextInPieces) {
  const ResourceGraph g = large();
  std::string whole;
  int pieces = 0;
  ASSERT_TRUE(write(g, {g.dominant()}, [&](std::string_view piece) {
    EXPECT_FALSE(piece.empty());
    EXPECT_LT(piece.size(), TextPieces::kPiece + 4096);
    whole += piece;
    ++pieces;
    return true;
  }));
  EXPECT_GT(pieces, 10);
  EXPECT_EQ(whole, GetParam() ? dot(g, {g.dominant()}) : graphml(g, {g.dominant()}));
}

TEST_P(BothWriters, StopWhenTheSinkDoes) {
  const ResourceGraph g = large();
  for (const int stop_at : {1, 2, 12}) {
    int pieces = 0;
    const auto written =
        write(g, {g.dominant()}, [&](std::string_view) { return ++pieces < stop_at; });
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::io);
    EXPECT_EQ(pieces, stop_at);
  }
}

TEST_P(BothWriters, RefuseAnUnknownSubsystem) {
  const ResourceGraph g = rack();
  const auto written = write(g, {g.dominant(), SubsystemId{2}}, [](std::string_view) {
    ADD_FAILURE() << "nothing may be written";
    return true;
  });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::not_found);
  EXPECT_EQ(written.error().text, "there is no subsystem 2; the graph has 2");
}

INSTANTIATE_TEST_SUITE_P(Dot, BothWriters, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(Graphml, BothWriters, testing::Values(false));

}  // namespace
}  // namespace copse
