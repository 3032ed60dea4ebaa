// SPDX-License-Identifier: Apache-2.0
//
// Machines that change while jobs run, and grants that are added or removed by hand: single cases.
// Random streams of these events are in property/change_test.cpp.
#include <gtest/gtest.h>

#include "copse/save.hpp"
#include "engine/jobs.hpp"
#include "formats/hres/hres.hpp"
#include "formats/named_pools.hpp"
#include "graph/node_names.hpp"

namespace copse {
namespace {

// cluster0 > 2 racks > 2 nodes > 4 cores
ResourceGraph racks(int nodes = 2) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int r = 0; r < 2; ++r) {
    const auto rack = t.child(cluster, {"rack", r});
    for (int n = 0; n < nodes; ++n) {
      const auto node =
          t.child(rack, {.type = "node", .id = r * nodes + n, .rank = t.builder.next_rank()});
      for (int c = 0; c < 4; ++c) t.child(node, {"core", c});
    }
  }
  t.root("containment", cluster);
  return t.build();
}

NewSubtree node_for(Engine& e, const std::string& parent, std::int64_t id) {
  Names& names = e.names();
  auto pool = [&](const char* type, std::int64_t number, std::uint32_t up) {
    NewPool p;
    p.parent = up;
    p.type = TypeId{static_cast<std::uint16_t>(names.types.intern(type))};
    p.basename = NameId{names.basenames.intern(type)};
    p.unit = UnitId{static_cast<std::uint16_t>(names.units.intern(""))};
    p.id = number;
    return p;
  };
  NewSubtree out{at(e.graph(), parent), {pool("node", id, NewPool::kAttached)}};
  out.pools[0].rank = static_cast<std::int32_t>(id);
  for (std::int64_t c = 0; c < 4; ++c) out.pools.push_back(pool("core", c, 0));
  return out;
}
void grow(Engine& e, const std::string& parent, std::int64_t id) {
  const NewSubtree subtree = node_for(e, parent, id);
  const auto done = e.attach({&subtree, 1});
  ASSERT_TRUE(done) << done.error().message();
}
Result<std::vector<JobId>> shrink(Engine& e, const std::string& path) {
  const PoolId top = at(e.graph(), path);
  return e.remove({&top, 1});
}
std::string whole_rack() {
  return job(res("rack", "1", slot("1", res("node")), ", exclusive: true"));
}

// The grants of an engine, applied to a new machine that equals its present one.
std::uint64_t fingerprint_when_built_again(Engine& e) {
  EXPECT_TRUE(e.compact());
  const std::uint64_t now = e.fingerprint();
  EXPECT_TRUE(e.compact());
  EXPECT_EQ(e.fingerprint(), now);
  return now;
}

TEST(Grow, GivesWhatCame) {
  const auto e = engine(with_policy("low"), racks());
  ASSERT_TRUE(allocate(*e, nodes(4)));
  EXPECT_EQ(error_of(allocate(*e, nodes(1), 2)), "insufficient");
  grow(*e, "/cluster0/rack1", 7);
  EXPECT_EQ(taken(*e, allocate(*e, cores(4), 3)),
            (Paths{"/rack1/node7/core0", "/rack1/node7/core1", "/rack1/node7/core2",
                   "/rack1/node7/core3"}));
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, nodes(5), 4)), "");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, nodes(6), 4)), "infeasible");
}

