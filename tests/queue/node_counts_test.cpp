// SPDX-License-Identifier: Apache-2.0
//
// Nodes in groups, and what is counted of each.
#include "queue/counts/node_counts.hpp"

#include <gtest/gtest.h>

#include "formats/hres/hres.hpp"
#include "plan/flat.hpp"
#include "queue/counts/node_choice.hpp"
#include "request/resource_of.hpp"

namespace copse::queue {
namespace {

using Part = std::pair<std::uint32_t, std::int64_t>;

// Eight nodes of four cores.
struct Counted : testing::Test {
  std::unique_ptr<Engine> engine = plan::flat_engine(8, 4);
  CountedNodes nodes{engine->graph()};

  static NodeSet set(std::initializer_list<std::uint32_t> numbers) {
    NodeSet out(8, false);
    for (const std::uint32_t n : numbers) out[n] = true;
    return out;
  }
  static NodeSet all() { return NodeSet(8, true); }
  std::shared_ptr<const NodeGroups> make(const NodeGroups::Requested& requested,
                                         const std::vector<ReservedTime>& reserved = {}) const {
    return NodeGroups::make(*engine, nodes, requested, reserved);
  }
  static NodeCounts::Need need(const NodeCounts& counts, NodeSet among, std::int64_t number,
                               std::vector<CountedRequest::Amount> amounts = {}) {
    const auto out =
        counts.need({number, std::make_shared<const NodeSet>(std::move(among)), amounts});
    EXPECT_TRUE(out);
    return *out;
  }
};

TEST_F(Counted, NodesThatNothingDistinguishesAreOneGroup) {
  const auto groups = make({.sets = {all()}, .resources = {}});
  EXPECT_TRUE(groups->is_one());
  NodeCounts counts(groups);
  const auto three = need(counts, all(), 3);
  const auto use = counts.use(0, 10, three);
  ASSERT_TRUE(use);
  EXPECT_TRUE(use->parts.empty());
  counts.add(0, 10, *use);
  counts.add(0, 20, *use);
  EXPECT_FALSE(counts.use(0, 10, three));
  const auto at = counts.earliest(0, 1'000, 5, 1'000, three);
  ASSERT_TRUE(at);
  EXPECT_EQ(at->start_s, 10);
  EXPECT_FALSE(counts.need({1, std::make_shared<const NodeSet>(set({1})), {}}));  // an unknown set
}

// Nodes that others need stay free.
TEST_F(Counted, NodesOfTheFewestSetsAreTakenFirst) {
  const auto groups = make({.sets = {all(), set({0, 1, 2})}, .resources = {}},
                           {{.from_s = 100, .until_s = 110, .nodes = {nodes.pool(7)}}});
  ASSERT_EQ(groups->groups().size(), 3U);  // 0-2, 3-6, 7
  NodeCounts counts(groups);
  EXPECT_EQ(counts.use(0, 50, need(counts, all(), 6))->parts,
            (std::vector<Part>{{2, 1}, {1, 4}, {0, 1}}));
  EXPECT_EQ(counts.use(0, 101, need(counts, all(), 6))->parts,
            (std::vector<Part>{{1, 4}, {0, 2}}));  // node 7 is reserved from 100 on
  EXPECT_FALSE(counts.use(0, 101, need(counts, all(), 8)));
  EXPECT_EQ(counts.earliest(60, 1'000, 45, 1'000, need(counts, all(), 8))->start_s, 110);
  EXPECT_FALSE(counts.use(0, 50, need(counts, set({0, 1, 2}), 4)));
}

TEST_F(Counted, AUseIsLeftOutWhileItsNodesAreReserved) {
  const auto groups = make({.sets = {all()}, .resources = {}},
                           {{.from_s = 10, .until_s = 20, .nodes = {nodes.pool(0)}}});
  NodeCounts counts(groups);
  const CountedUse admitted = running_use(*groups, {0}, {});
  counts.add(5, 30, admitted);  // runs into the reservation, and beyond it
  EXPECT_EQ(counts.use(0, 5, need(counts, all(), 8))->nodes, 8);
  EXPECT_FALSE(counts.use(5, 10, need(counts, all(), 8)));
  EXPECT_FALSE(counts.use(20, 30, need(counts, all(), 8)));
  counts.remove(5, 30, admitted);
  EXPECT_TRUE(counts.use(20, 30, need(counts, all(), 8)));
}

TEST_F(Counted, LayersAreAmountsOrNumbersOfNodes) {
  ASSERT_TRUE(engine->add_resources(*read_hres(R"(
- {resource: lic, mode: MODE_2, layers: [{nodes: "node[0-7]", count: 5}]}
- {resource: power, mode: MODE_3, layers: [{nodes: "node[0-7]", count: 12},
    {nodes: "node[0-3]", count: 4}, {nodes: "node[4-7]", count: 100}]}
)",
                                               "layers")));
  const CountedRequest::Amount licences{"lic", 3, false}, power{"power", 2, true};

