// SPDX-License-Identifier: Apache-2.0
#include "copse/selection.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

using Row = std::tuple<std::string, std::uint32_t, bool, bool>;  // name, depth, own, parent's

std::vector<Row> expanded(const ResourceGraph& g, const Selection& selection) {
  std::vector<ExpandedPool> out{ExpandedPool{}};  // the previous content is removed
  expand(g, selection, out);
  std::vector<Row> rows;
  for (const ExpandedPool& e : out) {
    rows.emplace_back(g.name(e.pool), e.depth, e.exclusive, e.parent_exclusive);
  }
  return rows;
}

TEST(Expand, OfNothingIsNothing) { EXPECT_TRUE(expanded(machine(), {}).empty()); }

TEST(Expand, GivesChildrenBeforeTheirParentAndSiblingsInOrder) {
  const ResourceGraph g = machine();
  const PoolId rack = at(g, "/cluster0/rack0"), node0 = at(g, "/cluster0/rack0/node0"),
               node1 = at(g, "/cluster0/rack0/node1"),
               socket = at(g, "/cluster0/rack0/node0/socket1");
  const Selection selection{{{g.root()},
                             {rack},
                             {node0},
                             {socket},
                             {PoolId{socket.v + 2}, 2, true},  // core1, core2
                             {node1},
                             {PoolId{node1.v + 1}},  // socket0
                             {PoolId{node1.v + 2}, 1, true}},
                            {}};
  EXPECT_EQ(expanded(g, selection), (std::vector<Row>{{"core1", 4, true, false},
                                                      {"core2", 4, true, false},
                                                      {"socket1", 3, false, false},
                                                      {"node0", 2, false, false},
                                                      {"core0", 4, true, false},
                                                      {"socket0", 3, false, false},
                                                      {"node1", 2, false, false},
                                                      {"rack0", 1, false, false},
                                                      {"cluster0", 0, false, false}}));
}

TEST(Expand, AWholePoolStandsForAllBelowIt) {
  const ResourceGraph g = machine();
  const PoolId rack = at(g, "/cluster0/rack1"), socket = at(g, "/cluster0/rack1/node2/socket0");
  const Selection selection{{{g.root()}, {rack}, {PoolId{socket.v - 1}}, {socket, 1, false, true}},
                            {}};
  EXPECT_EQ(expanded(g, selection), (std::vector<Row>{{"core0", 4, true, true},
                                                      {"core1", 4, true, true},
                                                      {"core2", 4, true, true},
                                                      {"core3", 4, true, true},
                                                      {"gpu0", 4, true, true},
                                                      {"memory0", 4, true, true},
                                                      {"socket0", 3, true, false},
                                                      {"node2", 2, false, false},
                                                      {"rack1", 1, false, false},
                                                      {"cluster0", 0, false, false}}));
}

TEST(Expand, TheWholeMachineInPostorder) {
  const ResourceGraph g = machine();
  std::vector<ExpandedPool> out;
  expand(g, {{{g.root(), 1, true, true}}, {}}, out);
  ASSERT_EQ(out.size(), g.tree_count());
  std::vector<bool> seen(g.tree_count());
  for (const ExpandedPool& e : out) {
    EXPECT_EQ(e.depth, g.depth(e.pool));
    EXPECT_TRUE(e.exclusive);
    EXPECT_EQ(e.parent_exclusive, e.pool != g.root());
    for (PoolId c : g.children(e.pool)) EXPECT_TRUE(seen[c.v]);  // before their parent
    EXPECT_FALSE(seen[e.pool.v]);
    seen[e.pool.v] = true;
  }
}

TEST(Expand, AnExclusivePoolEmitsOnlyWhatIsListedBelowIt) {
  const ResourceGraph g = machine();
  const PoolId node = at(g, "/cluster0/rack0/node0");
  const Selection selection{{{g.root()},
                             {at(g, "/cluster0/rack0")},
                             {node, 1, true},
                             {PoolId{node.v + 1}, 1, true},
                             {PoolId{node.v + 3}, 1, true}},
                            {}};
  EXPECT_EQ(expanded(g, selection), (std::vector<Row>{{"core1", 4, true, true},
                                                      {"socket0", 3, true, true},
                                                      {"node0", 2, true, false},
                                                      {"rack0", 1, false, false},
                                                      {"cluster0", 0, false, false}}));
}

}  // namespace
}  // namespace copse
