// SPDX-License-Identifier: Apache-2.0
//
// A graph that grows and shrinks: after every change, all that copse/graph.hpp promises holds. It
// is compared with a plain tree that is changed in the same way and, at the end, with a graph built
// from that tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "graph/graph_growth.hpp"
#include "graph/small_graph.hpp"
#include "property/random.hpp"

namespace copse {
namespace {

using property::Random;

NewPool new_pool(ResourceGraph& g, std::string_view type, std::int64_t id,
                 std::uint32_t parent = NewPool::kAttached) {
  NewPool p;
  p.parent = parent;
  p.type = TypeId{static_cast<std::uint16_t>(g.names().types.intern(type))};
  p.basename = NameId{g.names().basenames.intern(type)};
  p.unit = UnitId{static_cast<std::uint16_t>(g.names().units.intern(""))};
  p.id = id;
  return p;
}

// A node with two sockets of two cores each.
std::vector<NewPool> new_node(ResourceGraph& g, std::int64_t id, std::int32_t rank) {
  std::vector<NewPool> out{new_pool(g, "node", id)};
  out[0].rank = rank;
  for (std::int64_t s = 0; s < 2; ++s) {
    const auto socket = static_cast<std::uint32_t>(out.size());
    out.push_back(new_pool(g, "socket", s, 0));
    for (std::int64_t c = 0; c < 2; ++c) out.push_back(new_pool(g, "core", c, socket));
  }
  return out;
}

// The same machine as the graph's, without the graph's own data.
struct Plain {
  struct Pool {
    std::string type, path;
    std::int64_t size;
    std::int32_t rank;
    PoolId parent;
    std::vector<PoolId> children;
  };
  std::map<PoolId, Pool> pools;

