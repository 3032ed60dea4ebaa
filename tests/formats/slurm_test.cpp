// SPDX-License-Identifier: Apache-2.0
//
// Slurm's texts as values: GRES, sizes of nodes, numbers and shares of several versions.
#include <gtest/gtest.h>

#include "formats/flux/flux_jobs.hpp"
#include "formats/slurm/gres/slurm_gres.hpp"
#include "formats/slurm/gres/slurm_gres_conf.hpp"
#include "formats/slurm/jobs/slurm_job_gres.hpp"
#include "formats/slurm/jobs/slurm_jobs.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "formats/slurm/slurm_lines.hpp"
#include "formats/slurm/slurm_machine.hpp"
#include "formats/slurm/slurm_sizes.hpp"
#include "formats/slurm/slurm_states.hpp"
#include "formats/slurm/slurm_topology.hpp"
#include "text/slurm_hostlist.hpp"

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
  EXPECT_TRUE(parse_gres("bandwidth:lustre:no_consume:4G,fpga:u280:no_consume:2(S:0)")->empty());
  EXPECT_TRUE(parse_gres("x:no_consume:y:4,z:no_consume")->empty());
  EXPECT_EQ(parse_gres("gpu:1g.5gb:7")->front().type, "1g.5gb");
  EXPECT_TRUE(parse_gres("(null)")->empty());
  EXPECT_TRUE(parse_gres("gpu:0")->empty());
}

TEST(SlurmGres, RefusesWhatIsNoCount) {
  for (const char* text : {"gpu:a100:x", "gpu:1:2:3", ":4", "gpu:4X", "gpu:99999999999999999999",
                           "gpu:a100:2(IDX:a)"}) {
    EXPECT_FALSE(parse_gres(text)) << text;
  }
}

