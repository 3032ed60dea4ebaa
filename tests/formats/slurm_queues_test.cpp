// SPDX-License-Identifier: Apache-2.0
//
// Partitions and licences of slurm.conf, as the queues and hierarchical resources that are read of them.
#include "formats/slurm/queues/slurm_queues.hpp"

#include <gtest/gtest.h>

#include "formats/hres/hres.hpp"
#include "formats/slurm/slurm_values.hpp"

namespace copse {
namespace {

TEST(SlurmTimes, AreThoseOfTheManual) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {"30", 1800},        {"30:15", 1860},  {"2:00:00", 7200},
      {"1-0", 86400},      {"1-12", 129600}, {"1-12:30", 131400},
      {"7-0:0:5", 604860}, {"0", 0},         {"INFINITE", 0},
      {"unlimited", 0},    {"-1", 0}};
  for (const auto& [text, time_s] : rows) EXPECT_EQ(parse_slurm_time(text), time_s) << text;
  for (const char* text : {"", "-2", "1-", "1:", "1:2:3:4", "1-1:2:3:4", "x", "1d", "-", "1 2",
                           "99999999999999999999", "1073741824-0"}) {
    EXPECT_EQ(parse_slurm_time(text), std::nullopt) << text;
  }
}

TEST(SlurmValues, AreThoseOfItsParser) {
  const std::pair<const char*, std::optional<std::int64_t>> rows[] = {
      {"0", 0},
      {"12", 12},
      {"010", 8},
      {"0x10", 16},
      {"0XfF", 255},
      {"64k", 65536},
      {"2K", 2048},
      {"1099511627776", INT64_C(1) << 40},
      {"1073741824k", INT64_C(1) << 40},
      {"08", std::nullopt},
      {"", std::nullopt},
      {"k", std::nullopt},
      {"0x", std::nullopt},
      {"-1", std::nullopt},
      {"0x-1", std::nullopt},
      {"0-1", std::nullopt},
      {"1.5", std::nullopt},
      {"4M", std::nullopt},
      {"1073741825k", std::nullopt},
      {"99999999999999999999", std::nullopt}};
  for (const auto& [text, number] : rows) EXPECT_EQ(parse_slurm_number(text), number) << text;
  for (const char* yes : {"YES", "yes", "Up", "TRUE", "1"}) EXPECT_TRUE(is_slurm_yes(yes)) << yes;
  for (const char* no : {"", "NO", "0", "Y", "2"}) EXPECT_FALSE(is_slurm_yes(no)) << no;
  for (const char* yes : {"", "CR_Core_Memory", "cr_memory", "CR_LLN,CR_CPU_MEMORY"}) {
    EXPECT_TRUE(slurm_consumes_memory(yes)) << yes;
  }
  for (const char* no : {"CR_Core", "CR_CPU,CR_LLN", "MEMOR"}) {
    EXPECT_FALSE(slurm_consumes_memory(no)) << no;
  }
}

constexpr const char* kNodes = "NodeName=n[1-4] CPUs=8\n";

std::string queues_of(const std::string& lines) {
  const auto toml = slurm_queues_toml(kNodes + lines, "slurm.conf");
  return toml ? *toml : toml.error().message();
}

TEST(SlurmQueues, HaveLimitsAccessAndPriorities) {
  EXPECT_EQ(queues_of("PartitionName=DEFAULT MaxTime=1-0 State=UP\n"
                      "PartitionName=batch Nodes=ALL Default=YES MaxNodes=2 MinNodes=1\n"
                      "PartitionName=long Nodes=n[3-4] MaxTime=INFINITE DefaultTime=2:00:00 \\\n"
                      "  AllowGroups=physics,chemistry PriorityTier=3\n"
                      "PartitionName=none\n"),
            R"(# The partitions of slurm.conf.

[queues."batch"]
requires = ["batch"]
[queues."batch".policy.limits]
duration = 86400
job-size.max.nnodes = 2
job-size.min.nnodes = 1
[queues."batch".policy.jobspec.defaults.system]
duration = 86400

[queues."long"]
requires = ["long"]
[queues."long".policy.jobspec.defaults.system]
duration = 7200
[queues."long".policy.access]
allow-group = ["physics", "chemistry"]

[policy.jobspec.defaults.system]
queue = "batch"

[sched-copse]
queue-policy = "conservative"
queue-priority-per-queue = "batch:1 long:3"
)");
}