  explicit Plain(const ResourceGraph& g) {
    for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
      if (g.in_tree(PoolId{v})) add(g, PoolId{v}, g.parent(PoolId{v}));
    }
  }
  void add(const ResourceGraph& g, PoolId p, PoolId parent) {
    const std::string above = parent == kNoPool ? "" : pools.at(parent).path;
    pools[p] = {g.type_name(p), above + '/' + g.name(p), g.size(p), g.rank(p), parent, {}};
    if (parent != kNoPool) pools.at(parent).children.push_back(p);
  }
  void forget(PoolId p) {
    for (PoolId c : std::vector<PoolId>(pools.at(p).children)) forget(c);
    pools.erase(p);
  }
  void remove(PoolId p) {
    std::erase(pools.at(pools.at(p).parent).children, p);
    forget(p);
  }
  void list(PoolId p, std::vector<PoolId>& out) const {
    out.push_back(p);
    for (PoolId c : pools.at(p).children) list(c, out);
  }
  [[nodiscard]] std::vector<PoolId> preorder(PoolId p) const {
    std::vector<PoolId> out;
    list(p, out);
    return out;
  }
};

// The runs of a shape describe exactly the children.
void check_runs(const ResourceGraph& g, PoolId p) {
  const auto children = g.children(p);
  std::uint32_t next = 0;
  for (const ChildRun& run : g.shape(p).runs) {
    ASSERT_EQ(run.first, next);
    ASSERT_GT(run.count, 0U);
    next += run.count;
    ASSERT_LE(next, children.size());
    for (std::uint32_t c = run.first; c < next; ++c) {
      ASSERT_EQ(g.type(children[c]), run.type);
      ASSERT_EQ(g.leaf(children[c]), run.leaves);
      if (run.size >= 0) {
        ASSERT_EQ(g.size(children[c]), run.size);
      }
      if (c == run.first) continue;
      if (run.leaves) {
        ASSERT_EQ(children[c].v, children[c - 1].v + 1);
      }
      if (run.ascending) {
        ASSERT_LT(g.id(children[c - 1]), g.id(children[c]));
      }
      if (run.by_uniq_id) {
        ASSERT_LE(g.uniq_id(children[c - 1]), g.uniq_id(children[c]));
      }
    }
  }
  ASSERT_EQ(next, children.size());
}

void check(const ResourceGraph& g, const Plain& plain) {
  const std::vector<PoolId> all = plain.preorder(g.root());
  ASSERT_EQ(g.tree_count(), all.size());
  std::vector<PoolId> visited;
  g.preorder(g.root(), [&](PoolId p) {
    visited.push_back(p);
    return true;
  });
  ASSERT_EQ(visited, all);
  std::map<std::string, std::set<PoolId>> by_path;
  std::map<std::int32_t, std::set<PoolId>> by_rank;
  std::map<std::string, std::set<PoolId>> by_type;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PoolId p = all[i];
    const Plain::Pool& known = plain.pools.at(p);
    ASSERT_TRUE(g.in_tree(p));
    ASSERT_EQ(g.parent(p), known.parent);
    ASSERT_EQ(std::vector<PoolId>(g.children(p).begin(), g.children(p).end()), known.children);
    ASSERT_TRUE(std::is_sorted(known.children.begin(), known.children.end()));
    ASSERT_EQ(g.path(p, g.dominant()), known.path);
    ASSERT_EQ(g.size(p), known.size);
    by_path[known.path].insert(p);
    by_rank[known.rank].insert(p);
    by_type[known.type].insert(p);
    if (i > 0) {
      ASSERT_TRUE(g.before(all[i - 1], p));
      ASSERT_FALSE(g.before(p, all[i - 1]));
    }
    if (g.leaf(p)) continue;
    ASSERT_EQ(g.interior_pool(g.interior(p)), p);
    std::map<std::string, std::int64_t> totals;
    std::set<std::uint32_t> interiors;
    const std::vector<PoolId> below = plain.preorder(p);
    const std::set<PoolId> inside(below.begin(), below.end());
    for (PoolId q : below) {
      if (q == p) continue;
      totals[g.type_name(q)] += g.size(q);
      if (!g.leaf(q)) interiors.insert(g.interior(q));
    }
    for (const TypeTotal& t : g.shape(p).totals) {
      ASSERT_EQ(t.total, totals[g.type_name(t.type)]) << known.path;
      totals.erase(g.type_name(t.type));
    }
    for (const auto& [type, units] : totals) ASSERT_EQ(units, 0) << type;
    std::set<std::uint32_t> told;
    g.for_each_interior_below(p, [&](std::uint32_t n) { ASSERT_TRUE(told.insert(n).second); });
    ASSERT_EQ(told, interiors);
    for (PoolId q : all) ASSERT_EQ(g.below(q, p), inside.contains(q)) << known.path;
    for (PoolId c : known.children) ASSERT_TRUE(g.shape(p).has_child(g.type(c)));
    check_runs(g, p);
  }
  for (const auto& [path, pools] : by_path) {
    const auto found = g.at_path(path);
    ASSERT_EQ(std::set<PoolId>(found.begin(), found.end()), pools) << path;
  }
  for (const auto& [rank, pools] : by_rank) {
    if (rank == -1) continue;
    const auto found = g.of_rank(rank);
    ASSERT_EQ(std::set<PoolId>(found.begin(), found.end()), pools) << rank;
  }
  for (const auto& [type, pools] : by_type) {
    const auto found = g.of_type(g.find_type(type));
    ASSERT_EQ(std::set<PoolId>(found.begin(), found.end()), pools) << type;
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end(),
                               [&](PoolId a, PoolId b) { return g.before(a, b); }));
  }
}

// The small machine without its power supplies, some of whose racks have 100 nodes.
ResourceGraph plain_machine(bool wide) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int r = 0; r < 2; ++r) {
    const auto rack = t.child(cluster, {"rack", r});
    for (int n = 0; n < (wide && r == 0 ? 100 : 2); ++n) {
      const auto node = t.child(rack, {.type = "node", .id = n, .rank = t.builder.next_rank()});
      for (int c = 0; c < 4; ++c) t.child(node, {"core", c});
      t.child(node, {"memory", 0, 8, "GB"});
    }
  }
  t.root("containment", cluster);
  return t.build();
}

