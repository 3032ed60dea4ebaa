// SPDX-License-Identifier: Apache-2.0
//
// One select() of match/simple/simple_traverser.hpp: what it finds in each view, and that it leaves
// no trace. tests/property compares whole sequences with a flexible walk.
#include "match/simple/simple_traverser.hpp"

#include <optional>

#include "engine/jobs.hpp"

namespace copse {
namespace {

// A machine with a state and a traverser, without an engine.
struct Bench {
  explicit Bench(const std::string& policy_name = "low", ResourceGraph made = machine())
      : graph(std::move(made)),
        policy(*find_policy(policy_name)),
        filters(*PruneFilters::parse("ALL:core,ALL:node", graph)),
        state(graph, 0),
        traverser(graph, state, policy, filters) {}

  LearnedRequest compiled(const std::string& text) {
    const auto request = parse_jobspec(text);
    EXPECT_TRUE(request) << (request ? "" : request.error().message());
    auto out = compile(*request, graph, policy);
    EXPECT_TRUE(out) << (out ? "" : out.error().message());
    return LearnedRequest{std::move(*out)};
  }
  Paths select(const std::string& text, StateView view = StateView::now, std::int64_t start = 0,
               std::int64_t end = 100) {
    const std::uint64_t before = state.fingerprint();
    LearnedRequest request = compiled(text);
    result = traverser.select(request, view, start, end, selection);
    EXPECT_TRUE(traverser.check());
    EXPECT_EQ(state.fingerprint(), before);
    EXPECT_TRUE(result.found || selection.empty());
    return paths_of(graph, selection);
  }
  void grant(std::int64_t start, std::int64_t end) {
    state.apply(selection, start, end, grants++, 1);
  }
  PoolId pool(std::string_view path) const { return at(graph, path); }