// DefMemPerNode of DEFAULT counts more than DefMemPerCPU of a partition, as in Slurm's reader; UNLIMITED undoes
// that of the cluster.
TEST(SlurmQueues, HaveMemoryAndWholeNodesOfJobsThatAskForNone) {
  EXPECT_EQ(queues_of("DefMemPerCPU=2000\nSelectType=select/linear\n"
                      "PartitionName=DEFAULT DefMemPerNode=64000\n"
                      "PartitionName=node Nodes=ALL OverSubscribe=EXCLUSIVE\n"
                      "PartitionName=cpu Nodes=ALL DefMemPerCPU=4000 OverSubscribe=FORCE:2\n"
                      "PartitionName=none Nodes=ALL DefMemPerNode=UNLIMITED Shared=YES\n"),
            R"(# The partitions of slurm.conf.

[queues."node"]
requires = ["node"]
[queues."node".policy.jobspec.defaults.system]
memory-per-node = 64000
whole-nodes = true

[queues."cpu"]
requires = ["cpu"]
[queues."cpu".policy.jobspec.defaults.system]
memory-per-node = 64000

[queues."none"]
requires = ["none"]
[queues."none".policy.jobspec.defaults.system]
memory-per-node = 0

[policy.jobspec.defaults.system]
memory-per-cpu = 2000
whole-nodes = true

[sched-copse]
queue-policy = "conservative"
)");
  EXPECT_EQ(queues_of("PartitionName=a Nodes=ALL DefMemPerCPU=4G\n"),
            "slurm.conf:2: DefMemPerCPU is \"4G\", not a number of MB");
}

// A feature with the name of a partition does not bring other nodes into its queue.
TEST(SlurmQueues, HaveTheNodesOfTheirPartition) {
  const auto toml = slurm_queues_toml(
      "NodeName=n[1-3] CPUs=8 Features=gpu,ib\nPartitionName=gpu Nodes=n[1-2]\n"
      "PartitionName=ib Nodes=ALL\n",
      "slurm.conf");
  ASSERT_TRUE(toml) << toml.error().message();
  EXPECT_TRUE(toml->contains("[queues.\"gpu\"]\nhosts = \"n[1-2]\"\n")) << *toml;
  EXPECT_TRUE(toml->contains("[queues.\"ib\"]\nrequires = [\"ib\"]\n")) << *toml;
}

TEST(SlurmQueues, HaveLimitsThatJobsCanKeep) {
  const std::string text = queues_of(
      "PartitionName=a Nodes=ALL MaxTime=5 DefaultTime=10\n"
      "PartitionName=b Nodes=ALL MaxTime=5 DefaultTime=INFINITE\n");
  EXPECT_FALSE(text.contains("600")) << text;
  const auto first = text.find("duration = 300\n[queues.\"a\".policy.jobspec");
  EXPECT_NE(first, text.npos) << text;
  EXPECT_EQ(queues_of("PartitionName=a Nodes=ALL MinNodes=3 MaxNodes=2\n"),
            "slurm.conf:2: MinNodes is \"3\", not at most MaxNodes, which is 2");
}

// The default memory of the partition a, without its key.
std::string memory_of(const std::string& lines) {
  const std::string text = queues_of(lines);
  const auto begin = text.find("[queues.\"a\".policy.jobspec");
  const auto at = begin == text.npos ? text.npos : text.find("memory-per-", begin);
  return at == text.npos || at > text.find("\n\n", begin)
             ? ""
             : text.substr(at + 11, text.find('\n', at) - at - 11);
}

TEST(SlurmQueues, HaveTheMemoryThatSlurmTakes) {
  // That of nodes counts more, even if only DEFAULT has it.
  EXPECT_EQ(memory_of("PartitionName=DEFAULT DefMemPerNode=9\n"
                      "PartitionName=a Nodes=ALL DefMemPerCPU=5\n"),
            "node = 9");
  EXPECT_EQ(memory_of("PartitionName=a Nodes=ALL DefMemPerCPU=5 DefMemPerNode=0\n"), "");
  EXPECT_EQ(memory_of("PartitionName=a Nodes=ALL DefMemPerNode=UNLIMITED\n"), "node = 0");
  EXPECT_EQ(memory_of("PartitionName=a Nodes=ALL DefMemPerCPU=0x10\n"), "cpu = 16");
  // Where it is no consumable resource, jobs take none.
  EXPECT_EQ(memory_of("SelectTypeParameters=CR_Core\n"
                      "PartitionName=a Nodes=ALL DefMemPerCPU=5\n"),
            "");
  EXPECT_EQ(memory_of("SelectTypeParameters=CR_Core\nPartitionName=a Nodes=ALL DefMemPerCPU=5 "
                      "SelectTypeParameters=CR_Core_Memory\n"),
            "cpu = 5");
  EXPECT_EQ(memory_of("DefMemPerCPU=7\n"
                      "PartitionName=a Nodes=ALL SelectTypeParameters=CR_Socket\n"),
            "cpu = 0");
  EXPECT_FALSE(queues_of("DefMemPerCPU=7\nSelectTypeParameters=CR_CPU\nPartitionName=a Nodes=ALL\n")
                   .contains("memory"));
}

