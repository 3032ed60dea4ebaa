// SPDX-License-Identifier: Apache-2.0
//
// Slurm's texts as values: GRES, sizes of nodes, numbers and shares of several versions.
#include <gtest/gtest.h>

#include "formats/flux/flux_jobs.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "formats/slurm/slurm_gres.hpp"
#include "formats/slurm/slurm_gres_conf.hpp"
#include "formats/slurm/slurm_jobs.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {
namespace {

TEST(SlurmGres, ReadsNamesTypesCountsAndIndexes) {
  const auto gres = parse_gres("gpu:a100:4(S:0-1),gpu:2,shard,local:2K,craynetwork:no_consume:4");
  ASSERT_TRUE(gres) << gres.error().text;
  ASSERT_EQ(gres->size(), 4U);
  EXPECT_EQ((*gres)[0].name, "gpu");
  EXPECT_EQ((*gres)[0].type, "a100");
  EXPECT_EQ((*gres)[0].count, 4);
  EXPECT_EQ((*gres)[1].count, 2);
  EXPECT_EQ((*gres)[1].type, "");
  EXPECT_EQ((*gres)[2].count, 1);
  EXPECT_EQ((*gres)[3].count, 2048);
  const auto has = parse_gres("gpu:a100:3(IDX:0,2-3)");
  ASSERT_TRUE(has);
  EXPECT_EQ(has->front().ids.text(), "0,2-3");
  EXPECT_EQ(parse_gres("gres/gpu:a100=2")->front().count, 2);
  EXPECT_TRUE(parse_gres("(null)")->empty());
  EXPECT_TRUE(parse_gres("gpu:0")->empty());
}

TEST(SlurmGres, RefusesWhatIsNoCount) {
  for (const char* text : {"gpu:a100:x", "gpu:1:2:3", ":4", "gpu:4X", "gpu:99999999999999999999",
                           "gpu:a100:2(IDX:a)"}) {
    EXPECT_FALSE(parse_gres(text)) << text;
  }
}

TEST(SlurmSizes, FollowFromWhatIsSaid) {
  struct Case {
    SlurmSizes said;
    std::int64_t sockets, cores, threads;
  };
  for (const Case& c :
       {Case{{.cpus = 8}, 1, 8, 1}, Case{{.cpus = 16, .threads = 2}, 1, 8, 2},
        Case{{.sockets = 2, .cores = 16, .threads = 2}, 2, 16, 2},
        Case{{.cpus = 64, .sockets = 2, .threads = 2}, 2, 16, 2},
        Case{{.cpus = 64, .cores = 8, .threads = 2}, 4, 8, 2},
        Case{{.boards = 2, .sockets_per_board = 2, .cores = 4}, 4, 4, 1}, Case{{}, 1, 1, 1}}) {
    SlurmNode node;
    ASSERT_TRUE(set_sizes(node, c.said));
    EXPECT_EQ(node.sockets, c.sockets);
    EXPECT_EQ(node.cores, c.cores);
    EXPECT_EQ(node.threads, c.threads);
  }
  SlurmNode node;
  EXPECT_FALSE(set_sizes(node, {.sockets = 65536, .cores = 65536}));
  EXPECT_FALSE(set_sizes(node, {.cpus = -1}));
}

std::string wrong_topology(std::string_view text) {
  auto machine = read_slurm_conf("NodeName=a[1-4] CPUs=2\n", "slurm.conf");
  EXPECT_TRUE(machine);
  if (auto ok = read_slurm_topology(text, "t", *machine); !ok) return ok.error().message();
  const auto graph = graph_of_slurm(*machine);
  return graph ? "" : graph.error().message();
}

TEST(SlurmTopology, IsATree) {
  EXPECT_EQ(wrong_topology("SwitchName=s Nodes=a[1-4]\n"), "");
  EXPECT_EQ(wrong_topology("SwitchName=s Switches=t\n"), "t:1: there is no switch t");
  EXPECT_EQ(wrong_topology("SwitchName=s Switches=t\nSwitchName=t Switches=s\n"),
            "the switches of the topology form a cycle");
  EXPECT_EQ(wrong_topology("SwitchName=s Nodes=a1\nSwitchName=t Nodes=a1\n"),
            "t:2: node a1 has two switches above it");
  EXPECT_EQ(wrong_topology("SwitchName=s Nodes=a1\nSwitchName=s Nodes=a2\n"),
            "t:2: switch s is described twice");
}

std::string wrong_gres(std::string_view text) {
  auto machine = read_slurm_conf("NodeName=a[1-2] CPUs=4 Gres=gpu:4,shard:8\n", "slurm.conf");
  EXPECT_TRUE(machine);
  const auto ok = read_slurm_gres_conf(text, "g", *machine);
  return ok ? "" : ok.error().message();
}

TEST(SlurmGresConf, RefusesWhatContradictsItself) {
  EXPECT_EQ(wrong_gres("Name=gpu File=/dev/nvidia[0-3] Count=4\nName=shard Count=8 File=/dev/x\n"),
            "");
  EXPECT_EQ(wrong_gres("Name=gpu File=/dev/nvidia[0-3] Count=2\n"),
            "g:1: Count is 2, and File has 4");
  EXPECT_EQ(wrong_gres("Name=gpu Count=many\n"), "g:1: Count is \"many\", not a number");
  EXPECT_EQ(wrong_gres("\nName=gpu Cores=0-4\n"),
            "g:2: 4 is beyond the cores of node a1, which has 4");
  EXPECT_EQ(wrong_gres("Name=gpu Cores=x\n"),
            "g:1: Cores is \"x\", not a list of ascending numbers");
  EXPECT_EQ(wrong_gres("Type=a100\n"), "g:1: the line has no Name");
}

TEST(SlurmGresConf, NumbersDevicesThroughItsLines) {
  auto machine = read_slurm_conf("NodeName=a[1-2] CPUs=4 Gres=gpu:4\n", "slurm.conf");
  ASSERT_TRUE(machine);
  const auto ok = read_slurm_gres_conf(
      "NodeName=a1 Name=gpu Count=1 Cores=0-1\nNodeName=a1 Name=gpu Type=v100 Count=5 Cores=3\n",
      "g", *machine);
  ASSERT_TRUE(ok) << ok.error().message();
  EXPECT_TRUE(machine->remarks.empty());
  const auto graph = graph_of_slurm(*machine);
  ASSERT_TRUE(graph);
  std::vector<std::string> near;
  for (const PoolId p : graph->of_type(graph->find_type("gpu"))) {
    const auto* properties = graph->properties(p);
    const bool there = properties != nullptr && properties->contains("cores");
    near.push_back(graph->name(p) + (there ? " " + properties->at("cores") : ""));
  }
  EXPECT_EQ(near, (std::vector<std::string>{"gpu0 0-1", "gpu1 3", "gpu2 3", "gpu3 3", "gpu0",
                                            "gpu1", "gpu2", "gpu3"}));
}

// Before 23.02: plain numbers, words in place of lists, sockets and cores as objects.
TEST(SlurmJobs, ReadsOlderAnswers) {
  const auto list = read_slurm_jobs(
      R"({"jobs": [{"job_id": 5, "array_job_id": 0, "array_task_id": null, "job_state": "RUNNING",
          "start_time": 100, "end_time": 700, "time_limit": 4294967295, "nodes": "n1",
          "job_resources": {"nodes": "n1", "allocated_nodes": [{"nodename": "n1", "cpus_used": 2,
            "memory_allocated": 10, "sockets": {"1": {"cores": {"0": "allocated", "3": "unallocated"}}}}]}}]})",
      "q");
  ASSERT_TRUE(list) << list.error().text;
  const ClusterJob& job = list->jobs.at(0);
  EXPECT_TRUE(job.running);
  EXPECT_EQ(job.id, "5");
  EXPECT_EQ(job.end_s, 700);
  EXPECT_EQ(job.limit_s, 0);
  ASSERT_EQ(job.nodes.size(), 1U);
  EXPECT_EQ(job.nodes[0].memory_mb, 10);
  EXPECT_EQ(job.nodes[0].cores_anywhere, 0);
  ASSERT_EQ(job.nodes[0].cores.size(), 1U);
  EXPECT_EQ(job.nodes[0].cores[0], (std::pair<std::int32_t, std::int32_t>{1, 0}));
}

