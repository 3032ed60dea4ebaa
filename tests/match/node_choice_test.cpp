// SPDX-License-Identifier: Apache-2.0
//
// The policy compact compared with plain arithmetic; and slots of the top level on machines so
// large that places are skipped in blocks, compared with the walk that visits all.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "copse/formats.hpp"
#include "engine/jobs.hpp"

namespace copse {
namespace {

ResourceGraph flat(int nodes, int cores) {
  const std::string last = std::to_string(nodes - 1);
  auto graph = read_machine(R"({"version": 1, "execution": {"R_lite": [{"rank": "0-)" + last +
                            R"(", "children": {"core": "0-)" + std::to_string(cores - 1) +
                            R"("}}], "nodelist": ["node[0-)" + last +
                            R"(]"], "starttime": 0, "expiration": 0}})");
  EXPECT_TRUE(graph);
  return std::move(*graph);
}

std::string slots(std::int64_t count, std::int64_t cores = 1) {
  return job(slot(std::to_string(count), res("core", std::to_string(cores))), "0");
}

// The allocated cores of each node.
std::map<std::int64_t, int> cores_by_node(const Engine& e, const Match& match) {
  std::map<std::int64_t, int> out;
  std::vector<ExpandedPool> pools;
  expand(e.graph(), match.selection, pools);
  for (const ExpandedPool& p : pools) {
    if (e.graph().type_name(p.pool) == "core") ++out[e.graph().id(e.graph().parent(p.pool))];
  }
  return out;
}

std::string nodes_of(Engine& e, const std::string& text, JobId number) {
  const auto got = allocate(e, text, number);
  if (!got) return error_of(got);
  std::string out;
  for (const auto& [node, cores] : cores_by_node(e, *got)) {
    out += (out.empty() ? "" : " ") + std::to_string(node) + ":" + std::to_string(cores);
  }
  return out;
}

TEST(Compact, FillsNodesThatAreInUse) {
  auto e = engine(with_policy("compact"), flat(4, 8));
  EXPECT_EQ(nodes_of(*e, slots(5), 1), "0:5");
  EXPECT_EQ(nodes_of(*e, slots(6), 2), "1:6");  // not on node0, which has 3 free
  EXPECT_EQ(nodes_of(*e, slots(2), 3), "1:2");  // it fits exactly
  EXPECT_EQ(nodes_of(*e, slots(8), 4), "2:8");
  EXPECT_EQ(nodes_of(*e, slots(9), 5), "0:3 3:6");  // node0 has room for the last one
  EXPECT_EQ(nodes_of(*e, slots(3), 6), "insufficient");
  EXPECT_EQ(nodes_of(*e, slots(2), 7), "3:2");
}

TEST(Compact, CountsWholeSlots) {
  auto e = engine(with_policy("compact"), flat(4, 8));
  EXPECT_EQ(nodes_of(*e, slots(1, 3), 1), "0:3");
  EXPECT_EQ(nodes_of(*e, slots(2, 4), 2), "1:8");  // node0 has room for one
  EXPECT_EQ(nodes_of(*e, slots(1, 4), 3), "0:4");
}

TEST(Compact, SharesTheFullestNodesThatAreNamed) {
  auto e = engine(with_policy("compact"), flat(4, 8));
  EXPECT_EQ(nodes_of(*e, slots(8 + 4), 1), "0:8 1:4");
  const std::string two = job(res("node", "2", slot("1", res("core", "3"))), "0");
  EXPECT_EQ(nodes_of(*e, two, 2), "1:3 2:3");
}

// Flux's sched-simple: the node with the most free cores, then the lower id.
TEST(WorstFit, TakesTheNodesWithMostFree) {
  EngineOptions options = with_policy("compact");
  options.policy.most_free_first = true;
  auto e = engine(options, flat(3, 4));
  EXPECT_EQ(nodes_of(*e, slots(1), 1), "0:1");
  EXPECT_EQ(nodes_of(*e, slots(1), 2), "1:1");
  EXPECT_EQ(nodes_of(*e, slots(1), 3), "2:1");
  EXPECT_EQ(nodes_of(*e, slots(1, 3), 4), "0:3");
  EXPECT_EQ(nodes_of(*e, slots(1), 5), "1:1");
  const std::string two = job(res("node", "2", slot("1", res("core", "1"))), "0");
  EXPECT_EQ(nodes_of(*e, two, 6), "1:1 2:1");
  EXPECT_EQ(nodes_of(*e, slots(4), 7), "insufficient");
  EXPECT_EQ(nodes_of(*e, slots(3), 8), "1:1 2:2");
}

// Given the free cores of each node: the best-fitting node, or the fewest nodes.
void expect_fewest(std::vector<int> free, int wanted, const std::map<std::int64_t, int>& taken) {
  int best = INT_MAX;
  for (const int f : free) best = f >= wanted ? std::min(best, f) : best;
  if (best != INT_MAX) {
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(free[static_cast<std::size_t>(taken.begin()->first)], best);
    return;
  }
  std::sort(free.rbegin(), free.rend());
  std::size_t fewest = 0;
  for (int left = wanted; left > 0; left -= free[fewest++]) {
  }
  EXPECT_EQ(taken.size(), fewest);
}

