// SPDX-License-Identifier: Apache-2.0
//
// Recipes that must not be generated: each with its sentence and its place, before memory is taken.
#include <gtest/gtest.h>

#include <string>

#include "formats/grug/grug.hpp"
#include "grug_text.hpp"

namespace copse::grug {
namespace {

std::string refusal(const std::string& text, std::string_view dominant = "containment") {
  const auto graph = read_grug(text, "r", dominant);
  return graph ? "accepted" : graph.error().message();
}

TEST(GrugRefuse, RefusesRecipesWithTheirPlace) {
  const std::string ab = typed("b") + edge("a", "b");
  const std::string power = root("p", "power");  // line 13 after kRacks, which has 7 lines
  const std::string many_roots = root("a") + ab;
  struct Row {
    std::string body, message;
  };
  const Row rows[] = {
      {"", "2:1: the recipe has no root; give root 1 to the node at the top"},
      {typed("a") + ab,
       R"(3:1: no root leads to node "a", so that its edges generate nothing; give it root 1 or an edge from another node)"},
      {typed("a") + typed("b"), "2:1: the recipe has no root; give root 1 to the node at the top"},
      {root("a"),
       R"(3:1: root "a" has no edges, so that it generates nothing; add an edge from it)"},
      {many_roots + root("z"),
       R"(6:1: root "z" has no edges, so that it generates nothing; add an edge from it)"},
      {many_roots + typed("c") + edge("a", "c") + edge("b", "c"),
       R"(8:1: this is a second edge into node "c", the first is in line 7; a recipe must be a forest, so declare another node for it)"},
      {many_roots + edge("a", "b"),
       R"(6:1: this is a second edge into node "b", the first is in line 5; a recipe must be a forest, so declare another node for it)"},
      {many_roots + typed("c") + typed("d") + edge("c", "d") + edge("d", "c"),
       R"(8:1: this edge is part of a cycle through node "c"; a recipe must be a forest, so take it out)"},
      {many_roots + typed("c") + edge("c", "c"),
       R"(7:1: this edge is part of a cycle through node "c"; a recipe must be a forest, so take it out)"},
      // The cycle itself is named, not what hangs below it.
      {many_roots + typed("c") + typed("d") + edge("c", "d") + edge("c", "c"),
       R"(9:1: this edge is part of a cycle through node "c"; a recipe must be a forest, so take it out)"},
      {root("a") + node("b") + edge("a", "b"), R"(4:1: node "b" has no type; give it one)"},
      {root("a") + node("b", {{"type", ""}}) + edge("a", "b"),
       R"(4:14: node "b" has no type; give it one)"},
      {node("a", {{"root", "1"}}) + ab, R"(3:1: root "a" has no type; give it one)"},
      {root("a") + typed("b") + edge("a", "b", {{"e_subsystem", "power"}}),
       R"(5:29: e_subsystem is "power", but the node "b" that the edge generates has subsystem "containment"; make them equal)"},
      {root("a") + typed("b", {{"subsystem", "power"}}) + edge("a", "b"),
       R"(5:1: e_subsystem is "containment", but the node "b" that the edge generates has subsystem "power"; make them equal)"},
      {power + gathered("g", "pdu") + edge("p", "g", associate("ASSOCIATE_IN")) + kRacks,
       R"(5:1: nothing before this edge generates pools of type "pdu" to associate; check the type of node "g", or declare the node that makes them earlier)"},
      {kRacks + power + gathered("g", "pdu") +
           edge("p", "g", associate("ASSOCIATE_BY_PATH_IN", {{"as_tgt_subsystem", "containmnet"}})),
       R"(12:115: as_tgt_subsystem is "containmnet", but nothing before this edge is in that subsystem; check its spelling)"},
      {kRacks + power + gathered("g", "pdu") + gathered("h", "pdu") +
           edge("p", "g", associate("ASSOCIATE_IN")) + edge("g", "h", associate("ASSOCIATE_IN")),
       R"(14:1: this edge associates pool "pdu0" with itself; pools of type "pdu" are both its source and its target)"},
  };
  for (const Row& row : rows) EXPECT_EQ(refusal(grug_text(row.body)), "r:" + row.message);
  EXPECT_EQ(refusal(grug_text(many_roots), "power").substr(0, 3), "r: ");  // no such subsystem
}

TEST(GrugRefuse, KeepsIdsWhereNumbersAreExact) {
  const auto with = [](Data data) {
    return refusal(grug_text(root("a") + typed("b") + edge("a", "b", data)));
  };
  EXPECT_EQ(with({{"id_start", "9007199254740991"}, {"multi_scale", "2"}}), "accepted");
  EXPECT_EQ(with({{"multi_scale", "2"}, {"id_start", "9007199254740992"}}),
            "r:5:61: ids from 9007199254740992 by 1 in 1 steps leave the range of "
            "±9007199254740992; lower id_start, id_stride or multi_scale");
  EXPECT_EQ(with({{"id_start", "-9007199254740992"}}), "accepted");
  EXPECT_NE(with({{"id_start", "-9007199254740993"}}), "accepted");
  const Data far{{"id_scope", "1"}, {"id_stride", "9223372036854775807"}, {"multi_scale", "1"}};
  EXPECT_EQ(with(far), "accepted");  // the stride is not taken once
  for (const char* stride : {"9223372036854775807", "-9223372036854775808", "9007199254740992"}) {
    EXPECT_NE(with({{"id_scope", "1"}, {"id_stride", stride}, {"multi_scale", "3"}}), "accepted");
  }
}

TEST(GrugRefuse, RefusesTooMuchBeforeMakingIt) {
  const auto with = [](const std::string& body) { return refusal(grug_text(body)); };
  const std::string a = root("a") + typed("b") + typed("c");
  EXPECT_EQ(with(a + edge("a", "b", scale("2147483648"))),
            "r:6:29: this edge brings the graph to more than 67108864 pools; lower multi_scale, or "
            "those above node \"b\"");
  EXPECT_EQ(with(a + edge("a", "b", scale("9223372036854775807")) + edge("b", "c", scale("9"))),
            "r:6:29: this edge brings the graph to more than 67108864 pools; lower multi_scale, or "
            "those above node \"b\"");
  EXPECT_EQ(
      with(a + edge("a", "b", scale("1000000")) + edge("b", "c", scale("9223372036854775807"))),
      "r:7:29: this edge brings the graph to more than 67108864 pools; lower multi_scale, or "
      "those above node \"c\"");
  // 12,000 x 12,000 edges of two small trees.
  const std::string blow_up = a + edge("a", "b", scale("12000")) + edge("a", "c", scale("12000")) +
                              root("p", "power") + gathered("g", "b") + gathered("h", "c") +
                              edge("p", "g", associate("ASSOCIATE_IN"));
  EXPECT_EQ(
      with(blow_up + edge("g", "h", associate("ASSOCIATE_IN"))),
      "r:12:1: this edge brings the graph to more than 134217728 edges; associate fewer pools "
      "with node \"h\"");
  EXPECT_EQ(
      with(blow_up + edge("g", "h",
                          associate("ASSOCIATE_BY_PATH_IN"))),  // all of one cluster
      "r:12:1: this edge brings the graph to more than 134217728 edges; associate fewer pools "
      "with node \"h\"");
}

TEST(GrugRefuse, KeepsTheBuildersOwnLimits) {
  const auto with = [](GraphBuilder::Limits limits, const std::string& body) {
    const auto recipe = parse_recipe(grug_text(body), "r");
    GraphBuilder builder(limits);
    const auto made = generate(recipe.value(), builder);
    return made ? std::string("made") : made.error().place.text();
  };
  const std::string five = root("a") + typed("b") + edge("a", "b", scale("4"));
  EXPECT_EQ(with({5, 4}, five), "made");
  EXPECT_EQ(with({4, 4}, five), "r:2:1");
  EXPECT_EQ(with({5, 3}, five), "r:2:1");
  // By path, edges are only known once the paths are: pdus to nodes make 4 more.
  const std::string by_path = kRacks + root("panel", "power") + gathered("p", "pdu") +
                              gathered("n", "node") +
                              edge("panel", "p", associate("ASSOCIATE_IN")) +
                              edge("p", "n", associate("ASSOCIATE_BY_PATH_IN"));
  EXPECT_EQ(with({10, 8 + 2 + 4}, by_path), "made");
  EXPECT_EQ(with({10, 8 + 2 + 3}, by_path), "r:14:1");
}

TEST(GrugRefuse, TakesAChainAsLongAsARecipeMayBe) {
  std::string nodes = root("0"), joins;
  for (int i = 1; i < 50'000; ++i) {
    const std::string id = std::to_string(i);
    nodes += node(id, {{"type", "t"}});
    joins += edge(std::to_string(i - 1), id, {{"id_scope", "9223372036854775807"}});
  }
  const auto recipe = parse_recipe(grug_text(nodes + joins));
  ASSERT_TRUE(recipe) << recipe.error().message();
  GraphBuilder builder;
  ASSERT_TRUE(generate(*recipe, builder));
  EXPECT_EQ(builder.pool_count(), 50'000U);
}

}  // namespace
}  // namespace copse::grug
