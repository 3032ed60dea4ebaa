// SPDX-License-Identifier: Apache-2.0
#include "formats/grug/grug_dot.hpp"

#include <gtest/gtest.h>

#include <string>

#include "grug_text.hpp"
#include "paths.hpp"

namespace copse::grug {
namespace {

const std::string kData = source_dir() + "/tests/data/grug/";

TEST(GrugDot, DrawsNamesAndRelations) {
  const auto recipe = parse_recipe(read_all(kData + "dialect.graphml"));
  ASSERT_TRUE(recipe) << recipe.error().message();
  EXPECT_EQ(to_dot(*recipe), read_all(kData + "dialect.dot"));
  EXPECT_EQ(to_dot(*recipe, DotDetail::more), read_all(kData + "dialect_more.dot"));
}

TEST(GrugDot, GroupsEdgesBySourceInOrderOfDeclaration) {
  const auto recipe = parse_recipe(
      grug_text(node("a") + node("b") + node("c") + edge("b", "c", {{"relation", "1"}}) +
                edge("a", "c", {{"relation", "2"}}) +
                edge("b", "a", {{"relation", "3"}, {"gen_method", "ASSOCIATE_IN"}}) +
                edge("a", "b", {{"relation", "4"}})));
  ASSERT_TRUE(recipe) << recipe.error().message();
  EXPECT_EQ(
      to_dot(*recipe),  // a recipe with a cycle can be drawn, if not generated
      "digraph G {\n0[label=\"\"];\n1[label=\"\"];\n2[label=\"\"];\n"
      "0->2 [label=\"2\"];\n0->1 [label=\"4\"];\n1->2 [label=\"1\"];\n1->0 [label=\"3\"];\n}\n");
  EXPECT_NE(to_dot(*recipe, DotDetail::more).find("1->0 [label=\"3:ASSOCIATE_IN:1\"];\n"),
            std::string::npos);
}

}  // namespace
}  // namespace copse::grug