TEST(GraphChange, KeepsItsInvariantsInAnyOrder) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const bool wide = seed % 20 == 0;
    ResourceGraph g = plain_machine(wide);
    Plain plain(g);
    if (seed % 2 == 0) (void)g.of_rank(0);  // indexes exist before, or are made afterwards
    for (int step = 0; step < (wide ? 8 : 25); ++step) {
      std::vector<PoolId> all = plain.preorder(g.root());
      const PoolId p = all[random.below(all.size())];
      if (random.chance(45) && p != g.root()) {
        ASSERT_TRUE(GraphGrowth(g).remove(p));
        plain.remove(p);
      } else {
        std::vector<NewPool> pools;
        switch (random.below(4)) {
          case 0: pools = new_node(g, random.between(0, 5), 100 + step); break;
          case 1: pools = {new_pool(g, "core", random.between(0, 9))}; break;
          case 2: pools = {new_pool(g, random.pick<const char*>({"fpga", "ssd"}), 0)}; break;
          default:
            pools = {new_pool(g, "rack", 7), new_pool(g, "memory", 0, 0)};
            pools[1].size = random.between(0, 9);
            pools[1].name = "heap";
        }
        const auto top = GraphGrowth(g).attach(p, pools);
        ASSERT_EQ(top.has_value(), !g.leaf(p));
        if (!top) continue;
        for (std::uint32_t i = 0; i < pools.size(); ++i) {
          const PoolId self{top->v + i};
          plain.add(g, self, i == 0 ? p : PoolId{top->v + pools[i].parent});
          if (pools[i].name.empty()) continue;
          ASSERT_EQ(g.name(self), pools[i].name);
        }
      }
      check(g, plain);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(GraphChange, SplitsARunOfLeaves) {
  ResourceGraph g = plain_machine(false);
  const PoolId node = at(g, "/cluster0/rack0/node0");
  ASSERT_EQ(g.shape(node).runs.size(), 2U);
  ASSERT_TRUE(GraphGrowth(g).remove(at(g, "/cluster0/rack0/node0/core1")));
  ASSERT_EQ(g.shape(node).runs.size(), 3U);
  EXPECT_EQ(g.shape(node).runs[0].count, 1U);
  EXPECT_EQ(g.shape(node).runs[1].count, 2U);
  EXPECT_EQ(g.shape(node).runs[1].first, 1U);
  EXPECT_EQ(g.shape(node).total(g.find_type("core")), 3);
  // The other nodes share this node's former shape.
  EXPECT_EQ(g.shape(at(g, "/cluster0/rack0/node1")).total(g.find_type("core")), 4);
}

TEST(GraphChange, WritesDownWhatHappened) {
  ResourceGraph g = plain_machine(false);
  const PoolId rack = at(g, "/cluster0/rack1");
  const auto pools = new_node(g, 9, 77);
  const auto top = GraphGrowth(g).attach(rack, pools);
  ASSERT_TRUE(top);
  std::vector<NewPool> fpga{new_pool(g, "fpga", 0)};
  ASSERT_TRUE(GraphGrowth(g).attach(*top, fpga));
  ASSERT_EQ(g.changes().size(), 2U);
  EXPECT_EQ(g.changes()[0].parent, rack);
  EXPECT_EQ(g.changes()[0].widened.size(), 2U);  // sockets, at the rack and the cluster
  EXPECT_EQ(g.changes()[1].widened.size(), 3U);  // fpgas, at the node as well
  ASSERT_TRUE(GraphGrowth(g).remove(*top));
  EXPECT_EQ(g.changes()[2].kind, GraphChange::Kind::removed);
  EXPECT_EQ(g.changes()[2].intervals.size(), 2U);
  EXPECT_EQ(g.removed_count(), pools.size() + 1);
  EXPECT_TRUE(g.at_path("/cluster0/rack1/node9").empty());
  EXPECT_TRUE(g.of_rank(77).empty());
}

TEST(GraphChange, GivesUniqIdsThatNobodyHas) {
  ResourceGraph g = plain_machine(false);
  std::vector<NewPool> pools = new_node(g, 9, 77);
  pools[0].uniq_id = 5'000;
  const auto top = GraphGrowth(g).attach(at(g, "/cluster0/rack1"), pools);
  ASSERT_TRUE(top);
  std::set<std::int64_t> seen;
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    EXPECT_TRUE(seen.insert(g.uniq_id(PoolId{v})).second) << v;
  }
  EXPECT_EQ(g.uniq_id(*top), 5'000);
  EXPECT_EQ(g.uniq_id(PoolId{0}), 0);
}

template <class T>
void refused(ResourceGraph& g, const Result<T>& result, ErrorCode code) {
  const Plain plain(g);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code) << result.error().message();
  EXPECT_EQ(g.changes().size(), 0U);
  check(g, plain);
}

