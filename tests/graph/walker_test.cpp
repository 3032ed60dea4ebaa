// SPDX-License-Identifier: Apache-2.0
#include "copse/walker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

using Names = std::vector<std::string>;

// --- walk

struct Trace {
  Names before, after;
  std::vector<std::uint32_t> depths;
};

template <class Prune>
Trace trace(const ResourceGraph& g, PoolId start, SubsystemId s, Prune prune) {
  Trace t;
  walk(
      g, start, s,
      [&](const Visited& at) {
        t.before.push_back(g.name(at.pool));
        t.depths.push_back(at.depth);
        return prune(at);
      },
      [&](const Visited& at) { t.after.push_back(g.name(at.pool)); });
  return t;
}

ResourceGraph small() {
  GraphText t;
  const auto root = t.pool({"cluster", 0});
  for (int n = 0; n < 2; ++n) {
    const auto node = t.child(root, {"node", n});
    t.child(node, {"core", 0});
    t.child(node, {"gpu", 0});
  }
  return t.build();
}

TEST(Walk, VisitsTheTreeBeforeAndAfterWhatIsBelow) {
  const ResourceGraph g = small();
  const Trace t = trace(g, g.root(), g.dominant(), go_on_always);
  EXPECT_EQ(t.before, (Names{"cluster0", "node0", "core0", "gpu0", "node1", "core0", "gpu0"}));
  EXPECT_EQ(t.after, (Names{"core0", "gpu0", "node0", "core0", "gpu0", "node1", "cluster0"}));
  EXPECT_EQ(t.depths, (std::vector<std::uint32_t>{0, 1, 2, 2, 1, 2, 2}));
}

TEST(Walk, StartsAnywhere) {
  const ResourceGraph g = small();
  const Trace t = trace(g, at(g, "/cluster0/node1"), g.dominant(), go_on_always);
  EXPECT_EQ(t.before, (Names{"node1", "core0", "gpu0"}));
  EXPECT_EQ(t.after, (Names{"core0", "gpu0", "node1"}));
  EXPECT_EQ(t.depths, (std::vector<std::uint32_t>{0, 1, 1}));
  EXPECT_EQ(trace(g, at(g, "/cluster0/node1/gpu0"), g.dominant(), go_on_always).after,
            (Names{"gpu0"}));
}

// The same answers in the dominant tree and in a subsystem with the same edges.
TEST(Walk, PruningFiltersSteer) {
  GraphText text;
  const auto root = text.pool({"cluster", 0});
  text.root("containment", root);
  for (int n = 0; n < 2; ++n) {
    const auto node = text.pool({"node", n}), core = text.pool({"core", n});
    for (const char* s : {"containment", "copy"}) {
      text.edge(root, node, s);
      text.edge(node, core, s);
    }
  }
  const ResourceGraph g = text.build();
  const auto node0 = where::name(g, "node0");
  for (const SubsystemId s : {g.dominant(), subsystem(g, "copy")}) {
    const auto steer = [&](Advance advance) {
      return trace(g, g.root(), s,
                   [&](const Visited& at) { return node0(at.pool) ? advance : Advance::go_on; });
    };
    Trace t = steer(Advance::go_on);
    EXPECT_EQ(t.after, (Names{"core0", "node0", "core1", "node1", "cluster0"}));
    t = steer(Advance::skip_below);
    EXPECT_EQ(t.before, (Names{"cluster0", "node0", "node1", "core1"}));
    EXPECT_EQ(t.after, (Names{"node0", "core1", "node1", "cluster0"}));
    t = steer(Advance::skip_subtree);
    EXPECT_EQ(t.before, (Names{"cluster0", "node0", "node1", "core1"}));
    EXPECT_EQ(t.after, (Names{"core1", "node1", "cluster0"}));
    t = steer(Advance::stop);
    EXPECT_EQ(t.before, (Names{"cluster0", "node0"}));
    EXPECT_TRUE(t.after.empty());
    for (const Advance advance : {Advance::skip_below, Advance::skip_subtree}) {
      int visits = 0, evaluations = 0;
      EXPECT_TRUE(walk(
          g, g.root(), s, [&](const Visited&) { return ++visits, advance; },
          [&](const Visited&) { ++evaluations; }));
      EXPECT_EQ(visits, 1);
      EXPECT_EQ(evaluations, advance == Advance::skip_below ? 1 : 0);
    }
  }
}