// Nodes that the machine lost still count for the test before any walk, as in Fluxion: a request for
// them is found to be infeasible. Down ones did not count before, and new ones replace lost ones.
TEST(Grow, SaysThatLostNodesNeverComeBack) {
  for (const Traverser traverser : {Traverser::simple, Traverser::loop_aware}) {
    EngineOptions options = with_policy("low");
    options.traverser = traverser;
    auto e = engine(std::move(options), racks());
    const auto waits = [&](int count) {
      return error_of(match(*e, Operation::allocate_orelse_reserve, nodes(count), 1));
    };
    EXPECT_EQ(waits(5), "insufficient");
    ASSERT_TRUE(shrink(*e, "/cluster0/rack1/node3"));
    EXPECT_EQ(waits(4), "infeasible");
    EXPECT_EQ(waits(5), "insufficient");
    EXPECT_EQ(error_of(allocate(*e, nodes(4))), "insufficient");
    e->set_status(at(e->graph(), "/cluster0/rack1/node2"), Status::down);
    ASSERT_TRUE(shrink(*e, "/cluster0/rack1/node2"));
    EXPECT_EQ(waits(3), "infeasible");
    EXPECT_EQ(waits(4), "insufficient");
    auto again = load(save(*e));
    ASSERT_TRUE(again) << again.error().message();
    e = std::move(again->engine);
    EXPECT_EQ(waits(3), "infeasible");
    grow(*e, "/cluster0/rack1", 4);
    EXPECT_EQ(waits(4), "insufficient");
    EXPECT_EQ(waits(3), "");
  }
}

// A node that was added does not count for changes that were planned before it, as long as the
// plans and the node exist.
TEST(Grow, WaitsForWhatIsStillPlanned) {
  EngineOptions options = with_policy("low");
  options.growth_waits = true;
  const auto start_of = [](Engine& e, int count, const char* duration, JobId number) {
    const auto m = match(e, Operation::allocate_orelse_reserve, nodes(count, duration), number);
    return m ? m->start : -1;
  };
  for (const bool built_again : {false, true}) {
    const auto e = engine(options, racks());
    for (JobId number = 1; number <= 3; ++number) {
      ASSERT_EQ(start_of(*e, 4, "100", number), (static_cast<std::int64_t>(number) - 1) * 100);
    }
    grow(*e, "/cluster0/rack1", 4);
    grow(*e, "/cluster0/rack0", 5);
    if (built_again) {
      ASSERT_TRUE(e->compact());
    }
    EXPECT_EQ(start_of(*e, 5, "50", 4), 300);
    ASSERT_TRUE(e->cancel(4));
    ASSERT_TRUE(shrink(*e, "/cluster0/rack1/node4"));
    ASSERT_TRUE(e->cancel(2));
    EXPECT_EQ(start_of(*e, 4, "50", 4), 100);  // nothing of the removed node is left
    EXPECT_EQ(start_of(*e, 5, "50", 5), 300);  // node5 does not count before
    ASSERT_TRUE(e->cancel(3));
    ASSERT_TRUE(e->cancel(4));
    ASSERT_TRUE(e->cancel(5));
    EXPECT_EQ(start_of(*e, 5, "50", 6), 100);  // none of the earlier plans is left
  }
}

TEST(Grow, AndCancelIsAsIfTheMachineHadBeenSo) {
  const auto e = engine(with_policy("low"), racks());
  ASSERT_TRUE(allocate(*e, cores(2), 1));
  ASSERT_TRUE(allocate(*e, nodes(2), 2));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(3), 3));
  grow(*e, "/cluster0/rack1", 4);  // where a reader would have placed it
  ASSERT_TRUE(e->cancel(2));

  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int r = 0, n = 0; r < 2; ++r) {
    const auto rack = t.child(cluster, {"rack", r});
    for (int end = r == 0 ? 2 : 5; n < end; ++n) {
      const auto node = t.child(rack, {.type = "node", .id = n, .rank = n});
      for (int c = 0; c < 4; ++c) t.child(node, {"core", c});
    }
  }
  t.root("containment", cluster);
  const auto fresh = engine(with_policy("low"), t.build());
  ASSERT_TRUE(allocate(*fresh, cores(2), 1));
  ASSERT_TRUE(allocate(*fresh, cores(1), 2));  // the number of its grant is not reused
  const Grant& reserved = *e->grant(3);
  std::vector<PoolId> pools;
  std::vector<ExpandedPool> expanded;
  expand(e->graph(), reserved.selection, expanded);
  for (const ExpandedPool& p : expanded) {
    if (p.exclusive)
      pools.push_back(at(fresh->graph(), e->graph().path(p.pool, e->graph().dominant())));
  }
  ASSERT_TRUE(fresh->update(3, pools, reserved.start, reserved.end - reserved.start));
  ASSERT_TRUE(fresh->cancel(2));
  EXPECT_EQ(e->fingerprint(), fresh->fingerprint());
}