TEST(SlurmJobs, SharesItsCpusWhereNothingSaysWhich) {
  const auto list = read_slurm_jobs(
      R"({"jobs": [{"job_id": 5, "job_state": ["RUNNING"], "nodes": "n[1-2]", "start_time": 100,
          "time_limit": {"set": true, "infinite": false, "number": 2},
          "cpus": {"set": true, "infinite": false, "number": 5}}]})");
  ASSERT_TRUE(list) << list.error().text;
  const ClusterJob& job = list->jobs.at(0);
  EXPECT_EQ(job.end_s, 220);
  ASSERT_EQ(job.nodes.size(), 2U);
  EXPECT_EQ(job.nodes[1].host, "n2");
  EXPECT_EQ(job.nodes[1].cores_anywhere, 3);
}

std::vector<std::string> names(const ResourceGraph& graph, const std::vector<PoolId>& pools) {
  std::vector<std::string> out;
  for (const PoolId p : pools) out.push_back(graph.name(p));
  return out;
}

TEST(ClusterPools, FindsCoresByTheirSockets) {
  const auto machine = read_slurm_conf(
      "NodeName=n1 Sockets=2 CoresPerSocket=4 RealMemory=80 Gres=gpu:3\n", "slurm.conf");
  ASSERT_TRUE(machine);
  const auto graph = graph_of_slurm(*machine);
  ASSERT_TRUE(graph);
  ClusterPools places(*graph);
  using Names = std::vector<std::string>;
  const auto devices = parse_gres("gpu:2(IDX:0,2)");
  const auto has = places.of(
      {.id = "1",
       .nodes = {{.host = "n1",
                  .cores = {{0, 1}, {1, 3}},
                  .memory_mb = 15,
                  .devices = {{.type = "gpu", .count = 2, .ids = devices->front().ids}}}}});
  EXPECT_TRUE(has.missing.empty());
  EXPECT_EQ(names(*graph, has.pools),
            (Names{"core1", "core7", "gpu0", "gpu2", "memory0", "memory1"}));
  const auto next = places.of({.id = "2", .nodes = {{.host = "n1", .cores_anywhere = 2}}});
  EXPECT_EQ(names(*graph, next.pools), (Names{"core0", "core2"}));
  EXPECT_EQ(places.of({.id = "3", .nodes = {{.host = "n1", .cores = {{2, 0}}}}}).missing,
            Names{"n1 has no core 0 in socket 2"});
  const auto few =
      places.of({.id = "4", .nodes = {{.host = "n9"}, {.host = "n1", .cores_anywhere = 5}}});
  EXPECT_EQ(few.missing, (Names{"the machine has no node n9", "n1 has 1 too few of core for it"}));
  EXPECT_EQ(names(*graph, few.pools), (Names{"core3", "core4", "core5", "core6"}));
}

