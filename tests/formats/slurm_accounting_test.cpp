// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/jobs/slurm_accounting.hpp"

#include <gtest/gtest.h>

namespace copse {
namespace {

constexpr const char* kNames = "JobID|Submit|Start|End|Timelimit|NNodes|NCPUS|State|Priority\n";

ClusterJobs accounted(const std::string& lines) {
  auto list = read_slurm_accounting(kNames + lines, "sacct");
  EXPECT_TRUE(list) << (list ? "" : list.error().message());
  return list ? std::move(*list) : ClusterJobs{};
}
std::string refused_line(const std::string& line) {
  const auto list = read_slurm_accounting(kNames + line, "sacct");
  return list ? "accepted" : list.error().message();
}

TEST(SlurmAccounting, ReadsWhatAJobWas) {
  const ClusterJobs list = accounted(
      "7|2026-11-02T08:00:00|2026-11-02T08:01:00|2026-11-02T09:01:00|1-00:00:00|2|16|COMPLETED|9\n"
      "7.batch|2026-11-02T08:01:00|||||8|COMPLETED|\n"
      "8|2026-11-02T08:00:00|Unknown|Unknown|Partition_Limit|1|4|PENDING|1\n"
      "9|2026-11-02T08:00:00|2026-11-02T08:20:00|2026-11-02T08:20:00|00:10:00|1|4|CANCELLED by "
      "7|1\n"
      "10|1000|1010|Unknown|30|1|4|RUNNING|1\n");
  ASSERT_EQ(list.jobs.size(), 4U);
  const ClusterJob& done = list.jobs[0];
  EXPECT_TRUE(done.over && !done.running);
  EXPECT_EQ(done.start_s - done.submit_s, 60);
  EXPECT_EQ(done.end_s - done.start_s, 3600);
  EXPECT_EQ(done.limit_s, 86400);
  EXPECT_EQ(done.request.nodes, 2);
  EXPECT_EQ(done.request.cpus, 16);
  EXPECT_EQ(done.priority, 9);
  EXPECT_FALSE(list.jobs[1].over || list.jobs[1].running);
  EXPECT_EQ(list.jobs[1].limit_s, 0);
  EXPECT_TRUE(list.jobs[2].over);
  EXPECT_EQ(list.jobs[2].start_s, 0);  // it never ran
  EXPECT_TRUE(list.jobs[3].running);
}

TEST(SlurmAccounting, LeavesOutJobsThatEndBeforeTheyStart) {
  const ClusterJobs list =
      accounted("7|1000|2000|1900|60|1|4|COMPLETED|1\n8|1000|1000|1900|60|1|4|COMPLETED|1\n");
  ASSERT_EQ(list.jobs.size(), 1U);
  EXPECT_EQ(list.jobs[0].id, "8");
  EXPECT_EQ(list.skipped, 1U);
  ASSERT_EQ(list.remarks.size(), 1U);
  EXPECT_EQ(list.remarks[0], "1 job ends before it starts, in line 2: it is left out");
}

TEST(SlurmAccounting, ArraysThatWaitAreJobs) {
  const ClusterJobs list = accounted("8_[1-2,5%2]|1000|Unknown|Unknown|60|1|4|PENDING|1\n");
  ASSERT_EQ(list.jobs.size(), 3U);
  EXPECT_EQ(list.jobs[0].id, "8_1");
  EXPECT_EQ(list.jobs[2].id, "8_5");
}

TEST(SlurmAccounting, ArraysHaveSteps) {
  const ClusterJobs list = accounted("8_[1-5:2%1]|1000|Unknown|Unknown|60|1|4|PENDING|1\n");
  ASSERT_EQ(list.jobs.size(), 3U);
  EXPECT_EQ(list.jobs[1].id, "8_3");
}

TEST(SlurmAccounting, LeavesOutJobsThatStartBeforeTheyWereSubmitted) {
  const ClusterJobs list = accounted("7|1000|900|1900|60|1|4|COMPLETED|1\n");
  EXPECT_TRUE(list.jobs.empty());
  EXPECT_EQ(list.skipped, 1U);
  ASSERT_EQ(list.remarks.size(), 1U);
  EXPECT_EQ(list.remarks[0], "1 job starts before it was submitted, in line 2: it is left out");
}

TEST(SlurmAccounting, KnowsWhoHasItsNodesStill) {
  const ClusterJobs list = accounted(
      "1|1000|1000|Unknown|60|1|4|SUSPENDED|1\n"
      "2|1000|1000|Unknown|60|1|4|COMPLETING|1\n"
      "3|1000|1000|1900|60|1|4|REQUEUED|1\n"
      "4|1000|Unknown|Unknown|60|1|4|REQUEUED|1\n");
  ASSERT_EQ(list.jobs.size(), 4U);
  EXPECT_TRUE(list.jobs[0].running && list.jobs[1].running);
  EXPECT_TRUE(list.jobs[2].over);
  EXPECT_FALSE(list.jobs[3].over || list.jobs[3].running);
}

TEST(SlurmAccounting, PassesOverBlankLinesAndNamesThatComeAgain) {
  const ClusterJobs list = accounted(std::string("  \n7|1000|1000|1900|60|1|4|COMPLETED|1\n") +
                                     kNames + "8|1000|1000|1900|60|1|4|COMPLETED|1\n");
  EXPECT_EQ(list.jobs.size(), 2U);
}

TEST(SlurmAccounting, ReadsWhatATresTextHas) {
  const auto list = read_slurm_accounting(
      "JobID|Submit|State|AllocTRES\n"
      "1|1000|PENDING|cpu=16,gres/gpu:a100=4,node=2\n"
      "2|1000|PENDING|cpu=16,gres/gpu=4,gres/gpu:a100=3,gres/gpu:v100=1,node=4\n"
      "3|1000|PENDING|billing=3,cpu=16,mem=1G\n",
      "sacct");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->jobs.size(), 3U);
  EXPECT_EQ(list->jobs[0].request.nodes, 2);
  EXPECT_EQ(list->jobs[0].request.cpus, 16);
  EXPECT_EQ(list->jobs[0].request.gpus_of_node, 2);
  EXPECT_EQ(list->jobs[1].request.gpus_of_node, 1);
  EXPECT_EQ(list->jobs[2].request.nodes, 0);
}

TEST(SlurmAccounting, IsToldByItsFirstLine) {
  EXPECT_TRUE(looks_like_slurm_accounting("User|JobID|State\n"));
  EXPECT_FALSE(looks_like_slurm_accounting("User|JobName|State\n"));
  EXPECT_FALSE(looks_like_slurm_accounting("1 0 -1 10\nJobID|State\n"));
  EXPECT_FALSE(looks_like_slurm_accounting(""));
}

TEST(SlurmAccounting, RefusesWithTheLine) {
  EXPECT_EQ(refused_line("7|1000|1000|1900|60|1|4|COMPLETED|1\n7|1000|||60|1|4|PENDING|1\n"),
            "sacct:3: two jobs have the id \"7\": list each job once");
  EXPECT_EQ(refused_line("7|Unknown|900|1900|60|1|4|COMPLETED|1\n"),
            "sacct:2: a job has no time in Submit");
  EXPECT_EQ(refused_line("7|1000|900\n"),
            "sacct:2: this line has 3 columns; line 1 names 9 (a name with a \"|\" in it? leave "
            "JobName out of -o)");
  EXPECT_EQ(refused_line("8_[1-3|1000|Unknown|Unknown|60|1|4|PENDING|1\n"),
            "sacct:2: JobID: \"8_[1-3\" has no \"]\" at its end");
  EXPECT_EQ(refused_line("8_[1,3,...]|1000|Unknown|Unknown|60|1|4|PENDING|1\n"),
            "sacct:2: JobID: Slurm cut the list of tasks short: run sacct with SLURM_BITSTR_LEN=0");
  EXPECT_EQ(refused_line("7|1000|1000|1900|60|two|4|COMPLETED|1\n"),
            "sacct:2: NNodes: \"two\" is not a whole number from 0 to 1099511627776");
  EXPECT_EQ(refused_line("8_[1-9999999]|1000|Unknown|Unknown|60|1|4|PENDING|1\n"),
            "sacct:2: JobID: an array of more than 1000000 tasks");
  EXPECT_FALSE(read_slurm_accounting("", "sacct"));
  EXPECT_FALSE(read_slurm_accounting("JobID|JobID|Submit\n", "sacct"));
  const auto message = [](const char* text) {
    const auto list = read_slurm_accounting(text, "sacct");
    return list ? "accepted" : list.error().message();
  };
  EXPECT_EQ(message("JobID|Submit|State\n7|1000|PENDING\n"),
            "sacct:1: there is no column NNodes or NCPUS: run sacct -P -o "
            "JobID,Submit,Start,End,Timelimit,NNodes,NCPUS,State");
  EXPECT_EQ(message("JobID|Submit|NNodes|State\n7|1000|1|COMPLETED\n"),
            "sacct:2: the job is COMPLETED, and line 1 names no Start and End: add them to -o");
}

TEST(SlurmAccounting, HasTheMemoryOfAJobOnEachOfItsNodes) {
  const std::pair<const char*, std::int64_t> rows[] = {{"cpu=4,mem=80G,node=2", 40960},
                                                       {"mem=3,node=2", 2},
                                                       {"mem=31.25G", 16000},
                                                       {"mem=500K,node=2", 1},
                                                       {"mem=1.5T", 786432},
                                                       {"mem=0", 0},
                                                       {"cpu=1,node=2", 0},
                                                       {"mem=32000M,cpu=8", 16000}};
  for (const auto& [tres, memory_mb] : rows) {
    const auto list = read_slurm_accounting(
        std::string("JobID|Submit|NNodes|State|AllocTRES\n1|1000|2|PENDING|") + tres + "\n");
    ASSERT_TRUE(list) << list.error().message();
    EXPECT_EQ(list->jobs.at(0).request.memory_of_node_mb, memory_mb) << tres;
    EXPECT_EQ(list->jobs.at(0).request.memory_said, std::string_view(tres).contains("mem="))
        << tres;
  }
  for (const char* wrong : {"mem=", "mem=G", "mem=1Q", "mem=-1M", "mem=nan", "mem=1e30G"}) {
    EXPECT_FALSE(read_slurm_accounting(
        std::string("JobID|Submit|NNodes|State|AllocTRES\n1|1000|2|PENDING|") + wrong + "\n"))
        << wrong;
  }
}

TEST(SlurmAccounting, HasTheTypesOfGpus) {
  const auto list = read_slurm_accounting(
      "JobID|Submit|NNodes|State|AllocTRES\n"
      "1|1000|2|PENDING|cpu=4,gres/gpu:h100=3,gres/gpu=7,gres/gpu:1g.10gb=4\n"
      "2|1000|1|PENDING|gres/gpu=2,gres/gpu:=2,gres/gpu:a100=0\n");
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_EQ(list->jobs[0].request.gpus_of_node, 4);
  EXPECT_EQ(list->jobs[0].request.gpu_kinds, (std::vector<GpuKind>{{"h100", 2}, {"1g.10gb", 2}}));
  EXPECT_EQ(list->jobs[1].request.gpus_of_node, 2);
  EXPECT_TRUE(list->jobs[1].request.gpu_kinds.empty());
}

}  // namespace
}  // namespace copse
