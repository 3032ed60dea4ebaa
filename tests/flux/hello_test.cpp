// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "flux/scheduler.hpp"

namespace copse::flux {
namespace {

constexpr std::int64_t kLoaded_s = 2'000'000;

class HelloManager final : public JobManager {
 public:
  void succeed(JobId job, const std::string& r, const std::string&) override { started[job] = r; }
  void annotate(JobId, const std::string&) override {}
  void deny(JobId job, const std::string& note) override { ADD_FAILURE() << job << ": " << note; }
  void cancelled(JobId) override {}
  void complain(const std::string& line) override { ADD_FAILURE() << line; }
  std::map<JobId, std::string> started;
};

// Two nodes, each with two cores, a disk, and eight units of memory that jobs share.
std::string two_nodes_with_memory() {
  std::vector<std::string> pools, edges;
  const auto add = [&](int above, std::string_view type, int id, int rank, std::string_view path,
                       std::string_view more = R"("size":1)") {
    const std::size_t number = pools.size();
    pools.push_back(fmt::format(
        R"({{"id":"{}","metadata":{{"type":"{}","name":"{}","id":{},"rank":{},{},"paths":{{"containment":"{}"}}}}}})",
        number, type, path.substr(path.rfind('/') + 1), id, rank, more, path));
    if (above >= 0)
      edges.push_back(fmt::format(R"({{"source":"{}","target":"{}"}})", above, number));
    return static_cast<int>(number);
  };
  const int cluster = add(-1, "cluster", 0, -1, "/cluster0");
  for (int rank = 0; rank < 2; ++rank) {
    const std::string path = fmt::format("/cluster0/node{}", rank);
    const int node = add(cluster, "node", rank, rank, path);
    for (int core = 0; core < 2; ++core)
      add(node, "core", core, rank, fmt::format("{}/core{}", path, core));
    add(node, "ssd", 0, rank, path + "/ssd0");
    add(node, "memory", 0, rank, path + "/memory0", R"("size":8,"divisible":true)");
  }
  return fmt::format(
      R"({{"version":1,"execution":{{"R_lite":[{{"rank":"0-1","children":{{"core":"0-1"}}}}],"nodelist":["node[0-1]"],"starttime":0.0,"expiration":0.0}},"scheduling":{{"graph":{{"nodes":[{}],"edges":[{}]}}}}}})",
      fmt::join(pools, ","), fmt::join(edges, ","));
}

// Slots of a core and of `more`, spread over nodes.
std::string node_slots(int count, std::string_view more) {
  return fmt::format(
      R"({{"version":1,"resources":[{{"type":"node","count":{},"with":[{{"type":"slot","count":1,"label":"t","with":[{{"type":"core","count":1}},{}]}}]}}],"tasks":[],"attributes":{{"system":{{"duration":60}}}}}})",
      count, more);
}
std::string memory_units(int units) {
  return fmt::format(R"({{"type":"memory","count":{}}})", units);
}
constexpr std::string_view kNodeDisk = R"({"type":"ssd","count":1})";

class HelloTest : public ::testing::Test {
 protected:
  void load() {
    Idset up;
    up.add_range(0, 1);
    auto made = Scheduler::create(
        {.inventory = machine_, .write_graph = true, .up = up, .now_s = kLoaded_s}, sent_);
    ASSERT_TRUE(made) << made.error().message();
    scheduler_ = std::move(*made);
  }
  bool starts(JobId job, const std::string& jobspec) {
    scheduler_->alloc({.id = job, .priority = 16, .submit_s = 1, .jobspec = jobspec});
    return starts_now(job);
  }
  bool starts_now(JobId job) {
    for (queue::WorkBudget budget; !scheduler_->work(kLoaded_s, budget);) {
    }
    return sent_.started.contains(job);
  }
  static Idset rank(int number) {
    Idset out;
    out.add(number);
    return out;
  }

  const std::string machine_ = two_nodes_with_memory();
  HelloManager sent_;
  std::unique_ptr<Scheduler> scheduler_;
};

// R_lite lists neither memory nor disks: without the graph in R, a later scheduler gives them away.
TEST_F(HelloTest, TakesOverTheUnitsOfMemoryThatAJobHas) {
  load();
  ASSERT_TRUE(starts(1, node_slots(2, memory_units(5))));
  load();
  ASSERT_TRUE(scheduler_->hello({.id = 1, .submit_s = 1, .r = sent_.started[1]}));
  EXPECT_FALSE(starts(2, node_slots(1, memory_units(4))));
  EXPECT_TRUE(starts(3, node_slots(1, memory_units(3))));
  scheduler_->free(1, rank(0), false);
  EXPECT_TRUE(starts_now(2));
  EXPECT_FALSE(starts(4, node_slots(1, memory_units(5))));
  scheduler_->free(1, rank(1), true);
  EXPECT_TRUE(starts_now(4));
}

TEST_F(HelloTest, TakesOverTheDisksOfNodesThatTheJobHasNotFreed) {
  load();
  ASSERT_TRUE(starts(1, node_slots(2, kNodeDisk)));
  load();
  ASSERT_TRUE(scheduler_->hello({.id = 1, .submit_s = 1, .r = sent_.started[1], .freed = rank(1)}));
  EXPECT_TRUE(starts(2, node_slots(1, kNodeDisk)));
  EXPECT_FALSE(starts(3, node_slots(1, kNodeDisk)));
  scheduler_->free(1, rank(0), true);
  EXPECT_TRUE(starts_now(3));
}

}  // namespace
}  // namespace copse::flux
