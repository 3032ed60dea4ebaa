// SPDX-License-Identifier: Apache-2.0
#include "flux/scheduler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace copse::flux {
namespace {

constexpr std::int64_t kStart_s = 2'000'000;
constexpr std::string_view kFourNodes =
    R"({"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-1"}}],)"
    R"( "nodelist": ["n[0-3]"], "starttime": 0.0, "expiration": 0.0}})";
constexpr std::string_view kLicences =
    "- resource: flat\n"
    "  mode: MODE_2\n"
    "  layers:\n"
    "    - {nodes: [\"n[0-3]\"], count: 2}\n";

std::string one_core(std::string_view system = {}) {
  return fmt::format(
      R"({{"version":1,"resources":[{{"type":"slot","count":1,"label":"task","with":[{{"type":"core","count":1}}]}}],"tasks":[{{"command":["a"],"slot":"task","count":{{"per_slot":1}}}}],"attributes":{{"system":{{"duration":60{}}}}}}})",
      system);
}

class RecordingManager final : public JobManager {
 public:
  void succeed(JobId job, const std::string& r, const std::string& annotations) override {
    started[job] = r;
    annotated[job] = annotations;
  }
  void annotate(JobId, const std::string&) override {}
  void deny(JobId job, const std::string& note) override { denied[job] = note; }
  void cancelled(JobId) override {}
  void complain(const std::string& line) override { ADD_FAILURE() << line; }
  std::map<JobId, std::string> started, annotated, denied;
};

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() { up_.add_range(0, 3); }
  void create(copse::flux::Setup setup) {
    setup.up = up_;
    setup.now_s = kStart_s;
    auto made = Scheduler::create(setup, sent_);
    ASSERT_TRUE(made) << made.error().message();
    scheduler_ = std::move(*made);
  }
  void alloc(JobId job, const std::string& jobspec) {
    scheduler_->alloc({.id = job, .priority = 16, .submit_s = 1, .jobspec = jobspec});
    work();
  }
  void work() {
    for (queue::WorkBudget budget; !scheduler_->work(kStart_s, budget);) {
    }
  }
  [[nodiscard]] bool runs(JobId job) const { return sent_.started.contains(job); }

