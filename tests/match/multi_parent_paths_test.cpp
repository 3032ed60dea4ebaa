// SPDX-License-Identifier: Apache-2.0
//
// Pools with several parents in the dominant subsystem: the path under which they are shown; and no
// unit is granted twice, whatever the path.
#include "match/shared/multi_parent_paths.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "engine/jobs.hpp"

namespace copse {
namespace {

// cluster0 > rack0, rack1 > shelf, 2 nodes of 2 cores; cluster0 > store0 > both shelves, which have
// 3 disks each. A shelf is created for its rack first; its parent in the tree is the store.
ResourceGraph shelves() {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  std::vector<GraphBuilder::Handle> racks, made;
  for (int r = 0; r < 2; ++r) racks.push_back(t.child(cluster, {"rack", r}));
  const auto store = t.child(cluster, {"store", 0});
  for (int r = 0; r < 2; ++r) {
    const auto rack = racks[static_cast<std::size_t>(r)];
    made.push_back(t.child(rack, {"shelf", r}));
    for (int d = 0; d < 3; ++d) t.child(made.back(), {"disk", d, 100, "GB"});
    for (int n = 0; n < 2; ++n) {
      const auto node =
          t.child(rack, {.type = "node", .id = 2 * r + n, .rank = t.builder.next_rank()});
      for (int c = 0; c < 2; ++c) t.child(node, {"core", c});
    }
  }
  for (const auto shelf : made) t.edge(store, shelf);
  return t.build();
}

const std::string kYes = ", exclusive: true";
const std::string kGrows = "{min: 100, max: 300, operator: '+', operand: 100}";
const std::string kGrowsByOne = "{min: 1, max: 2, operator: '+', operand: 1}";
std::string disks(int count) {
  return res("shelf", "1", res("disk", std::to_string(100 * count), "", kYes));
}
std::string by_rack(int count) {
  return job(res("rack", "1", res("node", "1", slot("1", res("core"))) + ", " + disks(count)));
}
std::string by_store(int count) { return job(res("store", "1", disks(count))); }

// Parents come before children, with a dot for each level; ! is exclusive.
std::string shown(const Engine& e, const Matched& m) {
  if (!m) return m.error().message();
  std::vector<ExpandedPool> expanded;
  expand(e.graph(), m->selection, expanded);
  std::string out;
  for (auto it = expanded.rbegin(); it != expanded.rend(); ++it) {
    if (!out.empty()) out += ' ';
    out += std::string(it->depth, '.') + e.graph().name(it->pool) + (it->exclusive ? "!" : "");
  }
  return out;
}

TEST(MultiParentPaths, APoolIsShownWhereItWasReached) {
  const auto e = engine(with_policy("high"), shelves());
  EXPECT_EQ(shown(*e, allocate(*e, by_rack(1), 1)),
            "cluster0 .rack1 ..node3 ...core1! ..shelf1 ...disk2!");
  EXPECT_EQ(shown(*e, allocate(*e, by_store(1), 2)), "cluster0 .store0 ..shelf1 ...disk1!");
  EXPECT_EQ(shown(*e, allocate(*e, by_rack(1), 3)),
            "cluster0 .rack1 ..node3 ...core0! ..shelf1 ...disk0!");
  EXPECT_EQ(shown(*e, allocate(*e, by_store(3), 4)),
            "cluster0 .store0 ..shelf0 ...disk2! ...disk1! ...disk0!");
  EXPECT_EQ(error_of(allocate(*e, by_rack(1), 5)), "insufficient");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, by_rack(3))), "");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, by_rack(4))), "infeasible");
}

TEST(MultiParentPaths, AnExclusivePoolIsBusyOnEveryWay) {
  const auto e = engine(with_policy("low"), shelves());
  const std::string racks = job(slot("2", res("rack"))), store = job(slot("1", res("store")));
  ASSERT_EQ(error_of(allocate(*e, by_store(1), 1)), "");  // in rack0, on the path through it
  EXPECT_EQ(error_of(allocate(*e, racks, 2)), "insufficient");
  EXPECT_EQ(shown(*e, allocate(*e, job(slot("1", res("rack"))), 2)), "cluster0 .rack1!");
  EXPECT_EQ(error_of(allocate(*e, by_store(3), 3)), "insufficient");  // shelf1 is rack1's
  EXPECT_EQ(error_of(allocate(*e, by_store(2), 3)), "");
  ASSERT_TRUE(e->cancel(1));
  ASSERT_TRUE(e->cancel(3));
  EXPECT_EQ(error_of(allocate(*e, store, 4)), "insufficient");
  ASSERT_TRUE(e->cancel(2));
  ASSERT_EQ(error_of(allocate(*e, by_rack(1), 5)), "");
  EXPECT_EQ(error_of(allocate(*e, store, 6)), "insufficient");  // rack0 has one of its disks
  ASSERT_TRUE(e->cancel(5));
  ASSERT_EQ(error_of(allocate(*e, store, 6)), "");
  EXPECT_EQ(error_of(allocate(*e, by_rack(1), 7)), "insufficient");
  const auto later = match(*e, Operation::allocate_orelse_reserve, by_rack(1), 7);
  ASSERT_EQ(error_of(later), "");
  EXPECT_EQ(later->start, 100);
}