// Words and numbers in the other forms that Slurm accepts; Priority counts more than what replaces it.
TEST(SlurmQueues, AreReadAsSlurmReadsThem) {
  const std::string text = queues_of(
      "PartitionName=a Nodes=\"n1 n2,n3\" Default=true MaxNodes=1k PriorityTier=9 Priority=0x2\n"
      "PartitionName=b Nodes=ALL Default=no MaxTime=-1\n");
  EXPECT_TRUE(text.contains("queue = \"a\"")) << text;
  EXPECT_TRUE(text.contains("job-size.max.nnodes = 1024\n")) << text;
  EXPECT_TRUE(text.contains("queue-priority-per-queue = \"a:2 b:1\"")) << text;
  EXPECT_FALSE(text.contains("duration")) << text;
}

TEST(SlurmQueues, HaveWeightsOfMultifactor) {
  EXPECT_EQ(
      queues_of("PriorityWeightAge=100\nPriorityWeightJobSize=50\nPriorityFavorSmall=YES\n"
                "PriorityWeightPartition=1000\nPriorityMaxAge=14-0\nSchedulerType=sched/builtin\n"
                "PartitionName=a Nodes=ALL PriorityJobFactor=1\n"
                "PartitionName=b Nodes=ALL PriorityJobFactor=4\n"),
      R"(# The partitions of slurm.conf.

[queues."a"]
requires = ["a"]

[queues."b"]
requires = ["b"]

[sched-copse]
queue-policy = "fcfs"

[sched-copse.priority]
rule = "multifactor"
age = 100
fair-share = 0
size = -50
age-max = 1209600
queues = { "a" = 250, "b" = 1000 }
)");
}

TEST(SlurmQueues, RefuseWhatSlurmRefuses) {
  const std::pair<const char*, const char*> rows[] = {
      {"PartitionName=a Nodes=ALL MaxTime=soon\n",
       "slurm.conf:2: MaxTime is \"soon\", not a time, such as 1-12:00:00"},
      {"PartitionName=a Nodes=ALL MaxNodes=few\n",
       "slurm.conf:2: MaxNodes is \"few\", not a number of nodes"},
      {"PartitionName=a Nodes=ALL PriorityTier=70000\n",
       "slurm.conf:2: PriorityTier is \"70000\", not a number up to 65535"},
      {"PriorityWeightAge=much\nPartitionName=a Nodes=ALL\n",
       "slurm.conf:2: PriorityWeightAge is \"much\", not a whole number"},
      {"", "slurm.conf: it has no partition with nodes, so there are no queues"},
  };
  for (const auto& [lines, message] : rows) EXPECT_EQ(queues_of(lines), message);
}

TEST(SlurmLicences, AreLayersOverAllNodes) {
  const auto yaml =
      slurm_licences_yaml(std::string(kNodes) + "Licenses=matlab:4,ansys*2;idl\n", "slurm.conf");
  ASSERT_TRUE(yaml) << yaml.error().message();
  const auto spec = read_hres(*yaml);
  ASSERT_TRUE(spec) << spec.error().message() << *yaml;
  ASSERT_EQ(spec->resources.size(), 3u);
  const std::pair<const char*, std::int64_t> wanted[] = {{"matlab", 4}, {"ansys", 2}, {"idl", 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(spec->resources[i].name, wanted[i].first);
    ASSERT_EQ(spec->resources[i].layers.size(), 1u);
    EXPECT_EQ(spec->resources[i].layers[0].count, wanted[i].second);
  }
  for (const auto& [lines, message] :
       {std::pair{"", "slurm.conf: it has no Licenses, so there are no hierarchical resources"},
        {"Licenses=a:x\n", "slurm.conf:2: Licenses is \"a:x\", not a licence, such as matlab:4"},
        {"Licenses=a,a:2\n", "slurm.conf:2: Licenses is \"a:2\", not named once"}}) {
    const auto refused = slurm_licences_yaml(std::string(kNodes) + lines, "slurm.conf");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(), message);
  }
}

}  // namespace
}  // namespace copse
