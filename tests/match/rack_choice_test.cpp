// SPDX-License-Identifier: Apache-2.0
//
// The policy few-racks, compared with every choice there is on small machines.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "engine/jobs.hpp"

namespace copse {
namespace {

struct Levels {
  std::vector<std::pair<const char*, int>> counts;  // from the top: type, children of each
  int cores = 2, gpus = 0;                          // of a node; 0 cores: nodes are leaves
};

void add_level(GraphText& text, const Levels& levels, std::size_t level, GraphBuilder::Handle above,
               std::map<std::string, int>& ids) {
  if (level == levels.counts.size()) {
    for (int c = 0; c < levels.cores; ++c) text.child(above, {.type = "core", .id = c});
    for (int g = 0; g < levels.gpus; ++g) text.child(above, {.type = "gpu", .id = g});
    return;
  }
  const auto& [type, count] = levels.counts[level];
  for (int c = 0; c < count; ++c) {
    const auto made = text.child(above, {.type = type, .id = ids[type]++});
    add_level(text, levels, level + 1, made, ids);
  }
}

ResourceGraph machine_of(const Levels& levels) {
  GraphText text;
  std::map<std::string, int> ids;
  const auto root = text.pool({.type = "cluster", .id = 0});
  add_level(text, levels, 0, root, ids);
  return text.build();
}

std::vector<PoolId> nodes_of(const Engine& e, const Match& match) {
  std::vector<ExpandedPool> pools;
  expand(e.graph(), match.selection, pools);
  std::vector<PoolId> out;
  for (const ExpandedPool& p : pools) {
    if (e.graph().type_name(p.pool) == "node") out.push_back(p.pool);
  }
  return out;
}

std::string ids_of(Engine& e, const std::string& text, JobId number) {
  const auto got = allocate(e, text, number);
  if (!got) return error_of(got);
  std::string out;
  for (const PoolId node : nodes_of(e, *got)) {
    out += (out.empty() ? "" : " ") + std::to_string(e.graph().id(node));
  }
  return out;
}

std::string slots(int count, int cores = 1) {
  return job(slot(std::to_string(count), res("core", std::to_string(cores))), "0");
}
std::string whole(int count) { return nodes(count, "0"); }

std::unique_ptr<Engine> few_racks(const Levels& levels, const std::string& policy = "few-racks") {
  return engine(with_policy(policy), machine_of(levels));
}

const Levels kThreeRacks{{{"rack", 3}, {"node", 4}}};

TEST(FewRacks, TakesTheRackWithLeastRoomThatHoldsTheJob) {
  auto e = few_racks(kThreeRacks);
  EXPECT_EQ(ids_of(*e, whole(3), 1), "0 1 2");
  EXPECT_EQ(ids_of(*e, whole(2), 2), "4 5");  // not node3 and another rack
  EXPECT_EQ(ids_of(*e, whole(2), 3), "6 7");  // it fits exactly
  EXPECT_EQ(ids_of(*e, whole(1), 4), "3");
  EXPECT_EQ(ids_of(*e, whole(4), 5), "8 9 10 11");
  EXPECT_EQ(ids_of(*e, whole(1), 6), "insufficient");
}

TEST(FewRacks, TakesTheFullestFreeRacksAndTheLastByBestFit) {
  auto e = few_racks(kThreeRacks);
  EXPECT_EQ(ids_of(*e, whole(3), 1), "0 1 2");
  EXPECT_EQ(ids_of(*e, whole(5), 2), "3 4 5 6 7");  // not a node of the third rack
  EXPECT_EQ(ids_of(*e, whole(4), 3), "8 9 10 11");
}

TEST(FewRacks, StaysInTheLowestLevelThatHoldsTheJob) {
  const Levels levels{{{"block", 2}, {"rack", 2}, {"node", 4}}};
  auto e = few_racks(levels);
  EXPECT_EQ(ids_of(*e, whole(6), 1), "0 1 2 3 4 5");
  // Two free nodes in a rack of the first block; four in each rack of the second.
  EXPECT_EQ(ids_of(*e, whole(5), 2), "8 9 10 11 12");
  EXPECT_EQ(ids_of(*e, whole(3), 3), "13 14 15");
  EXPECT_EQ(ids_of(*e, whole(2), 4), "6 7");
}

TEST(FewRacks, OfEqualRacksTakesThatOfTheFullestBlock) {
  const Levels levels{{{"block", 2}, {"rack", 2}, {"node", 2}}};
  auto e = few_racks(levels);
  EXPECT_EQ(ids_of(*e, whole(2), 1), "0 1");
  EXPECT_EQ(ids_of(*e, whole(2), 2), "2 3");
  EXPECT_EQ(ids_of(*e, whole(2), 3), "4 5");
  ASSERT_TRUE(e->cancel(2));
  ASSERT_TRUE(e->cancel(1));
  EXPECT_EQ(ids_of(*e, whole(1), 4), "6");
}

TEST(FewRacks, NodesMayBeLeaves) {
  auto e = few_racks({{{"rack", 3}, {"node", 4}}, 0});
  e->set_status(at(e->graph(), "/cluster0/rack0/node1"), Status::down);
  EXPECT_EQ(ids_of(*e, whole(4), 1), "4 5 6 7");
  EXPECT_EQ(ids_of(*e, whole(2), 2), "0 2");
  e->set_status(at(e->graph(), "/cluster0/rack0/node1"), Status::up);
  EXPECT_EQ(ids_of(*e, whole(2), 3), "1 3");
}

TEST(FewRacks, FillsNodesThatAreInUse) {
  auto e = few_racks({{{"rack", 2}, {"node", 2}}, 8});
  EXPECT_EQ(ids_of(*e, slots(5), 1), "0");
  EXPECT_EQ(ids_of(*e, slots(6), 2), "1");  // the rack with least free
  EXPECT_EQ(ids_of(*e, slots(2), 3), "1");
  EXPECT_EQ(ids_of(*e, slots(10), 4), "2 3");  // not node0, which has 3 free
  EXPECT_EQ(ids_of(*e, slots(7), 5), "0 3");   // no rack has 7: 6 and the rest, by best fit
}

TEST(FewRacks, SharesTheFullestNodesOfTheRack) {
  auto e = few_racks({{{"rack", 2}, {"node", 3}}, 4});
  const std::string two = job(res("node", "2", slot("1", res("core", "1"))), "0");
  const std::string one = job(res("node", "1", slot("1", res("core", "2"))), "0");
  EXPECT_EQ(ids_of(*e, one, 1), "0");
  EXPECT_EQ(ids_of(*e, two, 2), "0 1");
  EXPECT_EQ(ids_of(*e, two, 3), "0 1");
  EXPECT_EQ(ids_of(*e, two, 4), "1 2");
}

TEST(FewRacks, PutsSlotsOfGpusOnFewNodes) {
  auto e = few_racks({{{"rack", 2}, {"node", 2}}, 4, 2});
  const std::string one = job(slot("1", res("core", "1") + "," + res("gpu", "1")), "0");
  const std::string three = job(slot("3", res("core", "1") + "," + res("gpu", "1")), "0");
  EXPECT_EQ(ids_of(*e, one, 1), "0");
  EXPECT_EQ(ids_of(*e, three, 2), "0 1");
  EXPECT_EQ(ids_of(*e, three, 3), "2 3");
  EXPECT_EQ(ids_of(*e, one, 4), "3");
}

// Racks 0 to 2 have h100 on one, three and four nodes; the other GPUs are a100.
TEST(FewRacks, CountsDevicesOfTheType) {
  auto e = few_racks({{{"rack", 3}, {"node", 4}}, 4, 2});
  const ResourceGraph& graph = e->graph();
  for (const PoolId gpu : graph.of_type(graph.find_type("gpu"))) {
    const std::int64_t node = graph.id(graph.parent(gpu));
    const bool h100 = node == 2 || (node >= 4 && node < 7) || node >= 8;
    e->set_property(gpu, h100 ? "h100" : "a100", "");
  }
  const auto of = [](const char* count, const char* type) {
    const std::string gpu = res("gpu", "2", "", std::string(", properties: [") + type + "]");
    return job(res("node", count, slot("1", res("core", "1") + "," + gpu)), "0");
  };
  EXPECT_EQ(ids_of(*e, of("3", "h100"), 1), "4 5 6");
  EXPECT_EQ(ids_of(*e, of("4", "h100"), 2), "8 9 10 11");
  EXPECT_EQ(ids_of(*e, of("3", "a100"), 3), "0 1 3");
  EXPECT_EQ(ids_of(*e, of("1", "h100"), 4), "2");
  EXPECT_EQ(ids_of(*e, of("2", "a100"), 5), "insufficient");
}

TEST(FewRacks, NamedRacksAreThoseThatFitBest) {
  auto e = few_racks(kThreeRacks);
  EXPECT_EQ(ids_of(*e, whole(2), 1), "0 1");
  const auto racks = [](const char* count, const char* of_each) {
    return job(res("rack", count, slot(of_each, res("node"))), "0");
  };
  EXPECT_EQ(ids_of(*e, racks("1", "3"), 2), "4 5 6");
  EXPECT_EQ(ids_of(*e, racks("1", "2"), 3), "2 3");
  EXPECT_EQ(ids_of(*e, racks("2", "1"), 4), "7 8");
  ASSERT_TRUE(e->cancel(4));
  // A range of racks takes as few as it may.
  EXPECT_EQ(ids_of(*e, racks("{min: 1, max: 3, operator: \"+\", operand: 1}", "1"), 5), "7");
}

TEST(FewRacks, SlotsOfSeveralNodesAreInOneRackEach) {
  auto e = few_racks(kThreeRacks);
  EXPECT_EQ(ids_of(*e, whole(1), 1), "0");
  EXPECT_EQ(ids_of(*e, job(slot("1", res("node", "3")), "0"), 2), "1 2 3");
  EXPECT_EQ(ids_of(*e, job(slot("2", res("node", "2")), "0"), 3), "4 5 6 7");
}

// Amounts do not show that a core is down.
TEST(FewRacks, ACoreThatIsDownLeadsToAnotherRack) {
  auto e = few_racks({{{"rack", 3}, {"node", 4}}, 2});
  EXPECT_EQ(ids_of(*e, whole(2), 1), "0 1");
  e->set_status(at(e->graph(), "/cluster0/rack0/node2/core1"), Status::down);
  const std::string two = job(slot("2", res("node", "1", res("core", "2"))), "0");
  EXPECT_EQ(ids_of(*e, two, 2), "4 5");  // not node3 and one of another rack
}

TEST(FewRacks, ARangeOfNodesTakesTheMost) {
  auto e = few_racks(kThreeRacks);
  EXPECT_EQ(ids_of(*e, whole(3), 1), "0 1 2");
  const std::string some = job(slot("{min: 1, max: 4, operator: \"+\", operand: 1}", res("node")));
  EXPECT_EQ(ids_of(*e, some, 2), "4 5 6 7");
}

// Takes every node but these.
void leave_free(Engine& e, std::size_t nodes, const std::set<std::int64_t>& ids) {
  std::map<std::int64_t, JobId> job_of;
  for (JobId number = 1; number <= nodes; ++number) {
    const auto got = allocate(e, whole(1), number);
    ASSERT_TRUE(got);
    job_of[e.graph().id(nodes_of(e, *got).front())] = number;
  }
  for (const std::int64_t id : ids) ASSERT_TRUE(e.cancel(job_of.at(id)));
}

TEST(KeepLarge, TakesTheRackOfTheSmallerBlock) {
  const Levels levels{{{"block", 2}, {"rack", 2}, {"node", 4}}};
  // Free: 2 and 4 nodes of the racks of the first block, 3 of one rack of the second.
  const std::set<std::int64_t> free{0, 1, 4, 5, 6, 7, 8, 9, 10};
  auto fits = few_racks(levels), keeps = few_racks(levels, "keep-large");
  leave_free(*fits, 16, free);
  leave_free(*keeps, 16, free);
  EXPECT_EQ(ids_of(*fits, whole(2), 100), "0 1");
  EXPECT_EQ(ids_of(*keeps, whole(2), 100), "8 9");
}

TEST(KeepLarge, TakesSmallRacksTogether) {
  const std::set<std::int64_t> free{0, 1, 2, 3, 4, 5, 6, 8, 9};  // 4, 3 and 2 of the racks
  auto fits = few_racks(kThreeRacks), keeps = few_racks(kThreeRacks, "keep-large");
  leave_free(*fits, 12, free);
  leave_free(*keeps, 12, free);
  EXPECT_EQ(ids_of(*fits, whole(5), 100), "0 1 2 3 8");
  EXPECT_EQ(ids_of(*keeps, whole(5), 100), "4 5 6 8 9");
}

// --- Every choice there is

// The idle and usable nodes of each pool of a type.
std::vector<int> idle_by(const Engine& e, const std::set<PoolId>& busy, const char* type) {
  std::vector<int> out;
  const ResourceGraph& g = e.graph();
  for (const PoolId over : g.of_type(g.find_type(type))) {
    int idle = 0;
    for (const PoolId node : g.of_type(g.find_type("node"))) {
      bool up = true;
      for (PoolId p = node; p != kNoPool; p = g.parent(p)) up = up && e.status(p) == Status::up;
      idle += g.below(node, over) && up && !busy.contains(node) ? 1 : 0;
    }
    out.push_back(idle);
  }
  return out;
}

// The least number of racks with this many idle nodes: of all sets of racks.
int least_racks(const std::vector<int>& idle, int wanted) {
  int least = INT_MAX;
  for (unsigned set = 0; set < 1U << idle.size(); ++set) {
    int sum = 0, racks = 0;
    for (std::size_t r = 0; r < idle.size(); ++r) {
      if (((set >> r) & 1U) == 0) continue;
      sum += idle[r];
      ++racks;
    }
    if (sum >= wanted) least = std::min(least, racks);
  }
  return least;
}

int count_above(const Engine& e, const std::vector<PoolId>& nodes, const char* type) {
  std::set<PoolId> over;
  for (PoolId up : nodes) {
    while (up != kNoPool && e.graph().type_name(up) != type) up = e.graph().parent(up);
    over.insert(up);
  }
  return static_cast<int>(over.size());
}

// Jobs come and go, nodes and racks fail; `check` sees each choice before it is booked.
template <class Check>
void run_jobs(Engine& e, unsigned seed, int jobs, Check check) {
  std::mt19937 dice(seed);
  const ResourceGraph& g = e.graph();
  const std::vector<PoolId> all = g.of_type(g.find_type("node"));
  const std::vector<PoolId> racks = g.of_type(g.find_type("rack"));
  std::map<JobId, std::vector<PoolId>> running;
  std::set<PoolId> busy;
  for (JobId number = 1; number < static_cast<JobId>(jobs); ++number) {
    if (!running.empty() && dice() % 5 < 2) {
      const auto over =
          std::next(running.begin(), static_cast<std::ptrdiff_t>(dice() % running.size()));
      ASSERT_TRUE(e.cancel(over->first));
      running.erase(over);
    }
    busy.clear();  // several jobs may be on a node
    for (const auto& [job, of_job] : running) busy.insert(of_job.begin(), of_job.end());
    if (dice() % 8 == 0) {
      e.set_status(all[dice() % all.size()], dice() % 2 == 0 ? Status::down : Status::up);
    }
    if (dice() % 30 == 0) {
      e.set_status(racks[dice() % racks.size()], dice() % 2 == 0 ? Status::down : Status::up);
    }
    const int wanted = 1 + static_cast<int>(dice() % (dice() % 3 == 0 ? all.size() : 5));
    // Some jobs share nodes: these are busy for whole-node jobs.
    const bool shares = dice() % 6 == 0 && g.find_type("core") != kNoType;
    const auto got = shares ? allocate(e, slots(1), number) : allocate(e, whole(wanted), number);
    if (!shares) check(busy, wanted, got);
    if (!got) continue;
    running[number] = nodes_of(e, *got);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FewRacks, NoChoiceHadFewerRacks) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    for (const char* const policy : {"few-racks", "compact", "keep-large"}) {
      const Levels levels{
          {{"rack", 2 + static_cast<int>(seed % 5)}, {"node", 1 + static_cast<int>(seed % 6)}},
          static_cast<int>(seed % 3)};
      auto e = few_racks(levels, policy);
      run_jobs(*e, seed, 120, [&](const std::set<PoolId>& busy, int wanted, const Matched& got) {
        const std::vector<int> idle = idle_by(*e, busy, "rack");
        const bool fits = std::accumulate(idle.begin(), idle.end(), 0) >= wanted;
        ASSERT_EQ(got.has_value(), fits) << policy << " seed " << seed;
        if (!fits) return;
        const std::vector<PoolId> nodes = nodes_of(*e, *got);
        ASSERT_EQ(nodes.size(), static_cast<std::size_t>(wanted));
        EXPECT_EQ(count_above(*e, nodes, "rack"), least_racks(idle, wanted))
            << policy << " seed " << seed;
      });
    }
  }
}

// At several levels, a job is in one pool of the lowest level of which one has room for it; and of
// these, in one with the least room.
TEST(FewRacks, NoLowerLevelHadRoom) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Levels levels{{{"block", 2 + static_cast<int>(seed % 2)},
                         {"row", 2},
                         {"rack", 1 + static_cast<int>(seed % 3)},
                         {"node", 3}},
                        2};
    auto e = few_racks(levels);
    run_jobs(*e, seed, 120, [&](const std::set<PoolId>& busy, int wanted, const Matched& got) {
      if (!got) return;
      const std::vector<PoolId> nodes = nodes_of(*e, *got);
      for (const char* const type : {"rack", "row", "block"}) {
        const std::vector<int> idle = idle_by(*e, busy, type);
        int least = INT_MAX;
        for (const int room : idle) least = room >= wanted ? std::min(least, room) : least;
        if (least == INT_MAX) continue;
        ASSERT_EQ(count_above(*e, nodes, type), 1) << type << " seed " << seed;
        PoolId over = nodes[0];
        while (e->graph().type_name(over) != type) over = e->graph().parent(over);
        const std::vector<PoolId> all = e->graph().of_type(e->graph().find_type(type));
        const auto at = static_cast<std::size_t>(std::ranges::find(all, over) - all.begin());
        EXPECT_EQ(idle[at], least) << type << " seed " << seed;
        return;
      }
    });
  }
}