// Everything below a pool, on any path.
void below(const ResourceGraph& g, PoolId p, std::set<PoolId>& out) {
  if (!out.insert(p).second) return;
  std::vector<PoolId> children;
  g.append_children(p, children);
  for (PoolId c : children) below(g, c, out);
}

struct Use {
  std::int64_t start, end;
  std::set<PoolId> touched, owned;
};

Use use_of(const ResourceGraph& g, const Match& m) {
  Use use{m.start, m.end, {}, {}};
  std::vector<ExpandedPool> expanded;
  expand(g, m.selection, expanded);
  for (const ExpandedPool& e : expanded) {
    use.touched.insert(e.pool);
    if (e.exclusive) below(g, e.pool, use.owned);
  }
  return use;
}

bool meet(const std::set<PoolId>& a, const std::set<PoolId>& b) {
  return std::any_of(a.begin(), a.end(), [&](PoolId p) { return b.contains(p); });
}

// The search starts where one walk finds nothing: here a count with a range starts it.
TEST(MultiParentPaths, TheSearchAsksAllOfThem) {
  EngineOptions options = with_policy("low");
  options.traverser = Traverser::loop_aware;
  const auto e = engine(options, shelves());
  const std::string disk =
      job(res("store", "1", res("shelf", "1", slot("1", res("disk", kGrows)))));
  ASSERT_EQ(error_of(allocate(*e, job(slot("2", res("rack"))), 1)), "");
  EXPECT_EQ(error_of(allocate(*e, disk, 2)), "insufficient");
  const auto later = match(*e, Operation::allocate_orelse_reserve, disk, 2);
  ASSERT_EQ(error_of(later), "");
  EXPECT_EQ(later->start, 100);
  ASSERT_TRUE(e->cancel(1));
  ASSERT_TRUE(e->cancel(2));
  ASSERT_EQ(error_of(allocate(*e, disk, 3)), "");
  EXPECT_EQ(error_of(allocate(*e, job(slot("2", res("rack"))), 4)), "insufficient");
}

TEST(MultiParentPaths, UpdateAsksAllOfThem) {
  const auto e = engine(with_policy("low"), shelves());
  const auto update = [&](JobId number, const std::string& path) {
    const PoolId p = at(e->graph(), path);
    return error_of(e->update(number, {&p, 1}, 0, 50));
  };
  ASSERT_EQ(error_of(allocate(*e, job(slot("1", res("rack"))), 1)), "");  // rack0 has shelf0
  EXPECT_EQ(update(2, "/cluster0/store0/shelf0/disk0"), "insufficient");
  EXPECT_EQ(update(2, "/cluster0/store0/shelf0"), "insufficient");
  EXPECT_EQ(update(2, "/cluster0/store0"), "insufficient");
  EXPECT_EQ(update(2, "/cluster0/store0/shelf1/disk0"), "");
  EXPECT_EQ(update(3, "/cluster0/rack1"), "insufficient");  // has shelf1
  ASSERT_TRUE(e->cancel(2));
  EXPECT_EQ(update(3, "/cluster0/rack1"), "");
}

TEST(MultiParentPaths, AGraphThatIsBuiltAgainHasTheSameTree) {
  for (const bool store_last : {false, true}) {
    GraphText t;
    const auto cluster = t.pool({"cluster", 0});
    const auto store = t.child(cluster, {"store", 0}), rack = t.child(cluster, {"rack", 0});
    const auto shelf = t.pool({"shelf", 0});
    t.edge(store_last ? rack : store, shelf);
    t.edge(store_last ? store : rack, shelf);
    t.child(shelf, {"disk", 0});
    t.edge(cluster, store, "power");  // the same in another subsystem
    t.edge(cluster, rack, "power");
    t.edge(store_last ? rack : store, shelf, "power");
    t.edge(store_last ? store : rack, shelf, "power");
    const auto e = engine(with_policy("low"), t.build());
    const std::string parent = store_last ? "/cluster0/store0" : "/cluster0/rack0";
    for (int i = 0; i < 3; ++i) {
      const PoolId disk = at(e->graph(), parent + "/shelf0/disk0"), p = e->graph().parent(disk);
      EXPECT_EQ(e->graph().path(p, e->graph().dominant()), parent + "/shelf0");
      EXPECT_EQ(e->graph().path(p, subsystem(e->graph(), "power")), parent + "/shelf0");
      ASSERT_TRUE(e->compact());
    }
  }
}