  Idset up_;
  RecordingManager sent_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(SchedulerTest, HierarchicalResourcesAreHeldWithCores) {
  create({.inventory = kFourNodes, .hres = kLicences, .hres_file = "resources.yaml"});
  alloc(1, one_core(R"(,"hres":"flat:2")"));
  alloc(2, one_core(R"(,"hres":"flat:1")"));
  alloc(3, one_core());
  EXPECT_TRUE(runs(1));
  EXPECT_FALSE(runs(2));
  EXPECT_TRUE(runs(3));
  EXPECT_NE(sent_.annotated[1].find(R"("hres": "flat)"), std::string::npos) << sent_.annotated[1];
  EXPECT_NE(scheduler_->layers().find(R"("total": 2, "used": 2)"), std::string::npos)
      << scheduler_->layers();
  EXPECT_FALSE(scheduler_->set_layer("flat", "n[0-9]", 3));
  ASSERT_TRUE(scheduler_->set_layer("flat", "n[0-3]", 3));
  work();
  EXPECT_TRUE(runs(2));
  alloc(4, one_core(R"(,"hres":"flat:9")"));
  EXPECT_TRUE(sent_.denied.contains(4));
}

// A later scheduler reads the hierarchical resources of a job from its jobspec.
TEST_F(SchedulerTest, HelloTakesOverHierarchicalResources) {
  create({.inventory = kFourNodes, .hres = kLicences});
  const std::string wants = one_core(R"(,"hres":"flat:2")");
  alloc(1, wants);
  const std::string r = sent_.started[1];
  create({.inventory = kFourNodes, .hres = kLicences});
  ASSERT_TRUE(scheduler_->hello({.id = 1, .r = r, .jobspec = wants}));
  alloc(2, wants);
  EXPECT_FALSE(runs(2));
}

// Only that scheduler can read some jobspecs of another scheduler.
TEST_F(SchedulerTest, HelloNeedsNoJobspecWithoutHierarchicalResources) {
  create({.inventory = kFourNodes});
  alloc(1, one_core());
  const std::string r = sent_.started[1];
  create({.inventory = kFourNodes});
  EXPECT_TRUE(scheduler_->hello({.id = 1, .r = r, .jobspec = "{}", .queue = "gone"}));
}

TEST_F(SchedulerTest, JobsOfForeignQueuesAreRefusedOnRequest) {
  create({.inventory = kFourNodes, .no_foreign_queues = true});
  alloc(1, one_core(R"(,"queue":"gone")"));
  EXPECT_EQ(sent_.denied[1], "queue (gone) doesn't exist");
  alloc(2, one_core());
  ASSERT_TRUE(runs(2));
  const std::string r = sent_.started[2];
  create({.inventory = kFourNodes, .no_foreign_queues = true});
  EXPECT_FALSE(scheduler_->hello({.id = 3, .r = r, .queue = "gone"}));
  EXPECT_TRUE(scheduler_->hello({.id = 2, .r = r}));
  EXPECT_EQ(scheduler_->counts("").started, 1U);
}

TEST_F(SchedulerTest, ATypeThatIsNotThereIsNamed) {
  create({.inventory = kFourNodes});
  std::string gpu = one_core();
  gpu.replace(gpu.find("\"core\""), 6, "\"gpu\"");
  alloc(1, gpu);
  EXPECT_EQ(
      sent_.denied[1],
      "alloc denied due to type=\"unsatisfiable\": unsatisfiable request: the machine has no gpu");
}

TEST_F(SchedulerTest, AGraphIsWrittenOnRequest) {
  create({.inventory = kFourNodes, .write_graph = true});
  alloc(1, one_core());
  EXPECT_NE(sent_.started[1].find(R"("scheduling": {"graph": {"nodes": )"), std::string::npos)
      << sent_.started[1];
  // A sub-instance has that machine.
  Idset first;
  first.add(0);
  RecordingManager sent;
  auto sub =
      Scheduler::create({.inventory = sent_.started[1], .up = first, .now_s = kStart_s}, sent);
  ASSERT_TRUE(sub) << sub.error().message();
  EXPECT_TRUE((*sub)->feasible(one_core()));
}

// Shorthand omits the contents of whole nodes.
TEST_F(SchedulerTest, AGraphIsWrittenInShorthand) {
  constexpr std::string_view kNode =
      R"({"version":1,"resources":[{"type":"node","count":1,"exclusive":true,"with":[{"type":"slot","count":1,"label":"task","with":[{"type":"core","count":1}]}]}],"tasks":[],"attributes":{"system":{"duration":60}}})";
  create({.inventory = kFourNodes, .write_graph = true, .shorthand = true});
  alloc(1, std::string(kNode));
  const std::string& r = sent_.started[1];
  EXPECT_NE(r.find(R"("type": "node")"), std::string::npos) << r;
  EXPECT_EQ(r.find(R"("type": "core")"), std::string::npos) << r;
  EXPECT_NE(r.find("jgf_shorthand"), std::string::npos) << r;
}

// Two racks with N nodes, each rack with a disk that belongs to no broker.
std::string two_racks(int nodes) {
  std::string pools, edges;
  int count = 0;
  const auto add = [&](int above, std::string_view type, int id, int rank, std::string_view path) {
    if (above >= 0) {
      edges +=
          fmt::format(R"({}{{"source":"{}","target":"{}"}})", count > 1 ? "," : "", above, count);
    }
    pools += fmt::format(
        R"({}{{"id":"{}","metadata":{{"type":"{}","basename":"{}","name":"{}","id":{},"rank":{},"size":1,"exclusive":false,"unit":"","paths":{{"containment":"{}"}}}}}})",
        count > 0 ? "," : "", count, type, type == "node" ? "n" : type,
        path.substr(path.rfind('/') + 1), id, rank, path);
    return count++;
  };
  const int cluster = add(-1, "cluster", 0, -1, "/cluster0");
  for (int i = 0; i < 2; ++i) {
    const std::string path = fmt::format("/cluster0/rack{}", i);
    const int rack = add(cluster, "rack", i, -1, path);
    add(rack, "ssd", i, -1, fmt::format("{}/ssd{}", path, i));
    for (int rank = i * nodes; rank < (i + 1) * nodes; ++rank) {
      const int node = add(rack, "node", rank, rank, fmt::format("{}/n{}", path, rank));
      add(node, "core", 0, rank, fmt::format("{}/n{}/core0", path, rank));
    }
  }
  return fmt::format(
      R"({{"version":1,"execution":{{"R_lite":[{{"rank":"0-{0}","children":{{"core":"0"}}}}],"nodelist":["n[0-{0}]"],"starttime":0.0,"expiration":0.0}},"scheduling":{{"graph":{{"nodes":[{1}],"edges":[{2}]}}}}}})",
      2 * nodes - 1, pools, edges);
}

constexpr std::string_view kDisk = R"({"type":"ssd","count":1},)";

// A jobspec of N racks, each with a node and optionally a disk.
std::string racks(int count, std::string_view disk) {
  return fmt::format(
      R"({{"version":1,"resources":[{{"type":"slot","count":{},"label":"t","with":[{{"type":"rack","count":1,"with":[{}{{"type":"node","count":1,"with":[{{"type":"core","count":1}}]}}]}}]}}],"tasks":[],"attributes":{{"system":{{"duration":60}}}}}})",
      count, disk);
}

std::string some_nodes(int count) {
  return fmt::format(
      R"({{"version":1,"resources":[{{"type":"slot","count":{},"label":"t","with":[{{"type":"node","count":1,"exclusive":true,"with":[{{"type":"core","count":1}}]}}]}}],"tasks":[],"attributes":{{"system":{{"duration":60}}}}}})",
      count);
}

// Unless the configuration has a policy, an instance with racks places jobs in few of them.
TEST_F(SchedulerTest, AGraphWithRacksHasThePolicyFewRacks) {
  for (const bool by_levels : {false, true}) {
    sent_.started.clear();
    const std::string inventory = two_racks(2);
    create({.inventory = inventory, .policy = *find_policy("low"), .policy_by_levels = by_levels});
    alloc(1, some_nodes(1));
    alloc(2, some_nodes(2));
    const std::string& r = sent_.started[2];
    EXPECT_NE(r.find(by_levels ? "n[2-3]" : "n[1-2]"), std::string::npos) << r;
  }
}

// If a job has a whole rack, each freed node is available at once. The disks of the rack have no rank:
// they are freed with the last node.
TEST_F(SchedulerTest, NodesOfARackAreGivenBackBeforeItsDisks) {
  up_ = Idset();
  up_.add_range(0, 1);
  const std::string machine = two_racks(1);
  create({.inventory = machine});
  alloc(1, racks(2, kDisk));
  ASSERT_TRUE(runs(1));
  Idset first, second;
  first.add(0);
  second.add(1);
  scheduler_->free(1, first, false);
  alloc(2, one_core());
  EXPECT_TRUE(runs(2));
  alloc(3, racks(1, kDisk));
  EXPECT_FALSE(runs(3));
  scheduler_->free(1, second, true);
  work();
  EXPECT_TRUE(runs(3));
}

// R_lite does not list disks of racks: the graph in R does.
TEST_F(SchedulerTest, HelloTakesOverDisksOfRacks) {
  const std::string machine = two_racks(2);
  const copse::flux::Setup setup{.inventory = machine, .write_graph = true};
  create(setup);
  alloc(1, racks(1, kDisk));
  ASSERT_TRUE(runs(1));
  create(setup);
  const std::string r = sent_.started[1];
  ASSERT_TRUE(scheduler_->hello({.id = 1, .priority = 16, .submit_s = 1, .r = r}));
  alloc(2, racks(1, kDisk));
  EXPECT_TRUE(runs(2));
  alloc(3, racks(1, kDisk));
  EXPECT_FALSE(runs(3));
  Idset rank;
  rank.add(3);
  scheduler_->free(1, rank, true);
  work();
  EXPECT_TRUE(runs(3));
}

// `flux update` shows this text: it needs the same numbers as the note of a denial.
TEST_F(SchedulerTest, WhatIsNeverFeasibleSaysWhatIsMissing) {
  create({.inventory = kFourNodes});
  std::string cores = one_core();
  cores.replace(cores.find("\"core\",\"count\":1"), 16, "\"core\",\"count\":3");
  const auto never = scheduler_->feasible(cores);
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code, ErrorCode::infeasible);
  EXPECT_TRUE(never.error().text.starts_with("unsatisfiable request: ")) << never.error().text;
  EXPECT_NE(never.error().text.find("3 cores"), std::string::npos) << never.error().text;
}

// Queues can be added and removed only with a new scheduler; until then they stay as they are.
TEST_F(SchedulerTest, OtherQueuesAreRefusedAndChangeNothing) {
  const auto queues = [](std::initializer_list<std::string> names, const char* discipline) {
    queue::QueueConfig out;
    for (const std::string& name : names) {
      out.queues.push_back({.name = name, .discipline = *find_discipline(discipline)});
    }
    return out;
  };
  create({.inventory = kFourNodes, .queues = queues({"a", "b"}, "easy")});
  const auto discipline = [&] {
    return scheduler_->view()
        .queues[scheduler_->view().queues.named().front().waiting_queue]
        .discipline()
        .name;
  };
  const auto error = [&](const queue::QueueConfig& to) {
    const auto changed = scheduler_->configure(to);
    return changed ? std::string() : changed.error().text;
  };
  const std::string_view rest = ": unload the scheduler before such a change; nothing was changed";
  EXPECT_EQ(error(queues({"a", "b", "c"}, "fcfs")), fmt::format("queue \"c\" is new{}", rest));
  EXPECT_EQ(error(queues({"a"}, "fcfs")), fmt::format("queue \"b\" was removed{}", rest));
  EXPECT_EQ(error({}), fmt::format("there are no queues any more{}", rest));
  EXPECT_EQ(discipline(), "easy");
  EXPECT_EQ(error(queues({"b", "a"}, "fcfs")), "");
  EXPECT_EQ(discipline(), "fcfs");
}

// Flux renumbers ranks and cores of a sub-instance, and passes the graph on unchanged.
TEST_F(SchedulerTest, AGraphWithOtherNumbersIsRenumbered) {
  create({.inventory = kFourNodes, .write_graph = true});
  alloc(1, one_core());
  std::string r = sent_.started[1];
  const std::size_t rank = r.find(R"("rank": ")") + 9, core = r.find(R"("core": ")") + 9;
  r[rank] = r[rank] == '0' ? '3' : '0';
  r[core] = r[core] == '0' ? '1' : '0';
  RecordingManager sent;
  auto sub = Scheduler::create({.inventory = r, .up = up_, .now_s = kStart_s}, sent);
  ASSERT_TRUE(sub) << sub.error().message();
  (*sub)->alloc({.id = 1, .priority = 16, .submit_s = 1, .jobspec = one_core()});
  for (queue::WorkBudget budget; !(*sub)->work(kStart_s, budget);) {
  }
  ASSERT_TRUE(sent.started.contains(1));
  const std::string& inner = sent.started[1];
  EXPECT_EQ(inner.substr(0, inner.find("nodelist")), r.substr(0, r.find("nodelist")));
}

TEST_F(SchedulerTest, AMachineOfAFileHasAllRanks) {
  const std::string as_r{kFourNodes};
  create({.inventory = kFourNodes,
          .machine = {.file = "machine.json", .format = "rv1exec"},
          .machine_text = as_r});
  alloc(1, one_core());
  EXPECT_TRUE(runs(1));
  std::string fewer = as_r;
  fewer.replace(fewer.find("0-3"), 3, "0-2");
  fewer.replace(fewer.find("n[0-3]"), 6, "n[0-2]");
  const auto refused = Scheduler::create(
      {.inventory = kFourNodes, .machine_text = fewer, .up = up_, .now_s = kStart_s}, sent_);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().text.starts_with("the machine is not that of the instance"))
      << refused.error().text;
}