TEST(Walk, AnEvaluatingFilterMayStop) {
  const ResourceGraph g = small();
  Names after;
  const auto evaluate = [&](const Visited& at) {
    after.push_back(g.name(at.pool));
    return after.size() == 2 ? Advance::stop : Advance::skip_subtree;  // only stop has a meaning
  };
  EXPECT_FALSE(walk(g, g.root(), g.dominant(), go_on_always, evaluate));
  EXPECT_EQ(after, (Names{"core0", "gpu0"}));
  EXPECT_TRUE(walk(g, g.root(), g.dominant(), go_on_always, evaluate));
  EXPECT_EQ(after.size(), 9U);
}

TEST(Walk, VisitsAPoolWithSeveralParentsOnce) {
  const ResourceGraph g = machine();
  const SubsystemId power = subsystem(g, "power");
  const Trace t = trace(g, g.subsystem_root(power), power, go_on_always);
  EXPECT_EQ(t.before, (Names{"power0", "pdu0", "node0", "node1", "pdu1", "node2", "node3"}));
  EXPECT_EQ(t.after, (Names{"node0", "node1", "pdu0", "node2", "node3", "pdu1", "power0"}));
  // From the other side it is there as well.
  EXPECT_EQ(trace(g, at(g, "/power0/pdu1"), power, go_on_always).before,
            (Names{"pdu1", "node1", "node2", "node3"}));
}

TEST(Walk, SaysWhereItCameFrom) {
  const ResourceGraph g = machine();
  for (const SubsystemId s : {g.dominant(), subsystem(g, "power")}) {
    walk(g, g.subsystem_root(s), s, go_on_always, [&](const Visited& at) {
      if (at.pool == g.subsystem_root(s)) {
        EXPECT_EQ(at.from, kNoPool);
        return;
      }
      const std::vector<PoolId> siblings = g.children(at.from, s);
      EXPECT_NE(std::find(siblings.begin(), siblings.end(), at.pool), siblings.end());
    });
  }
}

TEST(Walk, MayStartASubWalkInAnotherSubsystem) {
  const ResourceGraph g = machine();
  const auto pdu = where::type(g, "pdu");
  const auto core = where::type(g, "core");
  Names found;
  walk(g, g.subsystem_root(subsystem(g, "power")), subsystem(g, "power"), go_on_always,
       [&](const Visited& at) {
         if (!where::type(g, "node")(at.pool)) return;
         int cores = 0;
         walk(g, at.pool, g.dominant(), go_on_always,
              [&](const Visited& below) { cores += core(below.pool); });
         found.push_back(g.name(at.pool) + ":" + std::to_string(cores));
         EXPECT_TRUE(pdu(at.from));
       });
  EXPECT_EQ(found, (Names{"node0:8", "node1:8", "node2:8", "node3:8"}));
}

TEST(Walk, APoolOutsideTheDominantTreeIsAWalkOfItsOwn) {
  const ResourceGraph g = machine();
  const PoolId power = g.subsystem_root(subsystem(g, "power"));
  EXPECT_EQ(trace(g, power, g.dominant(), go_on_always).after, (Names{"power0"}));
}

TEST(Walk, NeedsNoStackForAChain) {
  constexpr int kLength = 300'000;
  GraphText t;
  t.root("containment", t.pool({"cluster"}));
  const SubsystemId s = *t.builder.subsystem("chain");
  const TypeId type = *t.builder.type("link");
  for (std::uint32_t i = 1; i < kLength; ++i) {
    ASSERT_TRUE(
        t.builder.add_pool({.type = type, .basename = t.builder.basename("link"), .unit = {}}));
    ASSERT_TRUE(t.builder.add_edge(i - 1, i, s));
  }
  const ResourceGraph g = t.build();
  std::uint32_t deepest = 0, visits = 0;
  EXPECT_TRUE(walk(g, g.root(), s, go_on_always, [&](const Visited& at) {
    deepest = std::max(deepest, at.depth);
    ++visits;
  }));
  EXPECT_EQ(visits, static_cast<std::uint32_t>(kLength));
  EXPECT_EQ(deepest, static_cast<std::uint32_t>(kLength - 1));
}