// node0 is below both racks, node1 below one of them.
ResourceGraph shared_node(std::size_t rack_of_both) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  std::vector<GraphBuilder::Handle> racks, nodes;
  for (int r = 0; r < 2; ++r) racks.push_back(t.child(cluster, {"rack", r}));
  for (int n = 0; n < 2; ++n) {
    nodes.push_back(t.child(racks[rack_of_both], {.type = "node", .id = n, .rank = n}));
    for (int c = 0; c < 2; ++c) t.child(nodes.back(), {"core", c});
  }
  t.edge(racks[1 - rack_of_both], nodes[0]);
  return t.build();
}

// rack0 is visited first, has node0, and has too few.
TEST(MultiParentPaths, WhatAVisitInVainHasSeenIsThereForOthers) {
  const std::string two = job(res("rack", "1", slot("2", res("node", "1", res("core", "2")))));
  for (const Policy& policy : bundled_policies()) {
    const auto e = engine({.policy = policy}, shared_node(1));
    EXPECT_EQ(error_of(match(*e, Operation::satisfiability, two)), "") << policy.name;
    EXPECT_EQ(taken(*e, allocate(*e, two)).size(), 6U) << policy.name;
  }
}

// rack0 is visited first, and has both nodes: it has enough, and nothing is left for rack1.
TEST(MultiParentPaths, AnOrderOfVisitsThatFailsProvesNothing) {
  const std::string each = job(res("rack", "2", slot("1", res("node"))));
  EXPECT_EQ(
      error_of(match(*engine(with_policy("low"), shared_node(0)), Operation::satisfiability, each)),
      "insufficient");
  for (const Policy& policy : bundled_policies()) {
    const auto e = engine({.policy = policy}, shared_node(0));
    EXPECT_NE(error_of(match(*e, Operation::satisfiability, each)), "infeasible") << policy.name;
    EXPECT_NE(error_of(match(*e, Operation::allocate_with_satisfiability, each)), "infeasible");
    for (const std::string& never :
         {job(res("rack", "1", slot("3", res("node")))), job(slot("1", res("core", "5")))}) {
      EXPECT_EQ(error_of(match(*e, Operation::satisfiability, never)), "infeasible") << policy.name;
    }
  }
}

class EveryTraverser : public ::testing::TestWithParam<Traverser> {};

TEST_P(EveryTraverser, GrantsNoUnitTwice) {
  const std::vector<std::string> texts{by_rack(1),
                                       by_rack(2),
                                       by_store(1),
                                       by_store(2),
                                       by_store(3),
                                       job(slot("1", res("rack")), "50"),
                                       job(slot("1", res("store")), "70"),
                                       job(slot("1", res("shelf")), "30"),
                                       job(slot("2", res("disk", "100"))),
                                       nodes(1),
                                       nodes(2),
                                       job(res("shelf", "1", "", kYes), "60"),
                                       cores(1),
                                       job(slot("1", res("disk", kGrows))),
                                       job(res("store", "1", slot("1", res("shelf", kGrowsByOne)))),
                                       job(slot("1", res("cluster")), "20")};
  for (const Policy& policy : bundled_policies()) {
    const auto e = engine({.policy = policy, .traverser = GetParam()}, shelves());
    const std::uint64_t empty = e->fingerprint();
    std::mt19937 random(7);
    std::map<JobId, Use> running;
    std::size_t granted = 0, reserved = 0;
    for (JobId number = 1; number <= 600; ++number) {
      if (running.size() > 12 || (!running.empty() && random() % 4 == 0)) {
        auto it = running.begin();
        std::advance(it, random() % running.size());
        ASSERT_TRUE(e->cancel(it->first));
        running.erase(it);
      }
      const std::uint64_t before = e->fingerprint();
      const auto operation =
          random() % 2 == 0 ? Operation::allocate : Operation::allocate_orelse_reserve;
      const auto m = match(*e, operation, texts[random() % texts.size()], number);
      if (!m) {
        ASSERT_EQ(e->fingerprint(), before);
        continue;
      }
      ++(m->start > 0 ? reserved : granted);
      const Use mine = use_of(e->graph(), *m);
      for (const auto& [other, theirs] : running) {
        if (mine.start >= theirs.end || theirs.start >= mine.end) continue;
        ASSERT_FALSE(meet(mine.touched, theirs.owned)) << policy.name << ' ' << shown(*e, m);
        ASSERT_FALSE(meet(theirs.touched, mine.owned)) << policy.name << ' ' << shown(*e, m);
        ASSERT_FALSE(meet(theirs.owned, mine.owned)) << policy.name << ' ' << shown(*e, m);
      }
      running.emplace(number, mine);
    }
    EXPECT_GT(granted, 50U);
    EXPECT_GT(reserved, 50U);
    for (const auto& [number, use] : running) ASSERT_TRUE(e->cancel(number));
    EXPECT_EQ(e->fingerprint(), empty);
  }
}

INSTANTIATE_TEST_SUITE_P(MultiParentPaths, EveryTraverser,
                         ::testing::Values(Traverser::simple, Traverser::flexible,
                                           Traverser::loop_aware));

}  // namespace
}  // namespace copse