  ResourceGraph graph;
  Policy policy;
  PruneFilters filters;
  State state;
  SimpleTraverser traverser;
  WalkResult result;
  Selection selection;
  std::uint32_t grants = 0;
};

TEST(SimpleTraverser, LevelsAboveMayBeLeftOut) {
  Bench b;
  const Paths core{"/rack0/node0/socket0/core0"};
  std::string text = slot("1", res("core"));
  EXPECT_EQ(b.select(job(text)), core);
  for (const char* type : {"socket", "node", "rack", "cluster"}) {
    text = res(type, "1", text);
    EXPECT_EQ(b.select(job(text)), core) << type;
  }
  // If a level is named, the levels below it must be named, down to the slot.
  EXPECT_EQ(b.select(job(res("rack", "1", res("socket", "1", slot("1", res("core")))))), Paths{});
  EXPECT_EQ(b.select(job(res("core", "1", slot("1", res("core"))))), Paths{});
}

TEST(SimpleTraverser, SlotsAreLookedForBelow) {
  Bench b;
  EXPECT_EQ(b.select(job(res("cluster", "1", slot("1", res("gpu"))))),
            (Paths{"/rack0/node0/socket0/gpu0"}));
  EXPECT_EQ(b.select(job(res("node", "1", slot("2", res("core", "4"))))).size(), 8U);
  EXPECT_EQ(b.select(job(res("node", "1", slot("1", res("core", "5"))))), Paths{});
  EXPECT_EQ(b.select(job(res("node", "1", slot("1", res("core") + ", " + res("node"))))), Paths{});
}

TEST(SimpleTraverser, PoolsOnTheWayAreShared) {
  Bench b;
  ASSERT_EQ(b.select(nodes(1)), (Paths{"/rack0/node0"}));
  EXPECT_EQ(paths_of(b.graph, b.selection, false), (Paths{"/rack0", ""}));
  EXPECT_EQ(b.select(job(res("node"))), Paths{});  // shared only: nothing is allocated
  EXPECT_EQ(b.select(job(res("node") + ", " + res("pdu"))), Paths{});
}

TEST(SimpleTraverser, NeighbouringLeavesAreOneEntry) {
  for (const char* policy : {"low", "high"}) {
    Bench b(policy);
    ASSERT_EQ(b.select(job(res("socket", "1", slot("1", res("core", "3"))))).size(), 3U);
    ASSERT_EQ(b.selection.taken.size(), 5U);  // cluster, rack, node, socket, three cores
    EXPECT_EQ(b.selection.taken.back().count, 3U);
    EXPECT_TRUE(b.selection.taken.back().exclusive);
    EXPECT_TRUE(std::is_sorted(
        b.selection.taken.begin(), b.selection.taken.end(),
        [](const SelectedPools& x, const SelectedPools& y) { return x.first < y.first; }));
  }
}

TEST(SimpleTraverser, LargePoolsAreTakenWhole) {
  Bench b;
  const Paths memory{"/rack0/node0/socket0/memory0"};
  EXPECT_EQ(b.select(job(res("socket", "1", slot("1", res("memory", "1"))))), memory);
  EXPECT_EQ(b.select(job(res("socket", "1", slot("1", res("memory", "8"))))), memory);
  EXPECT_EQ(b.select(job(res("socket", "1", slot("1", res("memory", "9"))))), Paths{});
  EXPECT_EQ(b.select(job(slot("2", res("memory", "3")))).size(), 2U);
  EXPECT_EQ(b.select(job(slot("9", res("memory", "3")))), Paths{});  // eight pools, a slot on each
}

TEST(SimpleTraverser, CountsTakeWhatThereIs) {
  Bench b;
  const auto cores_of = [&](const std::string& count) {
    return b.select(job(res("socket", "1", slot("1", res("core", count))))).size();
  };
  EXPECT_EQ(cores_of("{min: 1}"), 4U);
  EXPECT_EQ(cores_of("{min: 2, max: 3, operator: \"+\", operand: 1}"), 3U);
  EXPECT_EQ(cores_of("{min: 1, max: 9, operator: \"+\", operand: 2}"), 3U);   // 1 3 5
  EXPECT_EQ(cores_of("{min: 1, max: 64, operator: \"*\", operand: 2}"), 4U);  // 1 2 4 8
  EXPECT_EQ(cores_of("{min: 3, max: 64, operator: \"*\", operand: 2}"), 3U);
  EXPECT_EQ(cores_of("{min: 2, max: 64, operator: \"^\", operand: 2}"), 4U);  // 2 4 16
  EXPECT_EQ(cores_of("{min: 3, max: 64, operator: \"^\", operand: 2}"), 3U);  // 3 9
  EXPECT_EQ(cores_of("0"), 0U);
  EXPECT_EQ(cores_of("5"), 0U);
  // All qualifying cores count for a slot: it takes four, and only one slot is formed.
  EXPECT_EQ(b.select(job(res("socket", "1", slot("{min: 1}", res("core", "{min: 1}"))))).size(),
            4U);
  EXPECT_EQ(b.select(job(slot("{min: 1}", res("core", "3")))).size(), 8U * 3);
}

TEST(SimpleTraverser, ViewsOfTime) {
  Bench b;
  ASSERT_EQ(b.select(nodes(3)).size(), 3U);
  b.grant(0, 50);
  ASSERT_EQ(b.select(nodes(4), StateView::later, 100, 200).size(), 4U);
  b.grant(100, 200);
  EXPECT_EQ(b.select(nodes(2)), Paths{});
  EXPECT_EQ(b.select(nodes(1), StateView::now, 0, 100), (Paths{"/rack1/node3"}));
  EXPECT_EQ(b.select(nodes(1), StateView::now, 0, 101), Paths{});
  EXPECT_EQ(b.select(nodes(4), StateView::later, 50, 100).size(), 4U);
  EXPECT_EQ(b.select(nodes(4), StateView::later, 49, 99), Paths{});
  EXPECT_EQ(b.select(nodes(1), StateView::later, 60, 101), Paths{});
  EXPECT_EQ(b.select(nodes(4), StateView::later, 200, 300).size(), 4U);
  EXPECT_EQ(b.select(nodes(4), StateView::empty, 0, 100).size(), 4U);
}

TEST(SimpleTraverser, StatusCountsInAllViewsButTheEmptyOne) {
  Bench b;
  b.state.set_status(b.pool("/cluster0/rack0"), Status::down);
  b.state.set_status(b.pool("/cluster0/rack1/node2/socket0/core0"), Status::unknown);
  EXPECT_EQ(b.select(nodes(1)), (Paths{"/rack1/node2"}));
  EXPECT_EQ(b.select(nodes(3)), Paths{});
  EXPECT_EQ(b.select(nodes(3), StateView::later, 10, 20), Paths{});
  EXPECT_EQ(b.select(nodes(4), StateView::empty).size(), 4U);
  EXPECT_EQ(b.select(job(slot("1", res("core")))), (Paths{"/rack1/node2/socket1/core0"}));
  b.state.set_status(b.pool("/cluster0"), Status::failing);
  EXPECT_EQ(b.select(nodes(1)), Paths{});
  EXPECT_EQ(b.select(nodes(4), StateView::empty).size(), 4U);
}

TEST(SimpleTraverser, ExclusiveUseWantsNobodyBelow) {
  Bench b;
  ASSERT_EQ(b.select(cores(1)), (Paths{"/rack0/node0/socket0/core0"}));
  b.grant(0, 100);
  EXPECT_EQ(b.select(nodes(1)), (Paths{"/rack0/node1"}));
  EXPECT_EQ(b.select(cores(1)), (Paths{"/rack0/node0/socket1/core0"}));
  const std::string rack = job(res("rack", "1", slot("1", res("core")), ", exclusive: true"));
  EXPECT_EQ(b.select(rack).back(), "/rack1");
  EXPECT_EQ(b.select(rack, StateView::later, 100, 200).back(), "/rack0");
}

TEST(SimpleTraverser, ConstraintsLeaveNodesOut) {
  Bench b;
  const std::string ranks = "constraints: {not: [{ranks: [\"0,3\"]}]}";
  EXPECT_EQ(b.select(job(slot("2", res("node")), "100", ranks)),
            (Paths{"/rack0/node1", "/rack1/node2"}));
  EXPECT_EQ(b.select(job(slot("3", res("node")), "100", ranks), StateView::empty), Paths{});
  EXPECT_EQ(b.select(job(slot("1", res("core")), "100", ranks)),
            (Paths{"/rack0/node1/socket0/core0"}));
}

TEST(SimpleTraverser, AFailedSelectLeavesTheNextAsItWas) {
  for (const Policy& policy : bundled_policies()) {
    SCOPED_TRACE(policy.name);
    Bench fresh(policy.name), used(policy.name);
    for (const std::string& text : {nodes(5), cores(5), job(slot("9", res("core", "4"))),
                                    job(res("rack", "3", slot("1", res("node"))))}) {
      EXPECT_EQ(used.select(text), Paths{});
    }
    EXPECT_EQ(used.select(cores(3)), fresh.select(cores(3)));
    EXPECT_EQ(used.select(nodes(3)), fresh.select(nodes(3)));
  }
}

ResourceGraph wide() {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int n = 0; n < 2000; ++n) {
    const auto node = t.child(cluster, {"node", n});
    for (int c = 0; c < 4; ++c) t.child(node, {"core", c});
  }
  return t.build();
}

// 10,001 pools. Under these policies the walk stops early.
TEST(SimpleTraverser, VisitsOnlyWhatItNeeds) {
  for (const char* policy : {"low", "high", "lonode", "hinode", "first"}) {
    SCOPED_TRACE(policy);
    Bench b(policy, wide());
    for (const std::string& text :
         {nodes(2), cores(2), job(res("node", "3", slot("1", res("core"))))}) {
      EXPECT_FALSE(b.select(text).empty());
      EXPECT_GT(b.result.visits, 0U);
      EXPECT_LT(b.result.visits, 100U) << text;
      b.grant(0, 100);
    }
  }
}

}  // namespace
}  // namespace copse
