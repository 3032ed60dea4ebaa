// SPDX-License-Identifier: Apache-2.0
#include "formats/grug/grug_recipe.hpp"

#include <gtest/gtest.h>

#include <string>

#include "grug_text.hpp"
#include "paths.hpp"

namespace copse::grug {
namespace {

// The error's message for a text that must be refused.
std::string refusal(std::string_view text) {
  const auto recipe = parse_recipe(text, "r");
  return recipe ? "accepted" : recipe.error().message();
}

std::string lines(std::size_t count, const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += line;
  return text;
}

TEST(GrugRecipe, AbsentKeysHaveTheUsualDefaults) {
  const auto recipe = parse_recipe(
      grug_text(node("a", {{"root", "1"}, {"type", "cluster"}}) + node("b") + edge("a", "b")));
  ASSERT_TRUE(recipe) << recipe.error().message();
  ASSERT_EQ(recipe->vertices.size(), 2U);
  const Vertex& a = recipe->vertices[0];
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.root.value, 1);
  EXPECT_EQ(a.type.value, "cluster");
  EXPECT_EQ(a.basename.value, "cluster");  // the type
  EXPECT_EQ(a.size.value, 1);
  EXPECT_EQ(a.subsystem.value, "containment");
  EXPECT_EQ(a.unit.value, "");
  EXPECT_EQ(recipe->vertices[1].root.value, 0);
  ASSERT_EQ(recipe->edges.size(), 1U);
  const Edge& e = recipe->edges[0];
  EXPECT_EQ(e.source, 0U);
  EXPECT_EQ(e.target, 1U);
  EXPECT_EQ(e.e_subsystem.value, "containment");
  EXPECT_EQ(e.relation.value, "contains");
  EXPECT_EQ(e.rrelation.value, "in");
  EXPECT_EQ(e.id_scope.value, 0);
  EXPECT_EQ(e.id_start.value, 0);
  EXPECT_EQ(e.id_stride.value, 1);
  EXPECT_EQ(e.gen_method.value, "MULTIPLY");
  EXPECT_EQ(e.method, Method::multiply);
  EXPECT_EQ(e.multi_scale.value, 1);
  EXPECT_EQ(e.as_tgt_subsystem.value, "containment");
  EXPECT_EQ(e.as_tgt_uplvl.value, 1);
  EXPECT_EQ(e.as_src_uplvl.value, 1);
}

TEST(GrugRecipe, KeepsThePlaceOfEveryValue) {
  const auto recipe = parse_recipe(grug_text(node("a", {{"type", "t"}, {"size", "3"}})), "file");
  ASSERT_TRUE(recipe) << recipe.error().message();
  const Vertex& a = recipe->vertices[0];
  EXPECT_EQ(recipe->place(recipe->spot).text(), "file:2:1");
  EXPECT_EQ(recipe->place(a.spot).text(), "file:3:1");
  EXPECT_EQ(recipe->place(a.type.spot).text(), "file:3:14");
  EXPECT_EQ(recipe->place(a.size.spot).text(), "file:3:39");
  EXPECT_FALSE(a.unit.spot.known());
  EXPECT_EQ(recipe->place(a.unit.spot, a.spot).text(), "file:3:1");
}

TEST(GrugRecipe, ReadsTheDialectOfTheWild) {
  const auto recipe =
      parse_recipe(read_all(source_dir() + "/tests/data/grug/dialect.graphml"), "dialect");
  ASSERT_TRUE(recipe) << recipe.error().message();
  ASSERT_EQ(recipe->vertices.size(), 3U);  // those of the inner graph come last
  EXPECT_EQ(recipe->vertices[0].type.value, "cluster");
  EXPECT_EQ(recipe->vertices[0].basename.value, "big \"one\" \\o\\");
  EXPECT_EQ(recipe->vertices[0].root.value, 1);
  EXPECT_EQ(recipe->vertices[1].basename.value, "rack");
  EXPECT_EQ(recipe->vertices[2].type.value, "node");  // the later of two values
  EXPECT_EQ(recipe->vertices[2].size.value, 7);
  EXPECT_EQ(recipe->vertices[2].unit.value, "GB & more");
  ASSERT_EQ(recipe->edges.size(), 2U);  // in order of declaration, before their ends or not
  EXPECT_EQ(recipe->edges[0].source, 1U);
  EXPECT_EQ(recipe->edges[0].target, 2U);
  EXPECT_EQ(recipe->edges[0].multi_scale.value, 3);
  EXPECT_EQ(recipe->edges[1].multi_scale.value, 2);  // the key's default
  EXPECT_EQ(recipe->place(recipe->edges[1].multi_scale.spot).text(), "dialect:11:70");
  EXPECT_EQ(recipe->edges[1].relation.value, "has");
}

TEST(GrugRecipe, ReadsSizesDeclaredAsAnyIntegerOrString) {
  for (const char* type : {"string", "int", "long"}) {
    const auto recipe = parse_recipe(
        "<graphml><key id='s' for='node' attr.name='size' attr.type='" + std::string(type) +
        "'><default>5</default></key><graph edgedefault='directed'><node id='a'/>"
        "<node id='b'><data key='s'>9223372036854775807</data></node></graph></graphml>");
    ASSERT_TRUE(recipe) << recipe.error().message();
    EXPECT_EQ(recipe->vertices[0].size.value, 5);
    EXPECT_EQ(recipe->vertices[1].size.value, INT64_MAX);
  }
}

TEST(GrugRecipe, CountsLinesAcrossBlocksAndAfterAByteOrderMark) {
  const std::string text = "\xEF\xBB\xBF" + lines(3000, "<!-- x -->\n") + "<graphml>\n  <graf/>";
  EXPECT_EQ(refusal(text).substr(0, 9), "r:3002:9:");
  EXPECT_EQ(refusal("\xEF\xBB\xBF<gml/>"),
            "r:1:1: the outermost element is <gml>; a recipe is a <graphml>");
  const std::string blank(2048, '\n');  // every block begins with a new line
  EXPECT_EQ(refusal(blank + "<gml/>").substr(0, 9), "r:2049:1:");
}

TEST(GrugRecipe, RefusesValuesWithTheirPlace) {
  struct Row {
    std::string body, message;
  };
  const auto a = [](const char* key, const char* value) { return node("a", {{key, value}}); };
  const auto e = [](const char* key, const char* value) {
    return node("a") + node("b") + edge("a", "b", {{key, value}});
  };
  const Row rows[] = {
      {a("size", "12k"), R"(3:14: size is "12k"; it must be an integer)"},
      {a("size", ""), R"(3:14: size is ""; it must be an integer)"},
      {a("size", "1.0"), R"(3:14: size is "1.0"; it must be an integer)"},
      {a("size", "+-1"), R"(3:14: size is "+-1"; it must be an integer)"},
      {a("size", "0x10"), R"(3:14: size is "0x10"; it must be an integer)"},
      {a("size", "9223372036854775808"),
       R"(3:14: size is "9223372036854775808", which does not fit 64 bits)"},
      {a("size", "-5"), "3:14: size is -5; it must be 0 or more"},
      {a("root", "2"), "3:14: root is 2; it must be 0 or 1"},
      {a("type", "big node"), R"(3:14: type is "big node"; it must be one word)"},
      {a("basename", ""), "3:14: basename is empty; leave it out to use the type"},
      {a("basename", "a/b"),
       R"(3:14: basename is "a/b"; a '/' would split it in paths, so leave it out)"},
      {a("unit", "a&#10;b"),
       "3:14: a value has a line break, a tab or another control character in it"},
      {a("subsystem", " "), "3:14: subsystem is empty; name a subsystem"},
      {a("colour", "red"),
       R"(3:14: key "colour" is not declared; add a <key> for it before the <graph>)"},
      {a("relation", "x"), "3:14: attribute relation belongs to edges, not to nodes"},
      {e("size", "1"), "5:29: attribute size belongs to nodes, not to edges"},
      {e("gen_method", "multiply"),
       R"(5:29: gen_method is "multiply"; say MULTIPLY, ASSOCIATE_IN or ASSOCIATE_BY_PATH_IN)"},
      {e("gen_method", ""),
       R"(5:29: gen_method is ""; say MULTIPLY, ASSOCIATE_IN or ASSOCIATE_BY_PATH_IN)"},
      {e("multi_scale", "many"), R"(5:29: multi_scale is "many"; it must be an integer)"},
      {e("as_tgt_uplvl", "-1"), "5:29: as_tgt_uplvl is -1; it must be 0 or more"},
      {e("as_src_uplvl", "-1"), "5:29: as_src_uplvl is -1; it must be 0 or more"},
      {e("e_subsystem", "a b"), R"(5:29: e_subsystem is "a b"; it must be one word)"},
      {e("as_tgt_subsystem", ""), "5:29: as_tgt_subsystem is empty; name a subsystem"},
  };
  for (const Row& row : rows) EXPECT_EQ(refusal(grug_text(row.body)), "r:" + row.message);
}

TEST(GrugRecipe, RefusesBrokenGraphs) {
  struct Row {
    std::string body, message;
  };
  const Row rows[] = {
      {node("a") + edge("a", "zz"),
       R"(4:1: the target of the edge, "zz", is not a declared node; check its spelling)"},
      {node("a") + edge("zz", "a"),
       R"(4:1: the source of the edge, "zz", is not a declared node; check its spelling)"},
      {node("a") + node("b") + node("a"), R"(5:1: node "a" is declared twice, first in line 3)"},
      {"\n<node/>", "3:1: <node> has no attribute id"},
      {node("a") + "\n  <edge source='a'/>", "4:3: <edge> has no attribute target"},
      {"\n<node id='a'><data>1</data></node>", "3:14: <data> has no attribute key"},
      {node("a") + node("b") + "\n<edge source='a' target='b' directed='false'/>",
       "5:1: the edge is not directed; say edgedefault=\"directed\" in <graph>"},
      {"\n<hyperedge/>",
       "3:1: a recipe cannot have a <hyperedge>; write one <edge> for each target"},
      {"\n<graph/>", "3:1: the graph does not say edgedefault=\"directed\""},
  };
  for (const Row& row : rows) EXPECT_EQ(refusal(grug_text(row.body)), "r:" + row.message);
}

TEST(GrugRecipe, RefusesBrokenDocumentsAndKeys) {
  const auto key = [](const std::string& rest) {
    return "<graphml>\n <key " + rest + "<graph edgedefault='directed'/></graphml>";
  };
  struct Row {
    std::string text, message;
  };
  const Row rows[] = {
      {"", "r:1:1: this is not well-formed XML: no document element found"},
      {"<graphml>\n</graf>", "r:2:3: this is not well-formed XML: start-end tags mismatch"},
      {"<graphml/>", "r:1:1: the recipe has no <graph> element; put its nodes into one"},
      {key("for='node'/>"), "r:2:2: <key> has no attribute id"},
      {key("id='k' for='nodes'/>"), R"(r:2:2: key "k" is for "nodes"; say node, edge or all)"},
      {key("id='k'/>\n <key id='k'/>"), R"(r:3:2: key "k" is declared twice)"},
      {key("id='k' for='node' attr.name='size' attr.type='double'/>"),
       R"(r:2:2: key "k" has attr.type "double"; attribute size needs int, long or string)"},
      {key("id='k' for='node' attr.name='type' attr.type='int'/>"),
       R"(r:2:2: key "k" has attr.type "int"; attribute type needs string)"},
      {key("id='k' for='node' attr.name='hue'><default>1</default></key>"),
       R"(r:2:41: key "k" declares the attribute "hue", which GRUG does not know)"},
      {key("id='k' for='node'><default>1</default></key>"),
       R"(r:2:25: key "k" is declared without an attr.name)"},
      {key("id='k' for='edge' attr.name='size'><default>1</default></key>"),
       "r:2:42: attribute size belongs to nodes, not to edges"},
      {key("id='k' for='edge' attr.name='gen_method'><default>X</default></key>"),
       R"(r:2:48: gen_method is "X"; say MULTIPLY, ASSOCIATE_IN or ASSOCIATE_BY_PATH_IN)"},
  };
  for (const Row& row : rows) EXPECT_EQ(refusal(row.text), row.message);
  // An attribute that GRUG does not know is an error only where it is used.
  const std::string hue = "<graphml><key id='k' for='node' attr.name='hue'/>\n";
  EXPECT_TRUE(parse_recipe(hue + "<graph edgedefault='directed'/></graphml>"));
  EXPECT_EQ(refusal(hue + "<graph edgedefault='directed'><node id='a'><data key='k'>1</data></node>"
                          "</graph></graphml>"),
            R"(r:2:44: key "k" declares the attribute "hue", which GRUG does not know)");
}

TEST(GrugRecipe, RefusesBytesThatAreNotText) {
  const std::pair<std::string, std::size_t> rows[] = {
      {"\x80", 0},
      {"\xC1\x81", 0},
      {"\xE0\x9F\xBF", 0},
      {"\xED\xA0\x80", 0},
      {"\xF4\x90\x80\x80", 0},
      {"\xF5\x80\x80\x80", 0},
      {"\xE2\x82", 0},
      {"é\xFF", 2},
  };
  for (const auto& [bytes, offset] : rows) {
    const std::string text = "<graphml>\n" + bytes + "</graphml>";
    EXPECT_EQ(refusal(text), "r:2:" + std::to_string(offset + 1) + ": byte " +
                                 std::to_string(offset + 10) +
                                 " of the text is not valid UTF-8; save the file as UTF-8");
  }
  EXPECT_EQ(refusal(std::string("<a>\0</a>", 8)),
            "r:1:4: byte 3 of the text is the control character 0x00, which XML does not allow");
  EXPECT_TRUE(parse_recipe(grug_text(node("é€😀", {{"basename", "é€😀"}}))));
}

TEST(GrugRecipe, RefusesWhatExceedsItsBounds) {
  const auto code = [](const std::string& text) {
    const auto recipe = parse_recipe(text, "r");
    return recipe ? std::string("accepted") : std::string(word(recipe.error().code));
  };
  EXPECT_EQ(code(std::string(kTextBytesMax + 1, ' ')), "limit");
  EXPECT_EQ(code(std::string(kMarksMax + 1, '<')), "limit");
  const std::string name(kNameBytesMax, 'x');
  EXPECT_EQ(code(grug_text(node(name, {{"basename", name}}))), "accepted");
  EXPECT_EQ(code(grug_text(node("a", {{"basename", name + "x"}}))), "limit");
  EXPECT_EQ(code(grug_text(node(name + "x"))), "limit");

  const auto nested = [](std::size_t depth) {  // elements below <graph>, itself below <graphml>
    std::string text = "\n";
    for (std::size_t i = 0; i < depth; ++i) text += "<a>";
    for (std::size_t i = 0; i < depth; ++i) text += "</a>";
    return grug_text(text);
  };
  EXPECT_EQ(code(nested(kXmlDepthMax - 2)), "accepted");
  EXPECT_EQ(refusal(nested(kXmlDepthMax - 1)), "r:3:187: elements are nested more than 64 deep");
  EXPECT_EQ(code(nested(500'000)), "limit");

  std::string keys = "<graphml>", nodes;
  for (std::size_t i = 0; i <= kKeysMax; ++i) keys += "<key id='" + std::to_string(i) + "'/>";
  EXPECT_EQ(code(keys + "</graphml>"), "limit");
  for (std::size_t i = 0; i < kElementsMax; ++i) nodes += "<node id='" + std::to_string(i) + "'/>";
  EXPECT_EQ(code(grug_text(nodes)), "accepted");
  EXPECT_EQ(code(grug_text(nodes + node("x"))), "limit");
  EXPECT_EQ(code(grug_text(nodes + edge("0", "1"))), "limit");
}

TEST(GrugRecipe, SentencesQuoteHostileValuesInPart) {
  const std::string message = refusal(grug_text(node("a", {{"size", std::string(4000, 'x')}})));
  EXPECT_EQ(message, "r:3:14: size is \"" + std::string(64, 'x') + "…\"; it must be an integer");
}

}  // namespace
}  // namespace copse::grug