// Slurm takes the last core of each socket in turn, from the last socket on.
TEST(SlurmReserved, LeavesTheOtherCoresTheirNumbers) {
  const auto machine = read_slurm_conf(
      "ClusterName=grove\n"
      "NodeName=n1 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=100 CoreSpecCount=3 "
      "MemSpecLimit=40\n"
      "NodeName=n2 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CpuSpecList=0-3\n",
      "slurm.conf");
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(machine->nodes[0].system_cores, (std::vector<std::int64_t>{7, 3, 6}));
  EXPECT_EQ(machine->nodes[0].memory_mb, 60);
  EXPECT_EQ(machine->nodes[1].system_cores, (std::vector<std::int64_t>{0, 1}));
  const auto graph = graph_of_slurm(*machine);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->name(graph->root()), "grove");
  ClusterPools places(*graph);
  using Names = std::vector<std::string>;
  const auto has =
      places.of({.id = "1", .nodes = {{.host = "n1", .cores = {{1, 0}, {1, 1}, {1, 2}}}}});
  EXPECT_EQ(names(*graph, has.pools), (Names{"core4", "core5"}));
  EXPECT_EQ(has.missing, Names{"n1 has no core 2 in socket 1"});
}

TEST(SlurmReserved, LeavesSomethingToJobs) {
  const auto refused = [](const char* settings) {
    const auto got = read_slurm_conf(
        std::string("NodeName=n1 CPUs=4 RealMemory=100 ") + settings + "\n", "slurm.conf");
    return got ? "" : got.error().message();
  };
  EXPECT_EQ(refused("CoreSpecCount=4"),
            "slurm.conf:1: node n1 reserves all of its 4 cores for the system");
  EXPECT_EQ(refused("MemSpecLimit=100"),
            "slurm.conf:1: node n1 reserves 100 MB for the system, of 100 MB");
  EXPECT_EQ(refused("CoreSpecCount=3 MemSpecLimit=99"), "");
}