TEST_F(SchedulerTest, TreePoolsSchedulingFollowsTheRanks) {
  constexpr std::string_view kTreePool =
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-1"}}],)"
      R"( "nodelist": ["n[0-3]"], "starttime": 0.0, "expiration": 0.0}, "scheduling": )"
      R"({"writer": "TreePool", "children": [{"ranks": "0-3", "topo": )"
      R"({"cores": "0-1"}}]}})";
  Idset up;
  up.add(2);
  RecordingManager sent;
  auto made = Scheduler::create({.inventory = kTreePool, .up = up, .now_s = kStart_s}, sent);
  ASSERT_TRUE(made) << made.error().message();
  (*made)->alloc({.id = 1, .priority = 16, .submit_s = 1, .jobspec = one_core()});
  for (queue::WorkBudget budget; !(*made)->work(kStart_s, budget);) {
  }
  const std::string r = sent.started[1];
  EXPECT_NE(r.find(R"("writer": "TreePool")"), std::string::npos) << r;
  EXPECT_NE(r.find(R"("ranks": "2")"), std::string::npos) << r;
  // A later scheduler adopts it, though its ranks do not begin at 0.
  auto later = Scheduler::create({.inventory = kTreePool, .up = up, .now_s = kStart_s}, sent);
  ASSERT_TRUE(later);
  EXPECT_TRUE((*later)->hello({.id = 1, .r = r}));
}

}  // namespace
}  // namespace copse::flux
