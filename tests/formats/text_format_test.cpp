// SPDX-License-Identifier: Apache-2.0
//
// What a text is, where it is no machine that is read: lists of jobs, and what commands print for people.
#include "formats/text_format.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

TEST(TextFormat, TellsListsOfJobsByTheirFirstEntry) {
  using F = TextFormat;
  for (const auto& [text, format] : std::vector<std::pair<std::string, F>>{
           {R"({"jobs": [{"job_id": 1, "job_state": ["RUNNING"]}]})", F::slurm_jobs},
           {R"({"jobs": [{"job_id": 1}]})", F::slurm_jobs},
           {R"({"jobs": [{"account": "a", "job_id": 1, "state": {"current": ["RUNNING"]}}]})",
            F::slurm_accounting_json},
           {R"({"jobs": [{"time": {"limit": 1}, "job_id": 1}]})", F::slurm_accounting_json},
           {R"({"jobs": [{"id": 1, "state": "RUN", "annotations": {"job_id": 1}}]})", F::flux_jobs},
           {R"({"jobs": []})", F::flux_jobs},
           {R"({"jobs": [], "meta": {"slurm": {}}})", F::slurm_jobs},
           {R"({"meta": {"Slurm": {}}, "errors": [], "jobs": []})", F::slurm_jobs},
           {R"({"nb_res": 4, "jobs": [{"id": "1", "subtime": 0}], "profiles": {}})", F::batsim},
           {R"({"R": {"execution": {}}, "id": 3})", F::r_stream},
           {R"({"id": 3, "R": {"execution": {}}})", F::r_stream},
           {R"({"meta": {"slurm": {}}, "partitions": []})", F::slurm_other},
           {R"({"sinfo": []})", F::slurm_other},
           {R"({"partitions": [{"name": "p"}]})", F::slurm_other},
           {R"({"nodes": 4, "duration": 60})", F::json},
       }) {
    EXPECT_EQ(text_format(text), format) << text;
  }
}

TEST(TextFormat, KnowsWhatCommandsPrintForPeople) {
  using F = TextFormat;
  for (const auto& [text, format] : std::vector<std::pair<std::string, F>>{
           {"             JOBID PARTITION     NAME     USER ST", F::job_table},
           {"JobID           JobName  Partition    Account\n------------", F::job_table},
           {"PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n", F::node_table},
           {"     STATE NNODES   NCORES    NGPUS NODELIST\n", F::node_table},
           {"Fri Nov 27 19:00:01 2026\n  JOBID PARTITION NAME\n", F::job_table},
           {"Fri Nov 27 19:00:01 2026\nNODELIST   NODES PARTITION STATE\n", F::node_table},
           {"JobID|Submit|NNodes\n", F::slurm_accounting},
           {"Configuration data as of 2026-11-02T08:00:00\nClusterName = c\n", F::scontrol_config},
           {"NodeName=n1 Arch=x86_64 CoresPerSocket=8\n   CPUAlloc=0 CPUTot=16\n",
            F::scontrol_nodes},
           {"NodeName=n1 CPUs=16\n", F::slurm_conf},
           {"JobId=12 JobName=x\n   UserId=a(1)\n", F::scontrol_jobs},
           {"PartitionName=p\n   AllowGroups=ALL\n   State=UP TotalCPUs=4 TotalNodes=1\n",
            F::scontrol_other},
           {"PartitionName=p Nodes=ALL\n", F::slurm_conf},
           {"ReservationName=r StartTime=2026-11-02T08:00:00\n", F::scontrol_other},
           {"; Version: 2.2\n1 0 0 10\n", F::other},
       }) {
    EXPECT_EQ(text_format(text), format) << text;
  }
}

TEST(TextFormat, SaysWhatToGiveInstead) {
  for (const TextFormat format : {TextFormat::scontrol_nodes, TextFormat::scontrol_config,
                                  TextFormat::node_table, TextFormat::slurm_other}) {
    const std::string why(why_not_read(format));
    EXPECT_NE(why.find("scontrol show nodes --json"), why.npos) << why;
    EXPECT_LE(why.size(), 100U) << why;
  }
  EXPECT_EQ(why_not_read(TextFormat::slurm_conf), "");
}

}  // namespace
}  // namespace copse
