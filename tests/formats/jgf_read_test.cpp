// SPDX-License-Identifier: Apache-2.0
//
// Machines as JGF: what is read, what is derived, what is kept.
#include <gtest/gtest.h>

#include "formats/jgf/graph_jgf.hpp"
#include "graph/small_graph.hpp"
#include "jgf_words.hpp"

namespace copse::jgf {
namespace {

TEST(JgfRead, ReadsPoolsAndTheirDefaults) {
  const auto g = must_read(
      document({node("7", "cluster", "/c7", R"("basename": "c")"),
                node("9", "node", "/c7/n12", R"("name": "n12", "rank": 3)"),
                node("10", "core", "/c7/n12/core10"),
                node("11", "memory", "/c7/n12/memory2", R"("id": 2, "size": 64, "unit": "GB")"),
                node("x", "gpu", "/c7/n12/gpu-1", R"("id": -1, "uniq_id": 40, "name": "gpu-1")")},
               {edge("7", "9"), edge("9", "10"), edge("9", "11"), edge("9", "x")}));
  EXPECT_EQ(described(g),
            "0: cluster c c7  7 1 -1 7 up root of containment containment=/c7\n"
            "1: node node n12  12 1 3 9 up containment=/c7/n12\n"
            "2: core core core10  10 1 -1 10 up containment=/c7/n12/core10\n"
            "3: memory memory memory2 GB 2 64 -1 11 up containment=/c7/n12/memory2\n"
            "4: gpu gpu gpu-1  -1 1 -1 40 up containment=/c7/n12/gpu-1\n"
            "containment 0 > 1\n"
            "containment 1 > 2 3 4\n");
}

TEST(JgfRead, OnlyNodesTakeTheirNumberFromTheirName) {
  const auto g = must_read(document({node("0", "cluster", "/c9", R"("name": "c9")"),
                                     node("5", "rack", "/c9/r77", R"("name": "r77")"),
                                     node("6", "node", "/c9/n007", R"("name": "n007")"),
                                     node("8", "node", "/c9/login", R"("name": "login")")},
                                    {edge("0", "5"), edge("0", "6"), edge("0", "8")}));
  EXPECT_EQ(g.id(at(g, "/c9")), 0);
  EXPECT_EQ(g.id(at(g, "/c9/r77")), 5);
  EXPECT_EQ(g.id(at(g, "/c9/n007")), 7);
  EXPECT_EQ(g.name(at(g, "/c9/n007")), "n007");
  EXPECT_EQ(g.id(at(g, "/c9/login")), 8);
}

TEST(JgfRead, KeepsStatusAndProperties) {
  const auto g =
      must_read(document({node("0", "cluster", "/cluster0", R"("properties": null, "status": 0)"),
                          node("1", "node", "/cluster0/node1",
                               R"("properties": {"z": "", "a": "x\ty"}, "status": 1)")},
                         {edge("0", "1")}));
  EXPECT_EQ(described(g),
            "0: cluster cluster cluster0  0 1 -1 0 up root of containment containment=/cluster0\n"
            "1: node node node1  1 1 -1 1 down containment=/cluster0/node1 [a=x\ty] [z=]\n"
            "containment 0 > 1\n");
  const auto engine = Engine::create(
      must_read(document({node("0", "a", "/a0"), node("1", "b", "/a0/b1", R"("status": 1)")},
                         {edge("0", "1")})),
      {.policy = *find_policy("low")});
  ASSERT_TRUE(engine);
  EXPECT_EQ((*engine)->status(PoolId{0}), Status::up);
  EXPECT_EQ((*engine)->status(PoolId{1}), Status::down);
}

TEST(JgfRead, TakesEdgesBeforeNodesAndKeysInAnyOrder) {
  const std::string text = R"({"x": [1, {"y": null}], "graph": {"edges": [
      {"metadata": {"subsystem": "containment"}, "target": "\u0031", "source": "0"}],
      "directed": true, "nodes": [
      {"metadata": {"paths": {"containment": "/a\u0030"}, "type": "a"}, "id": "0"},
      {"metadata": {"paths": {"containment": "/a0/b\"1"}, "name": "b\"1", "type": "b"}, "id": "1"}
      ]}})";
  const auto g = must_read(text);
  EXPECT_EQ(described(g),
            "0: a a a0  0 1 -1 0 up root of containment containment=/a0\n"
            "1: b b b\"1  1 1 -1 1 up containment=/a0/b\"1\n"
            "containment 0 > 1\n");
  EXPECT_EQ(described(must_read("\xEF\xBB\xBF" + text)), described(g));
  EXPECT_EQ(described(must_read(R"({"version": 1, "execution": {"R_lite": []}, "scheduling": )" +
                                text + "}")),
            described(g));
  // With room behind it, the text is not copied.
  std::string padded = text;
  padded.reserve(text.size() + kJsonPadding);
  const auto same = read_jgf(padded, {.readable_past = padded.capacity() - padded.size()});
  ASSERT_TRUE(same);
  EXPECT_EQ(described(*same), described(g));
}

