// SPDX-License-Identifier: Apache-2.0
//
// Divisible pools: a slot takes exactly its units, and the rest of the pool is for others.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "copse/formats.hpp"
#include "copse/policy/visit.hpp"
#include "copse/save.hpp"
#include "engine/jobs.hpp"

namespace copse {
namespace {

// Nodes of this many cores and, each, one or two pools of memory.
ResourceGraph desk(int nodes, int cores, std::vector<std::int64_t> memory) {
  std::string text = R"({"graph": {"nodes": [)";
  std::string edges;
  int id = 0;
  const auto pool = [&](const std::string& type, int number, std::int64_t size, int rank,
                        const std::string& path, int parent) {
    const bool divisible = type == "memory";
    text += (id == 0 ? "" : ", ") + std::string("{\"id\": \"") + std::to_string(id) +
            "\", \"metadata\": {\"type\": \"" + type + "\", \"id\": " + std::to_string(number) +
            ", \"rank\": " + std::to_string(rank) + ", \"size\": " + std::to_string(size) +
            (divisible ? ", \"divisible\": true" : "") + ", \"paths\": {\"containment\": \"" +
            path + "\"}}}";
    if (parent >= 0) {
      edges += (edges.empty() ? "" : ", ") + std::string("{\"source\": \"") +
               std::to_string(parent) + "\", \"target\": \"" + std::to_string(id) + "\"}";
    }
    return id++;
  };
  const int root = pool("cluster", 0, 1, -1, "/cluster0", -1);
  for (int n = 0; n < nodes; ++n) {
    const std::string path = "/cluster0/node" + std::to_string(n);
    const int node = pool("node", n, 1, n, path, root);
    for (int c = 0; c < cores; ++c) {
      pool("core", c, 1, n, path + "/core" + std::to_string(c), node);
    }
    int number = 0;
    for (const std::int64_t size : memory) {
      pool("memory", number, size, n, path + "/memory" + std::to_string(number), node);
      ++number;
    }
  }
  auto graph = read_machine(text + "], \"edges\": [" + edges + "]}}");
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message());
  return std::move(*graph);
}

std::string core_and_memory(std::int64_t memory, const std::string& slots = "1",
                            const std::string& duration = "100") {
  return job(slot(slots, res("core") + ", " + res("memory", std::to_string(memory))), duration);
}

std::vector<std::int64_t> units(const Selection& selection) {
  std::vector<std::int64_t> out;
  for (const PoolAmount& amount : selection.amounts) out.push_back(amount.units);
  return out;
}

using Units = std::vector<std::int64_t>;
constexpr Traverser kWalks[] = {Traverser::simple, Traverser::flexible, Traverser::loop_aware};

TEST(Divisible, JobsFillAPoolToTheLastUnit) {
  for (const Traverser walk : kWalks) {
    for (const char* policy : {"low", "high", "first", "compact", "locality"}) {
      const auto e =
          engine({.policy = *find_policy(policy), .traverser = walk}, desk(1, 62, {248'000}));
      for (JobId id = 1; id <= 62; ++id) {
        const auto m = allocate(*e, core_and_memory(4'000), id);
        ASSERT_TRUE(m) << policy << " " << id << ": " << m.error().message();
        EXPECT_EQ(units(m->selection), Units{4'000});
      }
      EXPECT_FALSE(allocate(*e, core_and_memory(1), 63));
      const TypeId memory = e->graph().find_type("memory");
      EXPECT_EQ(e->free_units(e->graph().root(), memory), 0);
      ASSERT_TRUE(e->cancel(7));
      EXPECT_EQ(e->free_units(e->graph().root(), memory), 4'000);
      EXPECT_FALSE(allocate(*e, core_and_memory(4'001), 63));
      EXPECT_TRUE(allocate(*e, core_and_memory(4'000), 63));
    }
  }
}

TEST(Divisible, SlotsOfOneJobShareAPool) {
  for (const Traverser walk : kWalks) {
    const auto e = engine({.policy = *find_policy("low"), .traverser = walk}, desk(1, 4, {64'000}));
    const auto m = allocate(*e, core_and_memory(17'000, "3"));
    ASSERT_TRUE(m) << m.error().message();
    EXPECT_EQ(m->nslots, 3);
    EXPECT_EQ(units(m->selection), Units{51'000});
    EXPECT_FALSE(allocate(*e, core_and_memory(13'001), 2));
    EXPECT_TRUE(allocate(*e, core_and_memory(13'000), 2));
    const auto never =
        match(*e, Operation::allocate_with_satisfiability, core_and_memory(22'000, "3"), 3);
    ASSERT_FALSE(never);
    EXPECT_EQ(never.error().code, ErrorCode::infeasible);
  }
}

TEST(Divisible, ASlotMayHaveUnitsOfSeveralPools) {
  for (const Traverser walk : kWalks) {
    const auto e = engine({.policy = *find_policy("low"), .traverser = walk}, desk(1, 4, {10, 10}));
    const auto m = allocate(*e, core_and_memory(7, "2"));
    ASSERT_TRUE(m) << m.error().message();
    EXPECT_EQ(units(m->selection), (Units{10, 4}));
    EXPECT_TRUE(allocate(*e, core_and_memory(6), 2));
  }
}

TEST(Divisible, AWholeNodeNeedsAllOfItsMemory) {
  const auto e = engine(with_policy("low"), desk(2, 4, {100}));
  ASSERT_TRUE(allocate(*e, core_and_memory(1), 1));
  const auto whole = allocate(*e, nodes(1), 2);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(allocate(*e, nodes(1), 3));
  EXPECT_TRUE(units(whole->selection).empty());
  EXPECT_EQ(e->free_units(e->graph().root(), e->graph().find_type("memory")), 99);
}

TEST(Divisible, UnitsAreReservedInTime) {
  const auto e = engine(with_policy("low"), desk(1, 4, {100}));
  ASSERT_TRUE(allocate(*e, core_and_memory(60, "1", "50"), 1));
  ASSERT_TRUE(allocate(*e, core_and_memory(30, "1", "80"), 2));
  const auto at = [&](std::int64_t memory, JobId id) {
    const auto m =
        match(*e, Operation::allocate_orelse_reserve, core_and_memory(memory, "1", "10"), id);
    return m ? m->start : -1;
  };
  EXPECT_EQ(at(10, 3), 0);
  EXPECT_EQ(at(11, 4), 50);  // 60 + 30 + 11 do not fit, also when job 3 has ended
  EXPECT_EQ(at(71, 5), 80);
}

TEST(Divisible, PartsOfAGrantCanBeGivenBack) {
  const auto e = engine(with_policy("low"), desk(1, 4, {100}));
  const auto m = allocate(*e, core_and_memory(80), 1);
  ASSERT_TRUE(m);
  const PoolId memory = m->selection.amounts.at(0).pool;
  const std::vector<PoolId> pools{memory};
  const std::vector<PoolAmount> some{{memory, 50}};
  ASSERT_TRUE(e->cancel_part(1, {pools, some}));
  EXPECT_EQ(units(e->grant(1)->selection), Units{30});
  EXPECT_TRUE(allocate(*e, core_and_memory(70), 2));
  const auto rest = e->cancel_part(1, pools);
  ASSERT_TRUE(rest);
  EXPECT_FALSE(*rest);  // it keeps its core
  EXPECT_TRUE(units(e->grant(1)->selection).empty());
  EXPECT_TRUE(allocate(*e, core_and_memory(30), 3));
}

TEST(Divisible, AmountsOfOnePoolThatAreGivenBackAddUp) {
  const auto e = engine(with_policy("low"), desk(1, 4, {100}));
  const auto m = allocate(*e, core_and_memory(80), 1);
  ASSERT_TRUE(m);
  const PoolId memory = m->selection.amounts.at(0).pool;
  const std::vector<PoolId> pools{memory};
  const std::vector<PoolAmount> twice{{memory, 20}, {memory, 30}}, less{{memory, -5}};
  ASSERT_TRUE(e->cancel_part(1, {pools, twice}));
  EXPECT_EQ(units(e->grant(1)->selection), Units{30});
  ASSERT_TRUE(e->cancel_part(1, {pools, less}));
  EXPECT_EQ(units(e->grant(1)->selection), Units{30});
}

// A slot that a policy refuses does not take the place of one that it would accept.
Score not_core_0(Visit& visit) {
  const auto is_core_0 = [&](const FoundPools& f) {
    return f.type == "core" && visit.graph.id(f.pool) == 0;
  };
  if (visit.event != Visit::Event::slot) return visit.score;
  return std::ranges::any_of(visit.found(), is_core_0) ? 0 : visit.score;
}

TEST(Divisible, AnotherSlotIsFormedForOneThatAPolicyRefuses) {
  EngineOptions options{.policy = {.name = "no 0", .prefer_high = false, .visit = not_core_0}};
  const auto e = engine(std::move(options), desk(1, 3, {100}));
  const auto m = allocate(*e, core_and_memory(10, "2"));
  ASSERT_TRUE(m) << m.error().message();
  EXPECT_EQ(taken(*e, m), (Paths{"/node0/core1", "/node0/core2", "/node0/memory0"}));
}

TEST(Divisible, AnAnswerInJgfCanBeTakenAgain) {
  const auto e = engine(with_policy("low"), desk(1, 4, {100}));
  const auto m = allocate(*e, core_and_memory(30), 1);
  ASSERT_TRUE(m);
  const auto jgf = write_match(e->graph(), *m, "jgf");
  ASSERT_TRUE(jgf);
  EXPECT_NE(jgf->find(R"("size": 30, "divisible": true)"), std::string::npos) << *jgf;
  const auto simple = write_match(e->graph(), *m, "simple");
  ASSERT_TRUE(simple);
  EXPECT_NE(simple->find("memory0[30:x]"), std::string::npos) << *simple;
  // A sub-instance has a machine with that memory.
  auto part = read_machine(*jgf);
  ASSERT_TRUE(part) << part.error().message();
  const auto sub = engine(with_policy("low"), std::move(*part));
  EXPECT_FALSE(allocate(*sub, job(slot("1", res("memory", "31"))), 1));
  EXPECT_TRUE(allocate(*sub, job(slot("1", res("memory", "30"))), 1));
}

TEST(Divisible, SurviveASave) {
  const auto e = engine(with_policy("low"), desk(2, 4, {100}));
  ASSERT_TRUE(allocate(*e, core_and_memory(70), 1));
  const auto loaded = load(save(*e));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->engine->fingerprint(), e->fingerprint());
  EXPECT_EQ(units(loaded->engine->grant(1)->selection), Units{70});
  const auto copy = e->clone();
  for (Engine* one : {loaded->engine.get(), copy.get()}) {
    const auto m = allocate(*one, core_and_memory(31), 2);
    ASSERT_TRUE(m);
    EXPECT_NE(m->selection.amounts.at(0).pool, e->grant(1)->selection.amounts.at(0).pool);
  }
  EXPECT_EQ(e->grant_count(), 1U);
}

TEST(Divisible, ATypeIsDivisibleAsAWhole) {
  auto graph = desk(1, 2, {100});
  EXPECT_TRUE(graph.divisible(graph.find_type("memory")));
  EXPECT_FALSE(graph.divisible(graph.find_type("core")));
  const auto node = graph.set_divisible(graph.find_type("node"));
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().text, "node0 has pools below it, so node is not divisible");
  const std::string mixed =
      R"({"graph": {"nodes": [
        {"id": "0", "metadata": {"type": "cluster", "id": 0, "paths": {"containment": "/cluster0"}}},
        {"id": "1", "metadata": {"type": "memory", "id": 0, "size": 4, "divisible": true,
                                 "paths": {"containment": "/cluster0/memory0"}}},
        {"id": "2", "metadata": {"type": "memory", "id": 1, "size": 4,
                                 "paths": {"containment": "/cluster0/memory1"}}}],
      "edges": [{"source": "0", "target": "1"}, {"source": "0", "target": "2"}]}})";
  const auto read = read_machine(mixed);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text, "1 of 2 pools of type memory are divisible: make it all or none");
}

}  // namespace
}  // namespace copse