TEST(ClusterJobs, SayWhereTheyAreWrong) {
  EXPECT_EQ(read_slurm_jobs("{\"jobs\": [\n {\"job_id\": \"x\"}]}", "q").error().message(),
            "q:2:13: \"job_id\" of a job must be a number");
  EXPECT_EQ(read_slurm_jobs("{}", "q").error().message(), "q:1:1: there is no key \"jobs\"");
  EXPECT_EQ(
      read_flux_jobs("{\"jobs\": [{\"id\": 1, \"state\": \"RUN\", \"nodelist\": \"a[\"}]}", "f")
          .error()
          .place.line,
      1U);
}

TEST(ClusterJobs, OfFluxHistoryCountWhoIsLeftOut) {
  const auto job = [](int id, const char* rest) {
    return "{\"id\": " + std::to_string(id) + ", \"nnodes\": 1, \"duration\": 60, " + rest + "}";
  };
  const auto list = read_flux_history(
      "{\"jobs\": [" +
          job(1, R"("state": "INACTIVE", "t_submit": 100, "t_run": 105, "t_cleanup": 160)") + "," +
          job(2, R"("state": "INACTIVE", "t_submit": 100, "t_run": 95, "t_cleanup": 160)") + "," +
          job(3, R"("state": "INACTIVE", "t_submit": 100, "t_run": 105, "t_cleanup": 104)") + "," +
          job(4, R"("state": "BUSY", "t_submit": 100)") + "]}",
      "f");
  ASSERT_TRUE(list) << list.error().message();
  ASSERT_EQ(list->jobs.size(), 1U);
  EXPECT_EQ(list->jobs[0].id, "1");
  EXPECT_EQ(list->skipped, 2U);
  EXPECT_EQ(list->unknown, 1U);
  ASSERT_EQ(list->remarks.size(), 2U);
  EXPECT_EQ(list->remarks[0],
            "1 job is in a state that is not known, that is \"BUSY\": it is left out");
  EXPECT_EQ(list->remarks[1],
            "2 jobs end before they start, or start before they were submitted: they are left out");
  const auto message = [&](const std::string& one) {
    const auto read = read_flux_history("{\"jobs\": [" + one + "]}", "f");
    return read ? "accepted" : read.error().message();
  };
  EXPECT_EQ(message(job(5, R"("state": "INACTIVE", "t_run": 105, "t_cleanup": 160)")),
            "f:1:11: job 5 has no time in \"t_submit\"");
  EXPECT_EQ(message(job(6, R"("t_submit": 105)")), "f:1:11: job 6 has no key \"state\"");
}

}  // namespace
}  // namespace copse