TEST(GraphChange, RefusesAndChangesNothing) {
  ResourceGraph g = plain_machine(false);
  const PoolId rack = at(g, "/cluster0/rack1"), core = at(g, "/cluster0/rack0/node0/core1");
  const auto node = new_node(g, 9, 77);
  refused(g, GraphGrowth(g).attach(core, node), ErrorCode::unsupported);
  refused(g, GraphGrowth(g).attach(PoolId{g.pool_count()}, node), ErrorCode::invalid);
  refused(g, GraphGrowth(g).attach(rack, {}), ErrorCode::invalid);
  auto two = node;
  two.push_back(new_pool(g, "core", 0));
  refused(g, GraphGrowth(g).attach(rack, two), ErrorCode::invalid);
  auto late = node;
  late.push_back(new_pool(g, "core", 0, 1));  // below the first socket, after the second
  refused(g, GraphGrowth(g).attach(rack, late), ErrorCode::invalid);
  auto before = node;
  before[1].parent = 3;
  refused(g, GraphGrowth(g).attach(rack, before), ErrorCode::invalid);
  auto negative = node;
  negative[2].size = -1;
  refused(g, GraphGrowth(g).attach(rack, negative), ErrorCode::invalid);
  auto huge = node;
  huge[2].size = INT64_MAX;
  refused(g, GraphGrowth(g).attach(rack, huge), ErrorCode::limit);
  std::vector<NewPool> deep{new_pool(g, "rack", 0)};
  for (std::uint32_t i = 0; i < 1'100; ++i) deep.push_back(new_pool(g, "rack", 0, i));
  refused(g, GraphGrowth(g).attach(rack, deep), ErrorCode::limit);
  refused(g, GraphGrowth(g).remove(g.root()), ErrorCode::invalid);
  refused(g, GraphGrowth(g).remove(PoolId{g.pool_count()}), ErrorCode::invalid);

  ResourceGraph powered = machine();
  refused(powered, GraphGrowth(powered).remove(at(powered, "/cluster0/rack0/node1")),
          ErrorCode::unsupported);
  refused(powered, GraphGrowth(powered).remove(at(powered, "/cluster0/rack0")),
          ErrorCode::unsupported);
  refused(powered, GraphGrowth(powered).remove(at(powered, "/power0/pdu0")),
          ErrorCode::unsupported);
  EXPECT_TRUE(GraphGrowth(powered).remove(at(powered, "/cluster0/rack0/node1/socket0")));
}

TEST(GraphChange, RemovesOnce) {
  ResourceGraph g = plain_machine(false);
  const PoolId node = at(g, "/cluster0/rack0/node0");
  const PoolId core = at(g, "/cluster0/rack0/node0/core1");
  ASSERT_TRUE(GraphGrowth(g).remove(node));
  EXPECT_FALSE(GraphGrowth(g).remove(node));
  EXPECT_FALSE(GraphGrowth(g).remove(core));
  EXPECT_FALSE(GraphGrowth(g).attach(node, new_node(g, 1, 1)));
}

}  // namespace
}  // namespace copse
