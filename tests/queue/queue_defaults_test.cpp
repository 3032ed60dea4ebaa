// SPDX-License-Identifier: Apache-2.0
#include "queue/config/queue_defaults.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "formats/slurm/slurm_conf.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::queue {
namespace {

ResourceGraph machine_of(std::string_view nodes) {
  const auto machine = read_slurm_conf(nodes, "slurm.conf");
  EXPECT_TRUE(machine) << machine.error().message();
  return std::move(*graph_of_slurm(*machine));
}

JobDefaults defaults_of(std::string_view toml) {
  auto config = read_queue_config(toml, "q.toml");
  EXPECT_TRUE(config) << config.error().message();
  return std::move(config->defaults);
}

constexpr std::string_view kQueues =
    "[policy.jobspec.defaults.system]\nmemory-per-cpu = 1000\n[queues.a]\n[queues.b]\n"
    "[queues.b.policy.jobspec.defaults.system]\nmemory-per-node = 5000\nwhole-nodes = true\n";

TEST(QueueDefaults, AreThoseOfTheQueueElseOfAll) {
  const QueueDefaults of_queues(defaults_of(kQueues),
                                machine_of("NodeName=n[1-2] CPUs=4 RealMemory=64000\n"));
  EXPECT_EQ(of_queues.of("a"), RequestDefaults{.memory_of_core = 1000});
  EXPECT_EQ(of_queues.of(""), RequestDefaults{.memory_of_core = 1000});
  const RequestDefaults of_b{.memory_of_node = 5000, .whole_nodes = true};
  EXPECT_EQ(of_queues.of("b"), of_b);
  EXPECT_EQ(of_queues.remark(), "");
  EXPECT_TRUE(QueueDefaults().of("a").empty());
}

// Slurm counts threads, or sockets; the fewest CPUs of a core count.
TEST(QueueDefaults, CountTheCpusOfACore) {
  const auto of_core = [](std::string_view nodes) {
    return QueueDefaults(defaults_of(kQueues), machine_of(nodes)).of("a").memory_of_core;
  };
  constexpr std::string_view kThreads =
      "NodeName=n1 CPUs=8 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=64000\n";
  EXPECT_EQ(of_core(kThreads), 2000);
  EXPECT_EQ(of_core(std::string(kThreads) + "NodeName=n2 CPUs=4 RealMemory=64000\n"), 1000);
  EXPECT_EQ(of_core("NodeName=n1 CPUs=2 Sockets=2 CoresPerSocket=3 RealMemory=64000\n"), 334);
}

TEST(QueueDefaults, HaveNoEffectWithoutMemoryNextToCores) {
  const QueueDefaults none(defaults_of(kQueues), machine_of("NodeName=n1 CPUs=4\n"));
  EXPECT_TRUE(none.of("a").empty());
  EXPECT_EQ(none.of("b"), RequestDefaults{.whole_nodes = true});
  EXPECT_TRUE(none.remark().contains("have no effect"));
  EXPECT_EQ(QueueDefaults(defaults_of("[queues.a]\n"), machine_of("NodeName=n1 CPUs=4\n")).remark(),
            "");
}

}  // namespace
}  // namespace copse::queue
