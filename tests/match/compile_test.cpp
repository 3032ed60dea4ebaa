// SPDX-License-Identifier: Apache-2.0
//
// The promises of match/compile/compiled.hpp: a request as an array, with its least needs.
#include "engine/jobs.hpp"
#include "match/compile/compiled.hpp"

namespace copse {
namespace {

class Compile : public testing::Test {
 protected:
  Result<CompiledRequest> compiled(const std::string& text, const std::string& policy = "low") {
    auto request = parse_jobspec(text, "job.yaml");
    if (!request) return std::unexpected(request.error());
    return compile(*request, graph, *find_policy(policy));
  }
  // "core 8 node 2"
  std::string needs(const std::vector<Need>& list) const {
    std::string out;
    for (const Need& n : list) {
      out += (out.empty() ? "" : " ") + graph.type_name(n.type) + ' ' + std::to_string(n.units);
    }
    return out;
  }
  std::string clash(const std::string& resources) {
    const auto c =
        compile(*parse_jobspec(job(resources)), graph, *find_policy("low"), Traverser::loop_aware);
    EXPECT_TRUE(!c || c->impossible.empty());  // a search may match it
    return c ? c->clash : c.error().message();
  }
  std::string impossible(const std::string& resources) {
    const auto c = compiled(job(resources));
    return c ? c->impossible : c.error().message();
  }
  const ResourceGraph graph = machine();
};

TEST_F(Compile, FlattensLevelByLevel) {
  const auto c = compiled(
      job(res("rack", "2", res("node", "1", slot("3", res("core", "2") + ", " + res("gpu")))) +
          ", " + res("pdu")));
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(c->top, 2U);
  std::string types;
  for (const Level& l : c->levels) types += graph.type_name(l.type) + ' ';
  EXPECT_EQ(types, "rack pdu node slot core gpu ");
  EXPECT_EQ(c->levels[0].first, 2U);
  EXPECT_EQ(c->levels[0].children, 1U);
  EXPECT_FALSE(c->levels[0].slot_below);
  EXPECT_EQ(c->levels[1].children, 0U);
  EXPECT_TRUE(c->levels[2].slot_below);
  EXPECT_TRUE(c->levels[3].slot);
  EXPECT_EQ(c->levels[3].first, 4U);
  EXPECT_EQ(c->levels[3].children, 2U);
}

TEST_F(Compile, SumsTheLeastNeeds) {
  const auto c =
      compiled(job(res("rack", "2",
                       res("node", "{min: 3}",
                           slot("2", res("core", "{min: 2, max: 4, operator: \"+\", operand: 1}") +
                                         ", " + res("memory", "5"))))));
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(needs(c->total), "core 24 node 6 rack 2 memory 60");     // in type order
  EXPECT_EQ(needs(c->levels[0].needs), "core 12 node 3 memory 30");  // of one rack
  EXPECT_EQ(needs(c->levels[1].needs), "core 4 memory 10");
  EXPECT_EQ(needs(c->levels[2].needs), "core 2 memory 5");
  EXPECT_EQ(needs(c->levels[3].needs), "");
  EXPECT_EQ(c->total_of(graph.find_type("core")), 24);
  EXPECT_EQ(c->total_of(graph.find_type("gpu")), 0);
}

TEST_F(Compile, NeedsDoNotOverflow) {
  std::string resources = res("core", "4000000000");
  for (const char* type : {"socket", "node", "rack", "cluster"}) {
    resources = res(type, "4000000000", resources);
  }
  const auto c = compiled(job(resources));
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(c->total_of(graph.find_type("core")), INT64_MAX);
  EXPECT_EQ(c->total_of(graph.find_type("cluster")), 4'000'000'000);
}

TEST_F(Compile, KeepsWhatTheJobspecSays) {
  const auto c = compiled(
      job(res("node", "{min: 2, max: 8, operator: \"*\", operand: 2}",
              slot("1", res("core", "1", "", ", label: mine")), ", label: host, exclusive: false"),
          "1.5"));
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(c->levels[0].most, 8);
  EXPECT_EQ(c->levels[0].count.min, 2);
  EXPECT_EQ(c->levels[0].exclusive, Exclusivity::no);
  EXPECT_EQ(c->labels.at(c->levels[0].label), "host");
  EXPECT_EQ(c->labels.at(c->levels[2].label), "mine");
  EXPECT_TRUE(c->impossible.empty());
  EXPECT_FALSE(c->constrained());
}

TEST_F(Compile, ExclusiveTypesOfRequestAndPolicy) {
  const auto types = [&](const std::string& resources, const std::string& policy) {
    std::string out;
    const auto c = compiled(job(resources), policy);
    EXPECT_TRUE(c);
    for (TypeId t : c->exclusive_types) out += graph.type_name(t) + ' ';
    return out;
  };
  const std::string rack = res("rack", "1", slot("1", res("core")), ", exclusive: true");
  EXPECT_EQ(types(slot("1", res("core")), "low"), "");
  EXPECT_EQ(types(rack, "low"), "rack ");
  EXPECT_EQ(types(rack, "lonodex"), "rack node ");
  EXPECT_EQ(types(slot("1", res("core")), "firstnodex"), "node ");
}

TEST_F(Compile, SaysWhereSiblingsWantTheSamePools) {
  const std::string siblings = "test: siblings in jobspec request same resource type : ";
  EXPECT_EQ(clash(res("node") + ", " + res("node", "2")), siblings + "node.");
  EXPECT_EQ(clash(res("node", "1", res("core") + ", " + res("gpu") + ", " + res("core"))),
            siblings + "core.");
  EXPECT_EQ(clash(res("node", "1", slot("1", res("core")) + ", " + res("gpu"))), siblings + "gpu.");
  EXPECT_EQ(clash(slot("1", res("core")) + ", " + slot("2", res("gpu"))), siblings + "slot.");
  EXPECT_EQ(clash(res("node") + ", " + res("rack")), "");
}

TEST_F(Compile, SaysWhatCanNeverMatch) {
  EXPECT_NE(impossible(slot("1", slot("1", res("core")))), "");
  EXPECT_NE(impossible("{type: slot, count: 1, label: task}"), "");
  EXPECT_NE(impossible(res("xor_slot", "1", res("core"), ", label: task")), "");
  EXPECT_EQ(impossible(res("node") + ", " + res("rack")), "");
}

TEST_F(Compile, RefusesTypesThatNobodyKnows) {
  const auto c = compiled(job(res("node", "1", slot("1", res("gadget")))));
  ASSERT_EQ(error_of(c), "not_found");
  EXPECT_EQ(c.error().text, "Value of \"type\" must be a resource type known to fluxion");
  EXPECT_EQ(c.error().place.file, "job.yaml");
  EXPECT_EQ(c.error().place.line, 2U);
  // Types that every graph has, though this one has no pools of them.
  EXPECT_TRUE(compiled(job(slot("1", res("ssd") + ", " + res("storage_node")))));
}

TEST_F(Compile, AsksConstraintsOfNodesOnly) {
  const auto c = compiled(job(slot("1", res("node")), "100", "constraints: {ranks: [\"1-2\"]}"));
  ASSERT_TRUE(c) << c.error().message();
  ASSERT_TRUE(c->constrained());
  ASSERT_EQ(c->allowed.size(), graph.pool_count());
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    const bool expected = graph.type_name(p) != "node" || graph.rank(p) == 1 || graph.rank(p) == 2;
    EXPECT_EQ(c->allowed[v], expected) << graph.name(p);
  }
}

}  // namespace
}  // namespace copse