TEST(JgfRead, KeepsPathsThatAreNotDerived) {
  const auto g = must_read(document(
      {node("0", "a", "/top"), node("1", "b", "/top/b1"), node("2", "c", "/a0/b1/c2"),
       R"({"id": "3", "metadata": {"type": "d", "paths":
           {"containment": "/top/b1/d3", "power": "/p0/d3"}}})",
       R"({"id": "4", "metadata": {"type": "p", "id": 0, "paths": {"power": "/p0"}}})",
       R"({"id": "5", "metadata": {"type": "q", "id": 0, "paths": {"power": "/p0/far/q0"}}})"},
      {edge("0", "1"), edge("1", "2"), edge("1", "3"), edge("4", "5", "power")}));
  EXPECT_EQ(g.path(at(g, "/top"), subsystem(g, "containment")), "/top");
  EXPECT_EQ(g.name(at(g, "/top/b1")), "b1");
  EXPECT_EQ(g.name(at(g, "/a0/b1/c2")), "c2");
  EXPECT_EQ(g.name(at(g, "/p0/far/q0")), "q0");
  EXPECT_TRUE(g.at_path("/a0/b1").empty());
  EXPECT_TRUE(g.at_path("/p0/q0").empty());
  // No edge of power comes to d3, and yet it is there.
  const PoolId d3 = at(g, "/p0/d3");
  EXPECT_EQ(d3, at(g, "/top/b1/d3"));
  EXPECT_TRUE(g.in_subsystem(d3, subsystem(g, "power")));
  EXPECT_EQ(g.path(d3, subsystem(g, "power")), "/p0/d3");
  EXPECT_EQ(g.subsystem_root(subsystem(g, "power")), at(g, "/p0"));
}

// A path that ends with "/" is refused, so none is written.
TEST(JgfRead, ReadsBackANameThatEndsWithASlash) {
  const auto g = must_read(
      document({node("0", "a", "/top"), node("1", "b", "/top/b1", R"("name": "b/")"),
                R"({"id": "2", "metadata": {"type": "p", "id": 0, "paths": {"power": "/p0"}}})"},
               {edge("0", "1"), edge("2", "1", "power")}));
  std::string text;
  ASSERT_TRUE(write_jgf(g, text));
  const auto again = must_read(text);
  const PoolId b = at(g, "/top/b1"), same = at(again, "/top/b1");
  EXPECT_EQ(again.name(same), "b/");
  EXPECT_EQ(again.path(same, subsystem(again, "power")), g.path(b, subsystem(g, "power")));
  EXPECT_EQ(g.path(b, subsystem(g, "power")), "/p0/b/");
}

TEST(JgfRead, ReadsAPoolThatNoEdgeComesTo) {
  const auto g = must_read(
      document({node("0", "a", "/a0"), node("1", "b", "/a0/b1"), node("2", "c", "/a0/b1/c2")},
               {edge("0", "1")}));
  EXPECT_EQ(g.tree_count(), 2U);
  EXPECT_EQ(g.name(at(g, "/a0/b1/c2")), "c2");
}

TEST(JgfRead, DominatesBySubsystem) {
  const std::string text = document(
      {node("0", "a", "/a0"),
       R"({"id": "1", "metadata": {"type": "b", "paths": {"power": "/p2/b1", "containment": "/a0/b1"}}})",
       R"({"id": "2", "metadata": {"type": "p", "paths": {"power": "/p2"}}})"},
      {edge("0", "1"), edge("2", "1", "power")});
  const auto g = must_read(text, "power");
  EXPECT_EQ(g.type_name(g.root()), "p");
  EXPECT_EQ(g.tree_count(), 2U);
  EXPECT_EQ(at(g, "/a0/b1"), at(g, "/p2/b1"));
  const auto none = read_jgf(text, {}, "ibnet");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::not_found);
}

TEST(JgfRead, TellsHowFarItIs) {
  std::vector<std::string> nodes = {node("0", "a", "/a0")}, edges;
  for (int i = 1; i <= 20'000; ++i) {
    const std::string id = std::to_string(i);
    nodes.push_back(node(id, "b", "/a0/b" + id));
    edges.push_back(edge("0", id));
  }
  const std::string text = document(nodes, edges);
  std::vector<std::size_t> told;
  const auto g = read_jgf(text, {.progress = [&](std::size_t done, std::size_t all) {
                            EXPECT_EQ(all, text.size());
                            told.push_back(done);
                          }});
  ASSERT_TRUE(g);
  ASSERT_GE(told.size(), 2U);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LT(told.back(), text.size());
  EXPECT_EQ(g->name(at(*g, "/a0/b20000")), "b20000");
}

}  // namespace
}  // namespace copse::jgf