TEST(Grow, AWholeRackHasWhatComesToIt) {
  const auto e = engine(with_policy("low"), racks());
  ASSERT_TRUE(allocate(*e, whole_rack()));
  const std::uint64_t before = e->fingerprint();
  grow(*e, "/cluster0/rack0", 7);
  const Paths held = paths_of(e->graph(), e->grant(1)->selection);
  EXPECT_NE(std::find(held.begin(), held.end(), "/rack0/node7"), held.end());
  EXPECT_EQ(taken(*e, allocate(*e, nodes(1), 2)).back(), "/rack1/node2");
  EXPECT_EQ(error_of(allocate(*e, nodes(2), 3)), "insufficient");
  ASSERT_TRUE(e->cancel(1));
  EXPECT_EQ(taken(*e, allocate(*e, nodes(3), 4)).size(), 3U);
  EXPECT_NE(e->fingerprint(), before);
}

// After a rebuild, a node without cores is a leaf: it is allocated like a node that lost its cores.
TEST(Grow, AWholeNodeHasWhatComesToItWhetherBuiltAgainOrNot) {
  for (const bool built_again : {false, true}) {
    const auto e = engine(with_policy("lonodex"), racks());
    for (int c = 0; c < 4; ++c) {
      ASSERT_TRUE(shrink(*e, "/cluster0/rack0/node0/core" + std::to_string(c)));
    }
    if (built_again) {
      ASSERT_TRUE(e->compact());
    }
    EXPECT_EQ(taken(*e, allocate(*e, nodes(1), 1)), (Paths{"/rack0/node0"}));
    NewSubtree core = node_for(*e, "/cluster0/rack0/node0", 0);
    core.pools.erase(core.pools.begin());
    core.pools.resize(1);
    core.pools[0].parent = NewPool::kAttached;
    ASSERT_TRUE(e->attach({&core, 1}));
    EXPECT_EQ(paths_of(e->graph(), e->grant(1)->selection),
              (Paths{"/rack0/node0/core0", "/rack0/node0"}));
    EXPECT_EQ(error_of(allocate(*e, nodes(4), 2)), "insufficient");
    ASSERT_TRUE(e->cancel(1));
    EXPECT_EQ(taken(*e, allocate(*e, nodes(4), 2)).size(), 17U);
  }
}

// A node that is added is in no layer, even if a former node had its name.
TEST(Grow, NodesOfOneNameStayTheNodesThatTheyAre) {
  const auto e = engine(with_policy("low"), racks());
  const auto layers = read_hres(
      "[{resource: flat, mode: MODE_1, layers: [{nodes: node3, count: 5}]}]", "layers.yaml");
  ASSERT_TRUE(layers);
  ASSERT_TRUE(e->add_resources(*layers));
  NewSubtree twin = node_for(*e, "/cluster0/rack0", 3);
  twin.pools[0].rank = 9;
  ASSERT_TRUE(e->attach({&twin, 1}));
  const std::string text = job(slot("1", res("node")), "100", "hres: \"flat:1\"");
  for (int times = 0; times < 3; ++times) {
    const auto m = match(*e, Operation::without_allocating, text);
    EXPECT_EQ(taken(*e, m).back(), "/rack1/node3") << times;
    ASSERT_TRUE(e->compact());
  }
}

