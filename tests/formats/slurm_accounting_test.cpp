// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_accounting.hpp"

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
  EXPECT_EQ(done.wish.nodes, 2);
  EXPECT_EQ(done.wish.cpus, 16);
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

TEST(SlurmAccounting, IsToldByItsFirstLine) {
  EXPECT_TRUE(looks_like_slurm_accounting("User|JobID|State\n"));
  EXPECT_FALSE(looks_like_slurm_accounting("User|JobName|State\n"));
  EXPECT_FALSE(looks_like_slurm_accounting("1 0 -1 10\nJobID|State\n"));
  EXPECT_FALSE(looks_like_slurm_accounting(""));
}

TEST(SlurmAccounting, RefusesWithTheLine) {
  EXPECT_EQ(refused_line("7|1000|1000|1900|60|1|4|COMPLETED|1\n7|1000|||60|1|4|PENDING|1\n"),
            "sacct:3: two jobs have the id \"7\": list each job once");
  EXPECT_EQ(refused_line("7|1000|900|1900|60|1|4|COMPLETED|1\n"),
            "sacct:2: the job starts before it was submitted");
  EXPECT_EQ(refused_line("7|Unknown|900|1900|60|1|4|COMPLETED|1\n"),
            "sacct:2: a job has no time in Submit");
  EXPECT_EQ(refused_line("7|1000|900\n"), "sacct:2: this line has 3 columns; line 1 names 9");
  EXPECT_EQ(refused_line("7|1000|1000|1900|60|two|4|COMPLETED|1\n"),
            "sacct:2: NNodes: \"two\" is not a whole number from 0 to 1099511627776");
  EXPECT_EQ(refused_line("8_[1-9999999]|1000|Unknown|Unknown|60|1|4|PENDING|1\n"),
            "sacct:2: an array of more than 1000000 jobs");
  EXPECT_FALSE(read_slurm_accounting("", "sacct"));
  EXPECT_FALSE(read_slurm_accounting("JobID|JobID|Submit\n", "sacct"));
}

}  // namespace
}  // namespace copse
