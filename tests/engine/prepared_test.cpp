// SPDX-License-Identifier: Apache-2.0
//
// Prepared requests of copse/engine.hpp, and requests and policies that read properties.
#include "copse/engine.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/jobs.hpp"
#include "engine/prepared_cache.hpp"

namespace copse {
namespace {

// --- Prepared requests

TEST(Engine, PreparesATextOnce) {
  EngineOptions options = with_policy("low");
  options.prepared_max = 2;
  const auto e = engine(options);
  PreparedRequest* a = *e->prepare(nodes(1));
  EXPECT_EQ(*e->prepare(nodes(1), "another name"), a);
  PreparedRequest* b = *e->prepare(nodes(2));
  EXPECT_NE(a, b);
  EXPECT_EQ(*e->prepare(nodes(1)), a);  // now nodes(2) is the least recently used
  ASSERT_TRUE(e->prepare(nodes(3)));
  EXPECT_EQ(*e->prepare(nodes(1)), a);
  ASSERT_TRUE(e->match(Operation::allocate, **e->prepare(nodes(2)), 1));  // prepared again
  EXPECT_EQ(e->grant(1)->selection.taken.size(), 4U);                     // cluster, rack, 2 nodes
}

TEST(Engine, KeepsOneAtLeast) {
  EngineOptions options = with_policy("low");
  options.prepared_max = 0;
  const auto e = engine(options);
  for (int n : {1, 2, 1}) ASSERT_TRUE(match(*e, Operation::without_allocating, nodes(n)));
}

TEST(PreparedCache, IsBoundedInBytes) {
  PreparedCache cache(100, 1'000);
  const std::string first(400, 'a'), second(400, 'b'), third(400, 'c'), large(5'000, 'd');
  cache.insert(first, {}, 0);
  cache.insert(second, {}, 0);
  EXPECT_NE(cache.find(first), nullptr);  // used later than the second
  cache.insert(third, {}, 0);
  EXPECT_EQ(cache.find(second), nullptr);
  EXPECT_NE(cache.find(first), nullptr);
  EXPECT_EQ(cache.bytes(), 800U);
  EXPECT_NE(cache.insert(large, {}, 0), nullptr);  // one is kept, whatever its size
  EXPECT_EQ(cache.find(first), nullptr);
  EXPECT_NE(cache.find(large), nullptr);
  cache.insert(first, {}, 0);
  EXPECT_EQ(cache.bytes(), 400U);
}

TEST(PreparedCache, KnowsTheTextsThatWereUsedLast) {
  constexpr std::size_t kTexts = 120, kKept = 50;
  PreparedCache cache(kKept, SIZE_MAX);
  std::vector<std::string> used;  // last one first
  std::mt19937 random(1);
  for (int step = 0; step < 20'000; ++step) {
    const std::string text = std::to_string(random() % kTexts);
    const auto at = std::ranges::find(used, text);
    PreparedRequest* found = cache.find(text);
    ASSERT_EQ(found != nullptr, at != used.end()) << step;
    if (at != used.end()) used.erase(at);
    if (found == nullptr) found = cache.insert(text, {}, 0);
    ASSERT_EQ(cache.find(text), found);
    used.insert(used.begin(), text);
    if (used.size() > kKept) used.pop_back();
  }
}

TEST(Engine, MatchesRequestsMadeByOtherMeans) {
  const auto e = engine();
  Request request;
  request.duration_s = 5;
  request.queue = "batch";
  request.resources.emplace_back().type = "slot";
  request.resources[0].with.emplace_back().type = "node";
  auto prepared = e->prepare(std::move(request));
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->request().queue, "batch");
  ASSERT_TRUE(e->match(Operation::allocate, *prepared, 1));
  EXPECT_EQ(e->grant(1)->end, 5);
  Request unknown;
  unknown.resources.emplace_back().type = "gadget";
  EXPECT_EQ(error_of(e->prepare(std::move(unknown))), "not_found");
}

// --- Properties

TEST(Engine, AsksConstraintsAgain) {
  const auto e = engine();
  const std::string text =
      job(slot("1", res("node")), "100", "constraints: {properties: [\"fast\"]}");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, text)), "infeasible");
  const PreparedRequest* prepared = *e->prepare(text);
  e->set_property(at(e->graph(), "/cluster0/rack1/node2"), "fast", "");
  EXPECT_EQ(*e->prepare(text), prepared);
  EXPECT_EQ(taken(*e, allocate(*e, text)), (Paths{"/rack1/node2"}));
  EXPECT_EQ(error_of(allocate(*e, text, 2)), "insufficient");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, text, 2)), "");
}

Score by_load(GraphView graph, PoolId pool) {
  const auto load = graph.property(pool, "load");
  return load ? std::stoll(std::string(*load)) : 100;
}

TEST(Engine, APolicyOfOnesOwnReadsProperties) {
  const auto e = engine({.policy = {.name = "idle", .prefer_high = false, .score = by_load}});
  const auto where = [&](const std::string& text) {
    return taken(*e, match(*e, Operation::without_allocating, text));
  };
  const std::string one = nodes(1), of_type = job(res("node", "1", "", ", exclusive: true"));
  EXPECT_EQ(where(one), (Paths{"/rack0/node0"}));  // equal scores: the graph's order
  e->set_property(at(e->graph(), "/cluster0/rack1/node3"), "load", "5");
  EXPECT_EQ(where(one), (Paths{"/rack1/node3"}));
  EXPECT_EQ(where(of_type).back(), "/rack1/node3");
  e->set_property(at(e->graph(), "/cluster0/rack0/node1"), "load", "4");
  EXPECT_EQ(where(one), (Paths{"/rack0/node1"}));
  EXPECT_EQ(where(of_type).back(), "/rack0/node1");
  e->set_property(at(e->graph(), "/cluster0/rack0/node1"), "load", "0");  // never chosen
  EXPECT_EQ(where(one), (Paths{"/rack1/node3"}));
  EXPECT_EQ(where(of_type).back(), "/rack1/node3");
}

// Enough nodes below one parent for a candidate list.
TEST(Engine, APolicyOfOnesOwnOnManyNodes) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (int n = 0; n < 300; ++n) t.child(t.child(cluster, {"node", n}), {"core", 0});
  const auto e =
      engine({.policy = {.name = "idle", .prefer_high = false, .score = by_load}}, t.build());
  const std::string text = job(res("node", "2", slot("1", res("core"))));
  EXPECT_EQ(taken(*e, allocate(*e, text, 1)), (Paths{"/node0/core0", "/node1/core0"}));
  e->set_property(at(e->graph(), "/cluster0/node299"), "load", "2");
  e->set_property(at(e->graph(), "/cluster0/node150"), "load", "1");
  EXPECT_EQ(taken(*e, allocate(*e, text, 2)), (Paths{"/node150/core0", "/node299/core0"}));
  EXPECT_EQ(taken(*e, allocate(*e, text, 3)), (Paths{"/node2/core0", "/node3/core0"}));
  ASSERT_TRUE(e->cancel(1));
  ASSERT_TRUE(e->cancel(2));
  EXPECT_EQ(taken(*e, allocate(*e, text, 4)), (Paths{"/node150/core0", "/node299/core0"}));
}

}  // namespace
}  // namespace copse
