// SPDX-License-Identifier: Apache-2.0
#include "queue/config/queue_config.hpp"

#include "queue/config/queue_order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plan/flat.hpp"
#include "queue/config/queue_nodes.hpp"

namespace copse::queue {
namespace {

QueueConfig read(const std::string& text) {
  auto config = read_queue_config(text, "q.toml");
  EXPECT_TRUE(config) << (config ? "" : config.error().message());
  return config ? std::move(*config) : QueueConfig();
}
std::string refused(const std::string& text) {
  const auto config = read_queue_config(text, "q.toml");
  return config ? "" : config.error().message();
}

TEST(QueueConfig, WithoutAnythingThereIsOneQueue) {
  const QueueConfig config = read("");
  ASSERT_EQ(config.queues.size(), 1U);
  EXPECT_EQ(config.queues[0].name, "");
  EXPECT_EQ(config.queues[0].discipline.name, "easy");
  EXPECT_EQ(config.queues[0].depth, SIZE_MAX);
}

// One file serves the module in Flux and copse plan.
TEST(QueueConfig, PassesOverWhatIsTheModules) {
  const QueueConfig config = read(R"(
[sched-copse]
queue-policy = "fcfs"
match-policy = "low"
traverser = "simple"
mode = "limited=8"
)");
  ASSERT_EQ(config.queues.size(), 1U);
  EXPECT_EQ(config.queues[0].discipline.name, "fcfs");
}

TEST(QueueConfig, HasQueuesWithTheirOwn) {
  const QueueConfig config = read(R"(
[queues.batch]
requires = ["batch", "fast"]
[queues.debug]
hosts = "node[0-1]"
[queues.urgent]
parent = "batch"
[policy.limits]
duration = "1h"
[sched-copse]
queue-policy = "conservative"
queue-params = "queue-depth=100"
policy-params = "reservation-depth=7"
queue-policy-per-queue = "debug:hybrid"
queue-params-per-queue = "debug:queue-depth=50,max-queue-depth=20"
policy-params-per-queue = "debug:reservation-depth=2"
)");
  ASSERT_EQ(config.queues.size(), 3U);
  const QueueSpec &batch = config.queues[0], &debug = config.queues[1], &urgent = config.queues[2];
  EXPECT_EQ(batch.name, "batch");
  EXPECT_EQ(batch.discipline.name, "conservative");
  EXPECT_EQ(batch.depth, 100U);
  EXPECT_EQ(batch.constraint.op, Constraint::Op::properties);
  EXPECT_EQ(batch.constraint.words, (std::vector<std::string>{"batch", "fast"}));
  EXPECT_EQ(debug.discipline.name, "hybrid");
  EXPECT_EQ(debug.discipline.reservation_depth, 2U);
  EXPECT_EQ(debug.depth, 20U);
  EXPECT_EQ(debug.constraint.words, (std::vector<std::string>{"node0", "node1"}));
  EXPECT_EQ(urgent.parent, "batch");
}

// A limit applies without a depth, too.
TEST(QueueConfig, LimitsTheDepthOfQueues) {
  const auto depth = [](const std::string& params) {
    return read("[sched-copse]\nqueue-params = \"" + params + "\"\n").queues[0].depth;
  };
  EXPECT_EQ(depth("max-queue-depth=20"), 20U);
  EXPECT_EQ(depth("queue-depth=30,max-queue-depth=20"), 20U);
  EXPECT_EQ(depth("queue-depth=30"), 30U);
  EXPECT_EQ(
      read("[sched-fluxion-qmanager]\nqueue-params = \"max-queue-depth=20\"\n").queues[0].depth,
      20U);
}

// The table of Fluxion has Fluxion's defaults, and lower precedence.
TEST(QueueConfig, LimitsOfAQueueStandBeforeThoseOfAll) {
  const QueueConfig config = read(R"(
[policy.limits]
duration = "1h"
job-size.max.nnodes = 4
job-size.min.ncores = 1
[policy.jobspec.defaults.system]
duration = "1m"
[queues.batch]
[queues.big.policy.limits]
duration = 0
job-size.max.nnodes = -1
job-size.max.ngpus = 0
)");
  const JobLimits& limits = config.limits;
  EXPECT_EQ(limits.broken("batch", {4, 1, 9}, 3600), "");
  EXPECT_EQ(limits.broken("batch", {4, 1, 9}, 3601),
            "it asks for 01:00:01, longer than the 01:00:00 of policy.limits.duration");
  EXPECT_EQ(limits.broken("batch", {4, 1, 9}, 0),
            "it asks for a time without end, longer than the 01:00:00 of policy.limits.duration");
  EXPECT_EQ(limits.broken("big", {4, 1, 0}, 0), "");
  EXPECT_EQ(limits.broken("batch", {5, 1, 0}, 1),
            "it asks for 5 nodes, more than the 4 of policy.limits.job-size.max.nnodes");
  EXPECT_EQ(limits.broken("", {0, 0, 0}, 1),
            "it asks for 0 cores, fewer than the 1 of policy.limits.job-size.min.ncores");
  EXPECT_EQ(limits.broken("big", {99, 1, 0}, 1'000'000), "");
  EXPECT_EQ(limits.broken("big", {99, 0, 1}, 1),
            "it asks for 0 cores, fewer than the 1 of policy.limits.job-size.min.ncores");
  EXPECT_EQ(limits.broken("big", {99, 1, 1}, 1),
            "it asks for 1 gpu, more than the 0 of queues.big.policy.limits.job-size.max.ngpus");
}

TEST(QueueConfig, ReadsFluxionsTable) {
  const QueueConfig config = read("[sched-fluxion-qmanager]\nqueue-params = \"foo=1,bar=x\"\n");
  EXPECT_EQ(config.queues[0].discipline.name, "fcfs");
  EXPECT_EQ(config.queues[0].depth, 32U);
  const QueueConfig hybrid = read(R"([sched-fluxion-qmanager]
queue-policy = "hybrid"
queue-params = { queue-depth = 1000 }
policy-params = { max-reservation-depth = 50, reservation-depth = 60 }
)");
  EXPECT_EQ(hybrid.queues[0].discipline.reservation_depth, 64U);  // 60 is not below the limit
  const QueueConfig both =
      read("[sched-fluxion-qmanager]\nqueue-policy = \"hybrid\"\n[sched-copse]\n");
  EXPECT_EQ(both.queues[0].discipline.name, "easy");
}

TEST(QueueConfig, HasPriorities) {
  const QueueConfig config = read(R"(
[queues.batch]
[queues.urgent]
[sched-copse.priority]
rule = "multifactor"
age = 5
age-max = "2d"
half-life = 3600
period = "1m"
queues = { urgent = 100 }
shares = { ada = 2, bob = 0.5 }
)");
  EXPECT_EQ(config.rule.age, 5);
  EXPECT_EQ(config.rule.size, 1000);
  EXPECT_EQ(config.rule.age_max_s, 2 * 86'400);
  EXPECT_EQ(config.rule.half_life_s, 3600);
  EXPECT_EQ(config.rule.period_s, 60);
  EXPECT_EQ(config.rule.queues.at("urgent"), 100);
  EXPECT_EQ(config.rule.shares.at("bob"), 0.5);
}

TEST(QueueConfig, RefusesInOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"queues = 3", "q.toml:1:10: queues must be a table"},
      {"[queues]", "q.toml:1:1: queues has no queue"},
      {"[queues.a]\nrequire = [\"x\"]",
       "q.toml:2:11: unknown key \"require\"; did you mean \"requires\"?"},
      {"[queues.a]\nrequires = [1]", "q.toml:2:13: a property must be a string"},
      {"[queues.a]\nhosts = \"n[\"", "q.toml:2:9: hosts: "},
      {"[queues.a]\nparent = \"b\"",
       "q.toml:1:1: the parent of queue \"a\", \"b\", is not a queue"},
      {"[sched-copse]\nqueue-policy = \"esay\"",
       "q.toml:2:16: unknown discipline \"esay\"; did you mean \"easy\"?"},
      {"[sched-copse]\nqueue-plicy = \"easy\"",
       "q.toml:2:15: unknown key \"queue-plicy\"; did you mean \"queue-policy\"?"},
      {"[sched-copse]\nqueue-params = \"queue-depth=0\"",
       "q.toml:2:16: queue-depth is \"0\", not a whole number of 1 or more"},
      {"[sched-copse]\nqueue-params = { queue-depth = true }",
       "q.toml:2:32: queue-depth is \"true\", not a whole number of 1 or more"},
      {"[sched-copse]\nqueue-params = { queue-depth = [1, 2] }",
       "q.toml:2:32: queue-depth is \"[1, 2]\", not a whole number of 1 or more"},
      {"[sched-copse]\nqueue-params = { queue-depth = \"x\" }",
       "q.toml:2:32: queue-depth is \"x\", not a whole number of 1 or more"},
      {"[sched-copse]\nqueue-params = \"depth\"",
       "q.toml:2:16: \"depth\" is not a parameter: write name=number"},
      {"[sched-copse]\nqueue-params = \"queue-dept=4\"",
       "q.toml:2:16: unknown parameter \"queue-dept\"; did you mean \"queue-depth\"?"},
      {"[sched-copse]\nqueue-policy-per-queue = \"a:easy\"",
       "q.toml:2:26: queue-policy-per-queue: \"a:easy\" names no queue"},
      {"[queues.a]\n[sched-copse]\nqueue-priority-per-queue = \"a:high\"",
       "q.toml:3:28: queue-priority-per-queue: \"a:high\" has no whole number"},
      {"[sched-copse.priority]\nrule = \"fif\"",
       "q.toml:2:8: unknown priority rule \"fif\"; did you mean \"fifo\"?"},
      {"[sched-copse.priority]\nage = \"much\"", "q.toml:2:7: age must be a number"},
      {"[sched-copse.priority]\nage = 9007199254740993", "q.toml:2:7: age must be a number"},
      {"[sched-copse.priority]\nperiod = 0",
       "q.toml:1:1: age-max, half-life and period must be a second or more"},
      {"[sched-copse.priority]\nqueues = { x = 1 }",
       "q.toml:2:16: priority.queues: there is no queue \"x\""},
      {"[sched-copse.priority]\nsize = nan", "q.toml:1:1: size is nan: a weight is between"},
      {"[sched-copse.priority]\nfair-share = 1e300",
       "q.toml:1:1: fair-share is 1e+300: a weight is"},
      {"[sched-copse.priority]\nshares = { ada = 0 }",
       "q.toml:1:1: shares.ada is 0: a share is above 0 and at most 1e+"},
      {"[policy.limit]\nduration = \"1h\"",
       "q.toml:1:1: unknown key \"limit\"; did you mean \"limits\"?"},
      {"[policy]\nlimits = 3", "q.toml:2:10: limits must be a table"},
      {"[policy.limits]\nduration = \"1 h\"", "q.toml:2:12: duration: "},
      {"[policy.limits]\nduration = true", "q.toml:2:12: duration must be a text, such as"},
      {"[policy.limits.job-size.max]\nnnodes = -2",
       "q.toml:2:10: nnodes must be a whole number of 0 or more, or -1 for unlimited"},
      {"[queues.a.policy.limits.job-size]\nmaximum = 3",
       "q.toml:2:11: unknown key \"maximum\"; there are max, min"},
      {"polcy = 1", "q.toml:1:9: unknown table \"polcy\"; did you mean \"policy\"?"},
      {"[{", "q.toml:1:2: this is not TOML: "},
      {"\xef\xbb\xbf\xef\xbb\xb7", "q.toml:1:1: this is not TOML: "},
  };
  for (const auto& [text, message] : cases) {
    const std::string got = refused(text);
    EXPECT_TRUE(got.starts_with(message)) << text << "\n  " << got << "\n  " << message;
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;
  }
}

TEST(QueueConfig, RequiresWhatSomeNodeOfItsHostsHas) {
  const auto engine = plan::flat_engine(4, 1);
  const ResourceGraph& graph = engine->graph();
  engine->set_property(graph.of_type(graph.find_type("node")).back(), "fast", "");
  const auto asked_of = [&](const char* hosts) {
    const std::string text = std::string("[queues.a]\nrequires = [\"fast\"]\nhosts = \"") + hosts;
    const auto ok = check_requires(read(text + "\""), graph);
    return ok ? "" : ok.error().message();
  };
  EXPECT_EQ(asked_of("node[2-3]"), "");
  EXPECT_EQ(asked_of("node[0-2]"),
            "the queue \"a\": no node has all that it requires; none of its jobs could ever start "
            "(requires, hosts)");
}

TEST(QueueConfig, WarnsWhereOnlyNamesDecideTheOrder) {
  const auto engine = plan::flat_engine(4, 1);
  const auto warning = [&](const std::string& text) {
    return order_by_names(read("[queues.a]\n[queues.b]\n" + text), engine->graph());
  };
  EXPECT_EQ(warning(""),
            "queues \"a\" and \"b\" share nodes: \"a\" is served first, by its name; set "
            "queue-priority-per-queue");
  EXPECT_EQ(warning("[sched-copse.priority]\nqueues = { b = 7 }"),
            "queues \"a\" and \"b\" share nodes: \"a\" is served first, by its name (a bonus "
            "acts within its queue); set queue-priority-per-queue");
  EXPECT_EQ(warning("[sched-copse]\nqueue-priority-per-queue = \"b:2\""), std::nullopt);
  const std::string apart = "[queues.a]\nhosts = \"node[0-1]\"\n[queues.b]\nhosts = \"node[2-3]\"";
  EXPECT_EQ(order_by_names(read(apart), engine->graph()), std::nullopt);
  EXPECT_EQ(order_by_names(read("[queues.a]\n[queues.b]\nparent = \"a\""), engine->graph()),
            std::nullopt);
}

TEST(QueueConfig, HasDefaultsOfJobs) {
  const QueueConfig config = read(
      "[queues.a]\n[queues.b.policy.jobspec.defaults.system]\nduration = \"10m\"\n"
      "[policy.jobspec.defaults.system]\nqueue = \"a\"\nduration = 3600\n"
      "[policy.jobspec.defaults.shell]\nx = 1\n");
  EXPECT_EQ(config.defaults.queue, "a");
  EXPECT_EQ(config.defaults.duration_of("a"), 3600);
  EXPECT_EQ(config.defaults.duration_of("b"), 600);
  EXPECT_EQ(read("[queues.a]\n").defaults.duration_of("a"), 0);
  const JobDefaults memory =
      read(
          "[queues.a]\n[queues.b.policy.jobspec.defaults.system]\nmemory-per-node = 9\n"
          "[policy.jobspec.defaults.system]\nmemory-per-cpu = 5\nwhole-nodes = true\n")
          .defaults;
  EXPECT_EQ(JobDefaults::of(memory.memory, "a").of_cpu_mb, 5);
  EXPECT_EQ(JobDefaults::of(memory.memory, "b").of_cpu_mb, 0);
  EXPECT_EQ(JobDefaults::of(memory.memory, "b").of_node_mb, 9);
  EXPECT_TRUE(JobDefaults::of(memory.whole_nodes, "b"));
  for (const char* text : {"memory-per-cpu = 5\nmemory-per-node = 9\n", "memory-per-cpu = -1\n",
                           "memory-per-cpu = \"4G\"\n", "whole-nodes = 1\n"}) {
    const auto wrong =
        read_queue_config(std::string("[policy.jobspec.defaults.system]\n") + text, "q");
    EXPECT_FALSE(wrong) << text;
  }
  const auto wrong =
      read_queue_config("[queues.a]\n[policy.jobspec.defaults.system]\nqueue = \"c\"\n", "q");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text.find("\"c\" is no queue of this file"), std::string::npos)
      << wrong.error().message();
}

}  // namespace
}  // namespace copse::queue