TEST(Grow, WhatComesWaitsWithItsRack) {
  const auto e = engine(with_policy("low"), racks());
  e->set_status(at(e->graph(), "/cluster0/rack1"), Status::down);
  ASSERT_TRUE(allocate(*e, nodes(2)));
  NewSubtree sick = node_for(*e, "/cluster0/rack0", 8);
  sick.pools[0].down = true;
  ASSERT_TRUE(e->attach({&sick, 1}));
  grow(*e, "/cluster0/rack1", 7);
  EXPECT_EQ(error_of(allocate(*e, cores(1), 2)), "insufficient");
  EXPECT_EQ(e->status(at(e->graph(), "/cluster0/rack0/node8")), Status::down);
  e->set_status(at(e->graph(), "/cluster0/rack0/node8"), Status::up);
  EXPECT_EQ(taken(*e, allocate(*e, cores(1), 3)), (Paths{"/rack0/node8/core0"}));
  e->set_status(at(e->graph(), "/cluster0/rack1"), Status::up);
  EXPECT_EQ(taken(*e, allocate(*e, nodes(3), 4)).size(), 3U);
}

TEST(Shrink, JobsLoseAllOrPart) {
  const auto e = engine(with_policy("low"), racks());
  ASSERT_TRUE(allocate(*e, nodes(1), 1));
  ASSERT_TRUE(allocate(*e, nodes(2), 2));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4), 3));
  const auto lost = shrink(*e, "/cluster0/rack0");
  ASSERT_TRUE(lost);
  EXPECT_EQ(*lost, (std::vector<JobId>{1, 2, 3}));
  EXPECT_EQ(e->grant(1), nullptr);
  EXPECT_EQ(paths_of(e->graph(), e->grant(2)->selection).back(), "/rack1/node2");
  EXPECT_EQ(paths_of(e->graph(), e->grant(3)->selection).size(), 2U);
  EXPECT_EQ(taken(*e, allocate(*e, nodes(1), 4)).back(), "/rack1/node3");
  for (JobId j : e->jobs()) ASSERT_TRUE(e->cancel(j));
  EXPECT_EQ(fingerprint_when_built_again(*e),
            engine(with_policy("low"),
                   [] {
                     GraphText t;
                     for (const char* type : {"rack", "node"}) (void)t.builder.type(type);
                     const auto cluster = t.pool({"cluster", 0});
                     const auto rack = t.child(cluster, {"rack", 1});
                     for (int n = 2; n < 4; ++n) {
                       const auto node = t.child(rack, {.type = "node", .id = n, .rank = n});
                       for (int c = 0; c < 4; ++c) t.child(node, {"core", c});
                     }
                     t.root("containment", cluster);
                     return t.build();
                   }())
                ->fingerprint());
}

TEST(Shrink, ForgetsTheStatusOfWhatWent) {
  const auto e = engine(with_policy("low"), racks());
  e->set_status(at(e->graph(), "/cluster0/rack0/node1"), Status::down);
  ASSERT_TRUE(shrink(*e, "/cluster0/rack0"));
  EXPECT_EQ(taken(*e, allocate(*e, nodes(2))).size(), 2U);
}

TEST(Change, IsAllOrNothing) {
  const auto e = engine(with_policy("low"), machine());
  ASSERT_TRUE(allocate(*e, cores(3)));
  const std::uint64_t before = e->fingerprint();
  const std::uint32_t pools = e->graph().pool_count();
  const std::vector<PoolId> tops{at(e->graph(), "/cluster0/rack0/node0/socket0"),
                                 at(e->graph(), "/cluster0/rack0/node1")};  // has power supplies
  EXPECT_EQ(error_of(e->remove(tops)), "unsupported");
  EXPECT_EQ(e->graph().removed_count(), 0U);
  std::vector<NewSubtree> two{node_for(*e, "/cluster0/rack0", 8),
                              node_for(*e, "/cluster0/rack1", 9)};
  for (NewSubtree& t : two) t.pools[1].size = INT64_MAX / 2;  // each alone would fit
  EXPECT_EQ(error_of(e->attach(two)), "limit");
  two[0].pools[1].size = 1;
  two[1].pools[2].parent = 7;
  EXPECT_EQ(error_of(e->attach(two)), "invalid");
  EXPECT_EQ(e->graph().pool_count(), pools);
  EXPECT_EQ(e->fingerprint(), before);
}