TEST(Compact, TakesTheFewestNodes) {
  std::mt19937 dice(7);
  for (int round = 0; round < 40; ++round) {
    const int node_count = 2 + static_cast<int>(dice() % 12),
              core_count = 2 + static_cast<int>(dice() % 9);
    auto e = engine(with_policy("compact"), flat(node_count, core_count));
    std::vector<int> free(static_cast<std::size_t>(node_count), core_count);
    std::map<JobId, std::map<std::int64_t, int>> running;
    for (JobId number = 1; number < 60; ++number) {
      if (!running.empty() && dice() % 3 == 0) {
        const auto it =
            std::next(running.begin(), static_cast<std::ptrdiff_t>(dice() % running.size()));
        ASSERT_TRUE(e->cancel(it->first));
        for (const auto& [node, cores] : it->second) free[static_cast<std::size_t>(node)] += cores;
        running.erase(it);
      }
      const int wanted = 1 + static_cast<int>(dice() % static_cast<unsigned>(2 * core_count + 1));
      const auto got = allocate(*e, slots(wanted), number);
      ASSERT_EQ(got.has_value(), std::accumulate(free.begin(), free.end(), 0) >= wanted);
      if (!got) continue;
      running[number] = cores_by_node(*e, *got);
      expect_fewest(free, wanted, running[number]);
      for (const auto& [node, cores] : running[number])
        free[static_cast<std::size_t>(node)] -= cores;
    }
  }
}

// Nodes 0 and 1 have gpus, 2 and 3 have none.
ResourceGraph mixed() {
  auto graph = read_machine(
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0-7", )"
      R"("gpu": "0-1"}}, {"rank": "2-3", "children": {"core": "0-7"}}], "nodelist": )"
      R"(["node[0-3]"], "starttime": 0, "expiration": 0}})");
  EXPECT_TRUE(graph);
  return std::move(*graph);
}

TEST(Compact, LeavesNodesWithGpusToThoseWhoAskForGpus) {
  auto e = engine(with_policy("compact"), mixed());
  EXPECT_EQ(nodes_of(*e, slots(3), 1), "2:3");
  EXPECT_EQ(nodes_of(*e, slots(9), 2), "2:5 3:4");
  EXPECT_EQ(nodes_of(*e, job(slot("1", res("core", "1") + "," + res("gpu", "1")), "0"), 3), "0:1");
  EXPECT_EQ(nodes_of(*e, slots(4), 4), "3:4");
  EXPECT_EQ(nodes_of(*e, slots(2), 5), "0:2");  // the others are full
}

// The whole nodes that a request gets.
std::string whole_nodes_of(Engine& e, const char* count, JobId number) {
  const auto got = allocate(e, job(slot(count, res("node", "1")), "0"), number);
  if (!got) return error_of(got);
  std::vector<ExpandedPool> pools;
  expand(e.graph(), got->selection, pools);
  std::set<std::int64_t> nodes;
  for (const ExpandedPool& p : pools) {
    if (e.graph().type_name(p.pool) == "node") nodes.insert(e.graph().id(p.pool));
  }
  std::string out;
  for (const std::int64_t node : nodes) out += (out.empty() ? "" : " ") + std::to_string(node);
  return out;
}

TEST(Compact, TakesWholeNodesWithoutGpusFirst) {
  for (const char* const traverser : {"simple", "loop-aware"}) {
    EngineOptions options = with_policy("compact");
    options.traverser =
        std::string_view(traverser) == "simple" ? Traverser::simple : Traverser::loop_aware;
    auto e = engine(options, mixed());
    EXPECT_EQ(whole_nodes_of(*e, "1", 1), "2") << traverser;
    EXPECT_EQ(whole_nodes_of(*e, "2", 2), "0 1") << traverser;  // only one without gpus is left
    EXPECT_EQ(whole_nodes_of(*e, "1", 3), "3") << traverser;
  }
}

// Two engines, one of which visits every pool, get the same requests.
void expect_same_answers(const std::string& policy, unsigned seed) {
  std::mt19937 dice(seed);
  EngineOptions all = with_policy(policy);
  all.exhaustive = true;
  auto quick = engine(with_policy(policy), flat(200, 5)), thorough = engine(all, flat(200, 5));
  std::set<JobId> running;
  const TypeId core = quick->graph().find_type("core");
  const std::vector<PoolId> of_cores = quick->graph().of_type(core);
  for (JobId number = 1; number < 120; ++number) {
    if (!running.empty() && dice() % 3 == 0) {
      const JobId over =
          *std::next(running.begin(), static_cast<std::ptrdiff_t>(dice() % running.size()));
      ASSERT_TRUE(quick->cancel(over) && thorough->cancel(over));
      running.erase(over);
    }
    if (dice() % 4 == 0) {
      const PoolId pool = of_cores[dice() % of_cores.size()];
      const Status status = dice() % 2 == 0 ? Status::down : Status::up;
      quick->set_status(pool, status);
      thorough->set_status(pool, status);
    }
    const std::string text = slots(1 + static_cast<std::int64_t>(dice() % 60),
                                   1 + static_cast<std::int64_t>(dice() % 3));
    const auto a = allocate(*quick, text, number), b = allocate(*thorough, text, number);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) continue;
    ASSERT_EQ(taken(*quick, a), taken(*thorough, b)) << policy << " job " << number;
    running.insert(number);
  }
}

TEST(TopSlotPlaces, PassedOverInBlocksTheAnswerIsTheSame) {
  for (const char* const policy : {"low", "high", "lonode", "hinode", "variation", "compact"}) {
    for (unsigned seed = 1; seed <= 3; ++seed) expect_same_answers(policy, seed);
  }
}

}  // namespace
}  // namespace copse