  const auto merged = make({.sets = {all()}, .resources = {"power"}, .by_all = power});
  ASSERT_TRUE(merged->merged());
  EXPECT_EQ(merged->groups().front().usable, 6);  // 2 of the first half, 4 of the other
  EXPECT_FALSE(NodeCounts(merged).need({1, std::make_shared<const NodeSet>(all()), {}}));

  const auto apart = make({.sets = {all()}, .resources = {"lic", "power"}});
  ASSERT_EQ(apart->groups().size(), 2U);
  NodeCounts counts(apart);
  const auto both = need(counts, all(), 4, {licences, power});
  const auto use = counts.use(0, 10, both);
  ASSERT_TRUE(use);
  // Licences, two nodes of each half, and power: of the root, and of both halves.
  EXPECT_EQ(use->nodes, 4);
  counts.add(0, 10, *use);
  EXPECT_FALSE(counts.use(0, 10, need(counts, all(), 1, {licences})));
  EXPECT_TRUE(counts.use(0, 10, need(counts, all(), 2, {power})));
  EXPECT_FALSE(counts.use(0, 10, need(counts, all(), 3, {power})));
  EXPECT_EQ(counts.earliest(0, 1'000, 10, 1'000, both)->start_s, 10);
}

TEST_F(Counted, APromiseMovesOnlyWhereAllGroupsHaveNodes) {
  const auto groups = make({.sets = {all(), set({0, 1})}, .resources = {}});
  NodeCounts counts(groups);
  const auto few = need(counts, set({0, 1}), 2), many = need(counts, all(), 7);
  counts.add(0, 50, *counts.use(0, 50, few));
  const auto at = counts.earliest(0, 1'000, 10, 1'000, many);
  ASSERT_TRUE(at);
  EXPECT_EQ(at->start_s, 50);
  counts.add(at->start_s, at->end_s, at->use);
  EXPECT_FALSE(counts.move_earlier(0, *at, 10, 1'000, many));
  counts.remove(0, 50, *counts.use(60, 70, few));  // the same use
  const auto to = counts.move_earlier(0, *at, 10, 1'000, many);
  ASSERT_TRUE(to);
  EXPECT_EQ(to->start_s, 0);
  EXPECT_FALSE(counts.use(0, 10, few));
}

TEST_F(Counted, EachPromiseGetsTheLowestNodesThatAreFreeByThen) {
  const auto groups = make({.sets = {all(), set({0, 1, 2})}, .resources = {}});
  NodeCounts counts(groups);
  const std::vector<BusyNode> busy{{0, 20}, {3, 5}, {4, 100}};
  const std::vector<NodeCounts::Start> starts{
      {10, 30, {.parts = {{1, 2}}, .nodes = 2}},  // of 3-7
      {20, 40, {.parts = {{0, 3}}, .nodes = 3}},  // of 0-2
      {30, 50, {.parts = {{1, 4}}, .nodes = 4}},
  };
  EXPECT_EQ(choose_nodes(*groups, busy, starts),
            (std::vector<std::vector<std::uint32_t>>{{3, 5}, {0, 1, 2}, {3, 5, 6, 7}}));
}

TEST_F(Counted, RequestsThatFillNodes) {
  const auto counted = [&](std::vector<Resource> resources) {
    Request request;
    request.resources = std::move(resources);
    return counted_request(request, *engine, nodes);
  };
  const auto cores = [](std::int64_t slots, std::int64_t each) {
    return resource_of("node", 2, {resource_of("slot", slots, {resource_of("core", each)})});
  };
  EXPECT_EQ(counted({resource_of("slot", 3, {resource_of("node", 1)})})->nodes, 3);
  EXPECT_EQ(counted({cores(3, 1)})->nodes, 2);
  EXPECT_EQ(counted({cores(1, 4)})->nodes, 2);
  EXPECT_FALSE(counted({cores(2, 1)}));  // another job of two cores fits
  EXPECT_FALSE(counted({resource_of("slot", 3, {resource_of("core", 1)})}));
  const auto single = plan::flat_engine(3, 1);
  Request request;
  request.resources = {resource_of("slot", 3, {resource_of("core", 1)})};
  EXPECT_EQ(counted_request(request, *single, CountedNodes(single->graph()))->nodes, 3);
}

TEST_F(Counted, TooManyGroupsAreNone) {
  const auto large = plan::flat_engine(100, 1);
  const CountedNodes many(large->graph());
  NodeGroups::Requested requested;
  for (std::uint32_t n = 0; n < 64; ++n) {
    NodeSet one(100, false);
    one[n] = true;
    requested.sets.push_back(one);
  }
  EXPECT_EQ(NodeGroups::make(*large, many, requested, {}), nullptr);  // and the rest: 65
  requested.sets.pop_back();
  EXPECT_NE(NodeGroups::make(*large, many, requested, {}), nullptr);
}

}  // namespace
}  // namespace copse::queue
