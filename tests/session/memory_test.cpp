// SPDX-License-Identifier: Apache-2.0
//
// Memory and storage of TreePool's scheduling key, counted in pieces.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include <fmt/format.h>

#include "session/machines.hpp"

namespace copse {
namespace {

std::string machine(std::string_view topo) {
  return fmt::format(R"({{"version": 1, "execution": {{"R_lite": [{{"rank": "0-1", "children":
    {{"core": "0-7", "gpu": "0-1"}}}}], "starttime": 0, "expiration": 0, "nodelist": ["n[0-1]"]}},
    "scheduling": {{"writer": "TreePool", "children": [{{"ranks": "0-1", "topo": {}}}]}}}})",
                     topo);
}

// Memory in the domains, storage of the node.
constexpr std::string_view kInDomains =
    R"({"numa": [{"cores": "0-3", "gpus": "0", "memory": 10},
                 {"cores": "4-7", "gpus": "1", "memory": 6}],
        "storage": [{"path": "/l/ssd", "capacity": 5}]})";
// Memory of the node, which its domains share.
constexpr std::string_view kOfNode =
    R"({"memory": 8, "numa": [{"cores": "0-3", "gpus": "0"}, {"cores": "4-7", "gpus": "1"}]})";

class Memory {
 public:
  explicit Memory(std::string_view topo, std::int64_t piece_gib = 1)
      : session(std::move(*session_of_r(machine(topo), piece_gib))) {}

  std::string ask(std::string_view line) {
    std::string out;
    session.answer(line, out);
    return out;
  }
  // The ranks and cores of what is granted, "0: 0-3", or the code of the refusal.
  std::string alloc(int id, std::string_view shape, int duration_s = 0, const char* op = "alloc") {
    const std::string answer = ask(fmt::format(
        R"({{"op": "{}", "id": {}, "shape": "{}", "duration": {}}})", op, id, shape, duration_s));
    const auto after = [&](std::string_view key, std::size_t from = 0) {
      const std::size_t at = answer.find(key, from);
      if (at == answer.npos) return std::string();
      return answer.substr(at + key.size(), answer.find('"', at + key.size()) - at - key.size());
    };
    if (answer.starts_with(R"({"error")")) return after(R"("error": ")");
    return after(R"("rank": ")") + ": " + after(R"("core": ")");
  }
  void free(int id) { EXPECT_EQ(ask(fmt::format(R"({{"op": "free", "id": {}}})", id)), "{}\n"); }

  // Pools of a type that grants have on each node.
  std::map<std::int32_t, std::int64_t> used(std::string_view type) const {
    const Engine& engine = session.engine();
    std::map<std::int32_t, std::int64_t> out;
    std::vector<ExpandedPool> pools;
    for (const JobId job : engine.jobs()) {
      expand(engine.graph(), engine.grant(job)->selection, pools);
      for (const ExpandedPool& e : pools) {
        if (e.exclusive && engine.graph().type_name(e.pool) == type) {
          ++out[engine.graph().rank(e.pool)];
        }
      }
    }
    return out;
  }

  Session session;
};

using Used = std::map<std::int32_t, std::int64_t>;

TEST(TreepoolMemory, IsAHintUnlessAskedFor) {
  Memory m(kInDomains, 0);
  for (int id = 1; id <= 16; ++id) EXPECT_NE(m.alloc(id, "slot=1/[core;memory=9]"), "insufficient");
  EXPECT_EQ(m.alloc(17, "slot=1/[core;memory=9]"), "insufficient");
  EXPECT_TRUE(m.used("memory").empty());
}

TEST(TreepoolMemory, ASlotHasItsCoresWhereItsMemoryIs) {
  Memory m(kInDomains);
  EXPECT_EQ(m.alloc(1, "slot=1/[core;memory=6]"), "0: 0");
  EXPECT_EQ(m.alloc(2, "slot=1/[core;memory=6]"), "0: 4");  // 4 GiB are left in the first domain
  EXPECT_EQ(m.alloc(3, "slot=1/[core;memory=6]"), "1: 0");
  EXPECT_EQ(m.alloc(4, "slot=1/[core;memory=4]"), "0: 1");
  EXPECT_EQ(m.alloc(5, "slot=1/[core;memory=11]"), "insufficient");
  EXPECT_EQ(m.alloc(6, "slot=1/core=2"), "0: 2-3");  // what asks for none gets what is left
  EXPECT_EQ(m.used("memory"), (Used{{0, 16}, {1, 6}}));
}

