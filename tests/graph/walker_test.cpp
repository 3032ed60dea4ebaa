// SPDX-License-Identifier: Apache-2.0
#include "copse/walker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

using Names = std::vector<std::string>;

struct Trace {
  Names before, after;
  std::vector<std::uint32_t> depths;
};

constexpr auto go_on_always = [](const Visited&) { return true; };

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

TEST(Walk, PassesOverWhatIsPruned) {
  const ResourceGraph g = small();
  const Trace t = trace(g, g.root(), g.dominant(),
                        [&](const Visited& at) { return g.name(at.pool) != "node0"; });
  EXPECT_EQ(t.before, (Names{"cluster0", "node0", "node1", "core0", "gpu0"}));
  EXPECT_EQ(t.after, (Names{"core0", "gpu0", "node1", "cluster0"}));
  EXPECT_TRUE(trace(g, g.root(), g.dominant(), [](const Visited&) { return false; }).after.empty());
}

TEST(Walk, VisitsAPoolWithSeveralParentsOnce) {
  const ResourceGraph g = machine();
  const SubsystemId power = subsystem(g, "power");
  const Trace t = trace(g, g.subsystem_root(power), power, go_on_always);
  EXPECT_EQ(t.before, (Names{"power0", "pdu0", "node0", "node1", "pdu1", "node2", "node3"}));
  EXPECT_EQ(t.after, (Names{"node0", "node1", "pdu0", "node2", "node3", "pdu1", "power0"}));
  // The other end has the edge as well.
  EXPECT_EQ(trace(g, at(g, "/power0/pdu1"), power, go_on_always).before,
            (Names{"pdu1", "node1", "node2", "node3"}));
}

TEST(Walk, MayStartASubWalkInAnotherSubsystem) {
  const ResourceGraph g = machine();
  const TypeId node = g.find_type("node"), core = g.find_type("core");
  Names found;
  walk(g, g.subsystem_root(subsystem(g, "power")), subsystem(g, "power"), go_on_always,
       [&](const Visited& at) {
         if (g.type(at.pool) != node) return;
         int cores = 0;
         walk(g, at.pool, g.dominant(), go_on_always,
              [&](const Visited& below) { cores += g.type(below.pool) == core ? 1 : 0; });
         found.push_back(g.name(at.pool) + ":" + std::to_string(cores));
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
  walk(g, g.root(), s, go_on_always, [&](const Visited& at) {
    deepest = std::max(deepest, at.depth);
    ++visits;
  });
  EXPECT_EQ(visits, static_cast<std::uint32_t>(kLength));
  EXPECT_EQ(deepest, static_cast<std::uint32_t>(kLength - 1));
}

// The reference: plain recursion.
struct Recursive {
  const ResourceGraph& g;
  SubsystemId s;
  const std::vector<bool>& pruned;  // by pool
  std::set<PoolId> met;
  std::vector<PoolId> before, after;

  void run(PoolId p) {
    met.insert(p);
    before.push_back(p);
    if (pruned[p.v]) return;
    for (PoolId c : g.children(p, s)) {
      if (!met.contains(c)) run(c);
    }
    after.push_back(p);
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
    for (std::uint32_t i = 1; i < 2 * pools; ++i) {  // from lower to higher numbers: no cycle
      const std::uint32_t from = below(pools), to = below(pools);
      if (from < to && joined.insert({from, to}).second) t.edge(from, to, "other");
    }
    t.builder.subsystem("other").value();
    const ResourceGraph g = t.build();
    std::vector<bool> pruned(pools);
    for (std::uint32_t i = 0; i < pools; ++i) pruned[i] = below(8) == 0;
    for (const SubsystemId s : {g.dominant(), subsystem(g, "other")}) {
      const PoolId start{below(pools)};
      Recursive plain{g, s, pruned, {}, {}, {}};
      plain.run(start);
      std::vector<PoolId> before, after;
      walk(
          g, start, s,
          [&](const Visited& at) {
            before.push_back(at.pool);
            return !pruned[at.pool.v];
          },
          [&](const Visited& at) { after.push_back(at.pool); });
      EXPECT_EQ(before, plain.before);
      EXPECT_EQ(after, plain.after);
    }
  }
}

// Compared with sorting everything.
TEST(Accumulator, KeepsTheBestInOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t k = random() % 8;
    Accumulator<std::size_t> best(k);
    std::vector<std::pair<std::int64_t, std::size_t>> all;
    for (std::size_t item = 0; item < random() % 30; ++item) {
      const std::int64_t score = static_cast<std::int64_t>(random() % 5) - 2;
      all.emplace_back(score, item);
      best.add(score, item);
      std::ranges::stable_sort(all, std::ranges::greater(),
                               [](const auto& entry) { return entry.first; });
      EXPECT_EQ(best.size(), std::min(k, all.size()));
      EXPECT_EQ(best.takes(0), k > 0 && (all.size() < k || all[k - 1].first < 0));
    }
    all.resize(std::min(k, all.size()));
    EXPECT_EQ(best.take(), all);
    EXPECT_EQ(best.size(), 0U);
  }
}

TEST(Accumulator, TakesWhatAWalkFinds) {
  const ResourceGraph g = machine();
  Accumulator<PoolId> largest(2);
  walk(
      g, g.root(), g.dominant(), [](const Visited&) { return true; },
      [&](const Visited& at) { largest.add(g.size(at.pool), at.pool); });
  std::vector<std::string> names;
  for (const auto& [score, pool] : largest.take()) {
    names.push_back(g.path(pool, g.dominant()) + " " + std::to_string(score));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"/cluster0/rack0/node0/socket0/memory0 8",
                                             "/cluster0/rack0/node0/socket1/memory0 8"}));
}

}  // namespace
}  // namespace copse