// The plain reading, by recursion.
struct Recursive {
  const ResourceGraph& g;
  SubsystemId s;
  const std::vector<Advance>& answers;  // by pool
  std::set<PoolId> met;
  std::vector<PoolId> before, after;

  bool run(PoolId p) {
    met.insert(p);
    before.push_back(p);
    const Advance advance = answers[p.v];
    if (advance == Advance::stop) return false;
    if (advance == Advance::skip_subtree) return true;
    if (advance == Advance::go_on) {
      for (PoolId c : g.children(p, s)) {
        if (!met.contains(c) && !run(c)) return false;
      }
    }
    after.push_back(p);
    return true;
  }
};

TEST(Walk, AgreesWithARecursiveWalkOfAnyGraph) {
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    GraphText t;
    const std::uint32_t pools = 1 + below(40);
    for (std::uint32_t i = 0; i < pools; ++i) t.pool({"p", i});
    t.root("containment", 0);
    std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
    for (std::uint32_t i = 1; i < pools; ++i) t.edge(below(i), i);
    for (std::uint32_t i = 1; i < 2 * pools; ++i) {  // from lower to higher: no cycle
      const std::uint32_t from = below(pools), to = below(pools);
      if (from < to && joined.insert({from, to}).second) t.edge(from, to, "other");
    }
    t.builder.subsystem("other").value();
    const ResourceGraph g = t.build();
    std::vector<Advance> answers(pools, Advance::go_on);
    for (Advance& a : answers) {
      const std::uint32_t dice = below(40);
      a = dice == 0  ? Advance::stop
          : dice < 4 ? Advance::skip_subtree
          : dice < 8 ? Advance::skip_below
                     : Advance::go_on;
    }
    for (const SubsystemId s : {g.dominant(), subsystem(g, "other")}) {
      const PoolId start{below(pools)};
      Recursive plain{g, s, answers, {}, {}, {}};
      const bool whole = plain.run(start);
      std::vector<PoolId> before, after;
      EXPECT_EQ(walk(
                    g, start, s,
                    [&](const Visited& at) {
                      before.push_back(at.pool);
                      return answers[at.pool.v];
                    },
                    [&](const Visited& at) { after.push_back(at.pool); }),
                whole);
      EXPECT_EQ(before, plain.before);
      EXPECT_EQ(after, plain.after);
    }
  }
}

// --- Accumulator

TEST(Accumulator, RanksByScoreAndThenByOrderOfPushes) {
  Accumulator all;
  for (std::uint32_t p = 0; p < 6; ++p) EXPECT_TRUE(all.push(PoolId{p}, p % 3));
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(all.pools(), (std::vector<PoolId>{PoolId{2}, PoolId{5}, PoolId{1}, PoolId{4}, PoolId{0},
                                              PoolId{3}}));
  EXPECT_EQ(all.ranked().front(), (Accumulator::Entry{PoolId{2}, 2}));
  EXPECT_TRUE(all.would_keep(INT64_MIN));
  all.clear();
  EXPECT_TRUE(all.ranked().empty());
}

TEST(Accumulator, KeepsOnlyTheBest) {
  Accumulator best(2);
  EXPECT_TRUE(best.push(PoolId{0}, 5));
  EXPECT_TRUE(best.would_keep(-1));
  EXPECT_TRUE(best.push(PoolId{1}, 5));
  EXPECT_FALSE(best.would_keep(5));
  EXPECT_FALSE(best.push(PoolId{2}, 5));  // of equal ones the first stays
  EXPECT_TRUE(best.push(PoolId{3}, 6));
  EXPECT_EQ(best.pools(), (std::vector<PoolId>{PoolId{3}, PoolId{0}}));
  Accumulator nothing(0);
  EXPECT_FALSE(nothing.push(PoolId{0}, INT64_MAX));
  EXPECT_TRUE(nothing.ranked().empty());
}