TEST(Update, GivesTheStateOfTheMatch) {
  for (const std::string& text : {nodes(2), cores(3), whole_rack()}) {
    const auto e = engine(with_policy("low"), racks()), other = engine(with_policy("low"), racks());
    const auto m = allocate(*e, text, 5);
    ASSERT_TRUE(m);
    std::vector<ExpandedPool> expanded;
    expand(e->graph(), m->selection, expanded);
    std::vector<PoolId> pools;
    for (const ExpandedPool& p : expanded) {
      if (p.exclusive) pools.push_back(p.pool);
    }
    ASSERT_TRUE(other->update(5, pools, m->start, m->end - m->start));
    EXPECT_EQ(other->fingerprint(), e->fingerprint()) << text;
    EXPECT_EQ(error_of(other->update(5, pools, 0, 10)), "exists");
    EXPECT_EQ(error_of(other->update(6, pools, 0, 10)), "insufficient");
    EXPECT_EQ(error_of(other->update(6, pools, -1, 10)), "invalid");
    EXPECT_EQ(error_of(other->update(6, pools, 0, 0)), "invalid");
    EXPECT_EQ(error_of(other->update(6, {}, 0, 10)), "invalid");
    EXPECT_EQ(other->fingerprint(), e->fingerprint()) << text;
    ASSERT_TRUE(other->update(6, pools, 100, INT64_MAX));  // after the first one
    EXPECT_EQ(other->grant(6)->end, other->options().horizon);
  }
}

TEST(CancelPart, GivesBackWhatItSays) {
  const auto e = engine(with_policy("low"), racks());
  ASSERT_TRUE(allocate(*e, nodes(2)));
  const std::uint64_t before = e->fingerprint();
  EXPECT_EQ(error_of(e->cancel_part(9, {})), "not_found");
  EXPECT_EQ(error_of(e->cancel_part(1, {})), "invalid");
  EXPECT_EQ(e->fingerprint(), before);
  std::vector<PoolId> node;
  e->graph().preorder(at(e->graph(), "/cluster0/rack0/node0"), [&](PoolId p) {
    node.push_back(p);
    return true;
  });
  ASSERT_EQ(error_of(e->cancel_part(1, node)), "");
  EXPECT_EQ(taken(*e, allocate(*e, nodes(1), 2)).back(), "/rack0/node0");
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4), 3));
  EXPECT_EQ(error_of(e->cancel_part(3, node)), "unsupported");
  const auto all = e->cancel_part(2, node);
  ASSERT_TRUE(all);
  EXPECT_TRUE(*all);
  EXPECT_EQ(e->grant(2), nullptr);
}

TEST(Grow, ANameIsThatOfThePoolWhichIsThere) {
  const auto e = engine(with_policy("low"), racks());
  ASSERT_TRUE(shrink(*e, "/cluster0/rack0/node1"));
  EXPECT_EQ(node_names(e->graph()), (std::vector<std::string>{"node0", "node2", "node3"}));
  const auto gone = named_pools(e->graph(), "node1", "where");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().text, "where: the machine has no node \"node1\"; did you mean \"node0\"?");
  ASSERT_NO_FATAL_FAILURE(grow(*e, "/cluster0/rack0", 1));
  const auto back = named_pools(e->graph(), "node1", "where");
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, e->graph().at_path("/cluster0/rack0/node1"));
}

}  // namespace
}  // namespace copse