// Slots of one core: a job is on the node with the least free cores that hold it; else in the rack with
// the least; else in as few racks as possible.
TEST(FewRacks, SlotsOfCoresFitBest) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 dice(seed);
    const std::size_t rack_count = 2 + seed % 3, of_rack = 1 + seed % 5;
    const int core_count = seed % 4 == 0 ? 70 : 4;  // more than a mask tells apart
    auto e =
        few_racks({{{"rack", static_cast<int>(rack_count)}, {"node", static_cast<int>(of_rack)}},
                   core_count});
    std::vector<int> free(rack_count * of_rack, core_count);  // by id of the node
    std::map<JobId, std::map<std::size_t, int>> running;
    for (JobId number = 1; number < 150; ++number) {
      if (!running.empty() && dice() % 5 < 2) {
        const auto over =
            std::next(running.begin(), static_cast<std::ptrdiff_t>(dice() % running.size()));
        ASSERT_TRUE(e->cancel(over->first));
        for (const auto& [node, cores] : over->second) free[node] += cores;
        running.erase(over);
      }
      const int most = dice() % 4 == 0 ? core_count * 4 : core_count;
      const int wanted = 1 + static_cast<int>(dice() % static_cast<unsigned>(most));
      const auto got = allocate(*e, slots(wanted), number);
      ASSERT_EQ(got.has_value(), std::accumulate(free.begin(), free.end(), 0) >= wanted);
      if (!got) continue;
      std::map<std::size_t, int>& cores = running[number];
      std::vector<ExpandedPool> pools;
      expand(e->graph(), got->selection, pools);
      for (const ExpandedPool& p : pools) {
        if (e->graph().type_name(p.pool) != "core") continue;
        ++cores[static_cast<std::size_t>(e->graph().id(e->graph().parent(p.pool)))];
      }
      std::vector<int> of_racks(rack_count, 0);
      std::set<std::size_t> racks;
      for (std::size_t n = 0; n < free.size(); ++n) of_racks[n / of_rack] += free[n];
      for (const auto& [node, count] : cores) racks.insert(node / of_rack);
      const auto least_holding = [&](const std::vector<int>& rooms) {
        int least = INT_MAX;
        for (const int room : rooms) least = room >= wanted ? std::min(least, room) : least;
        return least;
      };
      if (const int least = least_holding(free); least != INT_MAX) {
        ASSERT_EQ(cores.size(), 1U) << "seed " << seed << " job " << number;
        EXPECT_EQ(free[cores.begin()->first], least) << "seed " << seed << " job " << number;
      } else if (const int rack = least_holding(of_racks); rack != INT_MAX) {
        ASSERT_EQ(racks.size(), 1U) << "seed " << seed << " job " << number;
        EXPECT_EQ(of_racks[*racks.begin()], rack) << "seed " << seed << " job " << number;
      } else {
        EXPECT_EQ(racks.size(), static_cast<std::size_t>(least_racks(of_racks, wanted)));
      }
      for (const auto& [node, count] : cores) free[node] -= count;
    }
  }
}

}  // namespace
}  // namespace copse