TEST(Accumulator, AgreesWithAStableSort) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    const std::size_t most = random() % 20;
    Accumulator best(most);
    std::vector<Accumulator::Entry> plain;
    for (std::uint32_t p = 0; p < 60; ++p) {
      plain.push_back({PoolId{p}, static_cast<std::int64_t>(random() % 10) - 5});
      best.push(plain.back().pool, plain.back().score);
      EXPECT_LE(best.size(), most);
    }
    std::stable_sort(plain.begin(), plain.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    plain.resize(most);
    EXPECT_EQ(best.ranked(), plain);
  }
}

// --- where

TEST(Where, ComparesBaseData) {
  const ResourceGraph g = machine();
  const PoolId node = at(g, "/cluster0/rack1/node2"),
               memory = at(g, "/cluster0/rack1/node2/socket0/memory0"),
               power = g.subsystem_root(subsystem(g, "power"));
  EXPECT_TRUE(where::type(g, "node")(node));
  EXPECT_FALSE(where::type(g, "node")(memory));
  EXPECT_FALSE(where::type(g, "unicorn")(node));
  EXPECT_TRUE(where::basename(g, "node")(node));
  EXPECT_FALSE(where::basename(g, "unicorn")(node));
  EXPECT_TRUE(where::name(g, "node2")(node));
  for (const char* wrong : {"", "node", "node22", "node3", "node02", "mode2"}) {
    EXPECT_FALSE(where::name(g, wrong)(node)) << wrong;
  }
  EXPECT_TRUE(where::id(g, Comparison::equal, 2)(node));
  EXPECT_TRUE(where::id(g, Comparison::at_most, 2)(node));
  EXPECT_FALSE(where::id(g, Comparison::less, 2)(node));
  EXPECT_TRUE(where::size(g, Comparison::at_least, 8)(memory));
  EXPECT_FALSE(where::size(g, Comparison::greater, 8)(memory));
  EXPECT_TRUE(where::size(g, Comparison::unequal, 8)(power));
  EXPECT_TRUE(where::all(where::type(g, "memory"), where::size(g, Comparison::less, 9))(memory));
  EXPECT_FALSE(where::all(where::type(g, "memory"), where::size(g, Comparison::less, 8))(memory));
  EXPECT_TRUE(where::any(where::type(g, "node"), where::type(g, "memory"))(memory));
  EXPECT_FALSE(where::none(where::type(g, "memory"))(memory));
}

TEST(Where, ComparesPropertiesAndTags) {
  ResourceGraph g = machine();
  const PoolId node = at(g, "/cluster0/rack1/node2");
  const auto arm = where::property(g, "arch", "arm"), has = where::property(g, "arch");
  const auto drained = where::tag(g, "drained"), since = where::tag(g, "since", "noon");
  EXPECT_FALSE(arm(node) || has(node) || drained(node) || since(node));
  g.set_property(node, "arch", "arm");
  g.set_tag(node, "drained");
  g.set_tag(node, "since", "dawn");
  EXPECT_TRUE(arm(node) && has(node) && drained(node));
  EXPECT_FALSE(since(node));
  g.set_property(node, "arch", "riscv");
  g.set_tag(node, "since", "noon");
  EXPECT_FALSE(arm(node));
  EXPECT_TRUE(has(node) && since(node));
  EXPECT_FALSE(has(g.root()));
}

TEST(Where, ANameWithoutANumberIsTheBasename) {
  GraphText t;
  t.child(t.pool({"cluster"}), {"core", -2});
  const ResourceGraph g = t.build();
  EXPECT_TRUE(where::name(g, "cluster")(g.root()));
  EXPECT_FALSE(where::name(g, "cluster-1")(g.root()));
  EXPECT_TRUE(where::name(g, "core-2")(PoolId{1}));
}

// The example of walker.hpp.
TEST(Walk, FindsTheBestOutsideARack) {
  const ResourceGraph g = machine();
  Accumulator best(1);
  const auto node = where::type(g, "node");
  walk(
      g, g.root(), g.dominant(),
      [&, rack0 = where::name(g, "rack0")](const Visited& at) {
        if (rack0(at.pool)) return Advance::skip_subtree;
        return node(at.pool) ? Advance::skip_below : Advance::go_on;
      },
      [&](const Visited& at) {
        if (node(at.pool)) best.push(at.pool, g.id(at.pool));
      });
  EXPECT_EQ(names_of(g, best.pools()), (Names{"node3"}));
}

}  // namespace
}  // namespace copse