TEST(TreepoolMemory, SpreadsOverDomainsWhereNoneHasEnough) {
  Memory m(kInDomains);
  EXPECT_EQ(m.alloc(1, "slot=1/[core=2;memory=16]"), "0: 0-1");
  EXPECT_EQ(m.used("memory"), (Used{{0, 16}}));
  EXPECT_EQ(m.alloc(2, "slot=1/[core;memory=17]"), "infeasible");
  EXPECT_EQ(m.alloc(3, "node=2/slot/[core;memory=16]"), "insufficient");
  EXPECT_EQ(m.alloc(4, "node=3/slot/[core;memory=16]"), "infeasible");
}

TEST(TreepoolMemory, FreeGivesItBack) {
  Memory m(kInDomains);
  const std::uint64_t idle = m.session.engine().fingerprint();
  EXPECT_EQ(m.alloc(1, "node=2/slot=2/[core;gpu;memory=5;storage=2]"), "0-1: 0,4");
  EXPECT_EQ(m.used("memory"), (Used{{0, 10}, {1, 10}}));
  EXPECT_EQ(m.used("storage"), (Used{{0, 4}, {1, 4}}));
  EXPECT_EQ(m.alloc(2, "slot=1/[core;storage=2]"), "insufficient");
  EXPECT_EQ(m.alloc(3, "slot=1/[core;storage=1]"), "0: 1");
  m.free(1);
  m.free(3);
  EXPECT_EQ(m.session.engine().fingerprint(), idle);
  EXPECT_EQ(m.alloc(2, "node=2/slot/[core;memory=16;storage=5]"), "0-1: 0");
}

TEST(TreepoolMemory, IsPlannedInTime) {
  Memory m(kInDomains);
  EXPECT_EQ(m.alloc(1, "node=2/slot/[core;memory=16]", 100), "0-1: 0");
  EXPECT_EQ(m.alloc(2, "slot=1/[core;memory=1]", 10), "insufficient");
  EXPECT_EQ(m.alloc(3, "slot=1/[core;memory=12]", 50, "reserve"), "0: 0");
  EXPECT_EQ(m.session.engine().grant(3)->start, 100);
  EXPECT_EQ(m.alloc(4, "node=2/slot/[core;memory=5]", 10, "reserve"), "0-1: 0");
  EXPECT_EQ(m.session.engine().grant(4)->start, 150);
  EXPECT_EQ(m.alloc(5, "slot=1/core", 200), "0: 1");  // cores there are
  EXPECT_EQ(m.ask(R"({"op": "now", "t": 100})"), "{}\n");
  EXPECT_EQ(m.alloc(6, "slot=1/[core;memory=5]", 50), "1: 0");
}

TEST(TreepoolMemory, AWholeDomainHasItsOwn) {
  Memory m(kInDomains);
  EXPECT_EQ(m.alloc(1, "slot=1/[core;memory=10]"), "0: 0");
  EXPECT_EQ(m.alloc(2, "slot=1/numa{x}"), "0: 4-7");
  EXPECT_EQ(m.used("memory"), (Used{{0, 16}}));
  EXPECT_EQ(m.alloc(3, "slot=1/numa{x}"), "1: 0-3");
  EXPECT_EQ(m.alloc(4, "slot=1/[core;memory=7]"), "insufficient");
  EXPECT_EQ(m.alloc(5, "slot=1/[core;memory=6]"), "1: 4");
}

// Of memory that somebody has a domain's worth of cores does not make a domain.
TEST(TreepoolMemory, AWholeDomainIsNotGivenWithoutIt) {
  Memory m(kInDomains);
  EXPECT_EQ(m.alloc(1, "node=2/slot/[core=5;memory=11]"), "0-1: 0-4");
  EXPECT_EQ(m.alloc(2, "slot=1/numa{x}"), "insufficient");
  m.free(1);
  EXPECT_EQ(m.alloc(2, "slot=1/node{x}"), "0: 0-7");
  EXPECT_EQ(m.used("memory"), (Used{{0, 16}}));
  EXPECT_EQ(m.alloc(3, "slot=1/[core;memory=1]"), "1: 0");
  EXPECT_EQ(m.alloc(4, "slot=1/node{x}"), "insufficient");
}