// As slurmctld has them: what is not given is 1, but Boards x SocketsPerBoard or CPUs over the rest are
// the sockets.
TEST(SlurmSizes, FollowFromWhatIsSaid) {
  struct Case {
    SlurmSizes said;
    std::int64_t sockets, cores, threads, cores_of_cpu = 1;
    std::string reset{};
  };
  for (const Case& c : {
           Case{{.cpus = 8}, 8, 1, 1},
           Case{{.cpus = 16, .threads = 2}, 8, 1, 2},
           Case{{.cpus = 15, .threads = 2},
                1,
                1,
                2,
                1,
                "node n has CPUs=15: 2 count, as in Slurm; its sockets, cores and threads make 1 "
                "core of 2 threads"},
           Case{{.sockets = 2, .cores = 16, .threads = 2}, 2, 16, 2},
           Case{{.cpus = 64, .cores = 8, .threads = 2}, 4, 8, 2},
           Case{{.boards = 2, .sockets_per_board = 2, .cores = 4}, 4, 4, 1},
           Case{{}, 1, 1, 1},
           Case{{.cpus = 32, .sockets = 2, .cores = 16, .threads = 2}, 2, 16, 1},
           Case{{.cpus = 2, .sockets = 2, .cores = 16, .threads = 2}, 2, 16, 1, 16},
           Case{{.sockets = 2, .cores = 0},
                2,
                1,
                1,
                1,
                "node n has CoresPerSocket=0: it counts as 1, as in Slurm"},
           Case{{.sockets_per_board = 2, .sockets = 4, .cores = 3},
                2,
                3,
                1,
                1,
                "node n has Sockets and SocketsPerBoard: Sockets is ignored, as in Slurm"},
       }) {
    SlurmNode node{.name = "n"};
    const auto reset = set_sizes(node, c.said);
    ASSERT_TRUE(reset);
    EXPECT_EQ(node.sockets, c.sockets);
    EXPECT_EQ(node.cores, c.cores);
    EXPECT_EQ(node.threads, c.threads);
    EXPECT_EQ(node.cores_of_cpu, c.cores_of_cpu);
    EXPECT_EQ(reset->empty() ? "" : reset->front(), c.reset);
    EXPECT_LE(reset->size(), 1U);
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
  EXPECT_EQ(names(*graph, has.pools), (Names{"core1", "core7", "gpu0", "gpu2", "memory0"}));
  ASSERT_EQ(has.amounts.size(), 1U);
  EXPECT_EQ(has.amounts[0].units, 15);
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

TEST(SlurmPartition, NamesKeysThatSlurmDoesNotHave) {
  const auto got = read_slurm_conf(
      "NodeName=n[1-2] CPUs=4\nPartitionName=a Nodes=ALL Default=YES MaxTiem=4:00 hidden=no\n",
      "slurm.conf");
  ASSERT_TRUE(got) << got.error().message();
  ASSERT_EQ(got->remarks.size(), 1U);
  EXPECT_EQ(got->remarks[0],
            "slurm.conf:2: unknown key of a partition \"MaxTiem\"; did you mean \"MaxTime\"?: it "
            "has no effect");
}

TEST(SlurmReserved, IsResetWhereSlurmResetsIt) {
  const auto read = [](const char* settings) {
    const auto got = read_slurm_conf(
        std::string("NodeName=n1 CPUs=4 RealMemory=100 ") + settings + "\n", "slurm.conf");
    EXPECT_TRUE(got) << got.error().message();
    const SlurmNode& node = got->nodes.front();
    return std::to_string(node.system_cores.size()) + " " + std::to_string(node.memory_mb) +
           (got->remarks.empty() ? "" : " " + got->remarks.front());
  };
  EXPECT_EQ(
      read("CoreSpecCount=4"),
      "1 100 slurm.conf:1: node n1 has CoreSpecCount=4, and 4 cores: it counts as 1, as in Slurm");
  EXPECT_EQ(
      read("MemSpecLimit=100"),
      "0 100 slurm.conf:1: node n1 has MemSpecLimit=100, and 100 MB: it counts as 0, as in Slurm");
  EXPECT_EQ(
      read("CpuSpecList=2-4"),
      "0 100 slurm.conf:1: node n1 has CpuSpecList=\"2-4\", no list of its 4 cpus: it is ignored, "
      "as in Slurm");
  EXPECT_EQ(read("CpuSpecList=0 CoreSpecCount=2"),
            "1 100 slurm.conf:1: node n1 has CpuSpecList and CoreSpecCount: the list counts, as in "
            "Slurm");
  EXPECT_EQ(read("CoreSpecCount=3 MemSpecLimit=99"), "3 1");
}

TEST(SlurmHostlist, HasSeveralListsOfNumbers) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(*expand_slurm_hosts("r[1-2]b[1-3]"),
            (Names{"r1b1", "r1b2", "r1b3", "r2b1", "r2b2", "r2b3"}));
  EXPECT_EQ(
      *expand_slurm_hosts("a[08-10]x[1,3]-ib, b,c[2]"),
      (Names{"a08x1-ib", "a08x3-ib", "a09x1-ib", "a09x3-ib", "a10x1-ib", "a10x3-ib", "b", "c2"}));
  EXPECT_EQ(expand_slurm_hosts("")->size(), 0U);
  for (const char* wrong : {"a[1-2]b[", "a[1-2]b[x]", "a[1]]b[2]", "a[2-1]b[1]", "a[1]b[]"}) {
    EXPECT_FALSE(expand_slurm_hosts(wrong)) << wrong;
  }
  const auto many = expand_slurm_hosts("a[1-1000]b[1-1000]c[1-1000]", 5'000'000);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::limit);
  const auto large = expand_slurm_hosts("a[1-100000]b[1]" + std::string(100'000, 'x'));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::limit);
}

// The parts of a line, as "key=value" with blanks between them.
std::string settings_of(std::string_view text) {
  const auto lines = read_slurm_lines(text, "f");
  if (!lines) return lines.error().message();
  std::string out;
  for (const SlurmLine& line : *lines) {
    for (const SlurmSetting& s : line.settings) out += s.key + "=" + s.value + " ";
    out += "/";
  }
  return out;
}

TEST(SlurmLines, FollowSlurmsParser) {
  EXPECT_EQ(settings_of("A=1 B = 2\tC= 3 D =4\n"), "A=1 B=2 C=3 D=4 /");
  EXPECT_EQ(settings_of("A=x,\\\ny B\\  \n=2\n"), "A=x,y B=2 /");
  EXPECT_EQ(settings_of("A=x,\\\n  y=2\n"), "A=x, y=2 /");
  EXPECT_EQ(settings_of("A=1 # no \\\nB=2\n"), "A=1 /B=2 /");
  EXPECT_EQ(settings_of("A=1 \\ # yes\nB=2\n"), "A=1 B=2 /");
  EXPECT_EQ(settings_of("A=a\\#b\\\\c\\d\n"), "A=a#b\\cd /");
  EXPECT_EQ(settings_of("A=\"b # c\"\n"), "f:1: a quote has no end");
  EXPECT_EQ(settings_of("A=\"b c\" D=\"\" E=x\"y\"z\n"), "A=b c D= E=x\"y\"z /");
  EXPECT_EQ(settings_of("A+=1 B *= 2\r\nC=\n"), "A=1 B=2 /C= /");
  EXPECT_EQ(settings_of("A=1 two\n"), "f:1: \"two\" is not a setting; each is Key=Value");
  EXPECT_EQ(settings_of("A-B=1\n"), "f:1: \"A-B\" is not a setting; each is Key=Value");
  const auto twice = read_slurm_lines("A=1 a=2\n", "f");
  ASSERT_TRUE(twice);
  EXPECT_EQ(*twice->front().find("A"), "2");
}

TEST(SlurmNodeStates, AreOneTable) {
  for (const SlurmNodeState& state : slurm_node_states()) {
    EXPECT_EQ(find_slurm_node_state(state.word), &state) << state.word;
    if (state.later == SlurmNodeState::Later::up) {
      EXPECT_EQ(state.now, SlurmNodeState::Now::down) << state.word;
    }
  }
  EXPECT_EQ(find_slurm_node_state("drain")->now, SlurmNodeState::Now::down);
  EXPECT_EQ(find_slurm_node_state("DRIAN"), nullptr);
}

TEST(SlurmJobGres, CountsForEachNode) {
  const auto gpus = [](SlurmJobGres gres) {
    const auto got = gpus_of_slurm_job(gres);
    return !got ? -1 : !got->of_node ? -2 : *got->of_node;
  };
  EXPECT_EQ(gpus({.of_job = "gres/gpu:5", .nodes = 2}), 3);
  EXPECT_EQ(gpus({.of_node = "gres:gpu:a100:2,gres:gpu:1"}), 3);
  EXPECT_EQ(gpus({.of_task = "cpu:4,gres/gpu:2", .nodes = 2, .tasks = 5}), 6);
  EXPECT_EQ(gpus({.of_task = "gres/gpu=2", .nodes = 2, .tasks = 5, .tasks_of_node = 4}), 8);
  EXPECT_EQ(gpus({.of_socket = "gres/gpu:2", .nodes = 1, .sockets_of_node = 2}), 4);
  EXPECT_EQ(gpus({.of_job = "gres/gpu:4", .of_node = "gres/gpu:2", .nodes = 4}), 2);
  EXPECT_EQ(gpus({.of_socket = "gres/gpu:2"}), -2);
  EXPECT_EQ(gpus({.of_task = "gres/gpu:2"}), -2);
  EXPECT_EQ(gpus({.of_node = "(null)", .of_task = "license/x:2"}), 0);
  EXPECT_EQ(gpus({.of_node = "gres/gpu:x:y"}), -1);
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

TEST(SlurmStates, HaveSignsAndFlagsOfTheirOwn) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(slurm_state_words("IDLE"), Words{"IDLE"});
  EXPECT_EQ(slurm_state_words("DOWN*+DRAIN"), (Words{"DOWN", "NOT_RESPONDING", "DRAIN"}));
  EXPECT_EQ(slurm_state_words("IDLE~"), (Words{"IDLE", "POWERED_DOWN"}));
  EXPECT_EQ(slurm_state_words("+MIXED-+"), (Words{"MIXED", "PLANNED"}));
  EXPECT_EQ(slurm_state_words("*"), Words{"*"});
  EXPECT_EQ(slurm_state_words(""), Words{});
}

}  // namespace
}  // namespace copse