TEST(TreepoolMemory, DomainsShareWhatIsOfTheNode) {
  Memory m(kOfNode);
  EXPECT_EQ(m.alloc(1, "slot=2/[core=3;memory=3]"), "0: 0-2,4-6");
  EXPECT_EQ(m.alloc(2, "slot=1/[core;memory=3]"), "1: 0");
  EXPECT_EQ(m.alloc(3, "slot=1/numa{x}"), "1: 4-7");  // which has no memory of its own
  EXPECT_EQ(m.alloc(4, "slot=1/numa/[core;memory=2]"), "0: 3");
  EXPECT_EQ(m.used("memory"), (Used{{0, 8}, {1, 3}}));
}

TEST(TreepoolMemory, IsTakenInWholePieces) {
  Memory m(kInDomains, 4);  // 2 pieces and 1; one of storage
  EXPECT_EQ(m.alloc(1, "slot=1/[core;memory=5]"), "0: 0");
  EXPECT_EQ(m.used("memory"), (Used{{0, 2}}));
  EXPECT_EQ(m.alloc(2, "slot=1/[core;memory=1]"), "0: 4");
  EXPECT_EQ(m.alloc(3, "slot=1/[core;memory=13]"), "infeasible");
  EXPECT_EQ(m.alloc(4, "slot=1/[core;memory=12]"), "1: 0");
  EXPECT_EQ(m.alloc(5, "slot=1/[core;storage=5]"), "infeasible");
  EXPECT_EQ(m.alloc(5, "slot=1/[core;storage=4]"), "0: 1");
}

TEST(TreepoolMemory, RefusesWhatItCannotCount) {
  Memory m(kInDomains);
  EXPECT_EQ(m.alloc(1, "slot=1/[core;memory=1{unit:MiB}]"), "invalid");
  EXPECT_EQ(m.alloc(1, "slot=1/[core;memory=1;memory=1]"), "invalid");
  EXPECT_EQ(m.alloc(1, "slot=1/[core;memory=1/core]"), "invalid");
  EXPECT_EQ(m.alloc(1, "slot=1/[core;memory=1{unit:GiB}]"), "0: 0");
  EXPECT_FALSE(session_of_r(machine(R"({"cores": "0-7", "memory": 5000})"), 1));
  EXPECT_TRUE(session_of_r(machine(R"({"cores": "0-7", "memory": 5000})"), 2));
  EXPECT_FALSE(session_of_r(
      machine(R"({"cores": "0-7", "storage": [{"path": "/", "capacity": 1, "unit": "TB"}]})"), 1));
}

// A slot is granted exactly if some node has as much free of everything.
TEST(TreepoolMemory, ByTheNumbersOfNodes) {
  for (const std::string_view topo : {kInDomains, kOfNode}) {
    Memory m(topo);
    const std::int64_t memory_all = topo == kInDomains ? 16 : 8;
    std::mt19937 random(5);
    std::vector<int> running;
    int refused = 0;
    for (int id = 1; id <= 1000; ++id) {
      const auto cores = static_cast<std::int64_t>(1 + random() % 3);
      const auto memory = static_cast<std::int64_t>(random() % 6);
      Used used_cores = m.used("core"), used_memory = m.used("memory");
      bool fits = false;
      for (const std::int32_t rank : {0, 1}) {
        fits = fits || (used_cores[rank] + cores <= 8 && used_memory[rank] + memory <= memory_all);
        ASSERT_LE(used_memory[rank], memory_all);
      }
      const std::string shape = memory == 0
                                    ? fmt::format("slot=1/core={}", cores)
                                    : fmt::format("slot=1/[core={};memory={}]", cores, memory);
      const std::string answer = m.alloc(id, shape);
      ASSERT_EQ(answer != "insufficient", fits) << shape;
      if (fits) running.push_back(id);
      refused += fits ? 0 : 1;
      if (running.size() > 3 && random() % 2 == 0) {
        std::swap(running[random() % running.size()], running.back());
        m.free(running.back());
        running.pop_back();
      }
    }
    EXPECT_GT(refused, 50);
    EXPECT_LT(refused, 900);
  }
}

}  // namespace
}  // namespace copse
