// SPDX-License-Identifier: Apache-2.0
//
// What the queues of a service give jobs and grants that do not say their memory, or share nodes.
#include <gtest/gtest.h>

#include <string>

#include "formats/slurm/slurm_conf.hpp"
#include "job_desk.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::server {
namespace {

// Nodes n1 and n2 of 8 cores and 64,000 MB.
Result<Session> session_with_memory(SessionEnvironment environment,
                                    Traverser traverser = Traverser::loop_aware) {
  const auto machine = read_slurm_conf("NodeName=n[1-2] CPUs=8 RealMemory=64000\n", "slurm.conf");
  auto graph = graph_of_slurm(*machine);
  EngineOptions options;
  options.traverser = traverser;
  auto engine = Engine::create(std::move(*graph), std::move(options));
  SessionOptions made;
  made.environment = std::move(environment);
  return Session(std::move(*engine), std::move(made));
}

class QueueDefaultsTest : public testing::Test {
 protected:
  explicit QueueDefaultsTest(Traverser traverser = Traverser::loop_aware) : traverser_(traverser) {}
  void SetUp() override {
    serve(R"(
[policy.jobspec.defaults.system]
queue = "batch"
memory-per-cpu = 8000
[queues.batch]
[queues.large]
[queues.large.policy.jobspec.defaults.system]
memory-per-node = 40000
[queues.whole]
[queues.whole.policy.jobspec.defaults.system]
memory-per-cpu = 0
whole-nodes = true
[grants]
duration = "1h"
queues = ["large"]
)");
  }
  void serve(std::string_view toml) {
    auto config = queue::read_queue_config(toml, "q.toml");
    ASSERT_TRUE(config) << config.error().message();
    desk_.set_queues(config->queues);
    desk_.rules.defaults = config->defaults;
    desk_.rules.grants = config->grants;
    desk_.restart();
    ASSERT_EQ(desk_.error, "");
  }
  std::string ask(const std::string& line, const Caller& caller = kOwner) {
    std::string out = desk_.service->answer(line, 1'000, 0, caller).text();
    while (!desk_.service->work(1'000)) {
    }
    return out;
  }
  std::string submit(int id, std::string_view shape, std::string_view queue = "") {
    std::string line =
        fmt::format(R"({{"op": "submit", "id": {}, "shape": "{}", "duration": 60)", id, shape);
    if (!queue.empty()) line += fmt::format(R"(, "queue": "{}")", queue);
    return ask(line + "}");
  }
  std::string of(std::string_view op, int id) {
    return ask(fmt::format(R"({{"op": "{}", "id": {}}})", op, id));
  }
  testing::AssertionResult is(std::string_view state, int id) {
    const std::string job = of("job", id);
    const bool as_said = job.contains(fmt::format(R"("state": "{}")", state));
    return as_said ? testing::AssertionSuccess() : testing::AssertionFailure() << job;
  }
  std::string take(std::string_view shape, const Caller& caller) {
    return ask(fmt::format(R"({{"op": "alloc", "shape": "{}", "duration": 60}})", shape), caller);
  }

  const Traverser traverser_;
  ServiceInMemory desk_{{}, [this](SessionEnvironment environment) {
                          return session_with_memory(std::move(environment), traverser_);
                        }};
};

const Caller kSomeUser{Role::user, "ada"}, kSomeOperator{Role::operate, "op"};

TEST_F(QueueDefaultsTest, JobsGetTheMemoryOfTheirCores) {
  submit(1, "slot=1/core=4");
  submit(2, "slot=1/core=4");
  submit(3, "slot=1/core=4", "batch");
  EXPECT_TRUE(is("running", 2));
  EXPECT_TRUE(is("running", 3));
  submit(4, "slot=1/[core=1;memory=32000]");
  EXPECT_TRUE(is("running", 4));
  submit(5, "slot=1/core");  // 3 cores are free, and no memory
  EXPECT_TRUE(is("planned", 5));
  EXPECT_TRUE(of("job", 1).contains(R"("memory_per_core": 8000)")) << of("job", 1);
  EXPECT_FALSE(of("job", 4).contains("memory_per_core")) << of("job", 4);
}

TEST_F(QueueDefaultsTest, JobsSayWhyTheyWait) {
  submit(1, "slot=2/[core;memory=40000]");
  submit(2, "slot=1/core=4");
  EXPECT_TRUE(is("planned", 2));
  const std::string why = of("why", 2);
  EXPECT_TRUE(why.contains(R"(its memory is the default of queue \"batch\")")) << why;
}

TEST_F(QueueDefaultsTest, SlotsOfANodeShareItsMemory) {
  submit(1, "node=1/slot=2/core", "large");
  submit(2, "node=1/slot=2/core", "large");
  submit(3, "node=1/slot=2/core", "large");
  EXPECT_TRUE(is("running", 1));
  EXPECT_TRUE(is("running", 2));
  EXPECT_TRUE(is("planned", 3));
  EXPECT_TRUE(of("job", 3).contains(R"("memory_per_node": 40000)")) << of("job", 3);
}

TEST_F(QueueDefaultsTest, QueuesGiveWholeNodes) {
  submit(1, "node=1/slot=1/core", "whole");
  submit(2, "node=1/slot=1/core", "whole");
  submit(3, "node=1/slot=1/core", "whole");
  EXPECT_TRUE(is("running", 2));
  EXPECT_TRUE(is("planned", 3));
  EXPECT_TRUE(of("job", 3).contains(R"("whole_nodes": true)")) << of("job", 3);
  const std::string refused = submit(4, "slot=1/core", "whole");
  EXPECT_TRUE(refused.contains("the request must name nodes")) << refused;
}

// Other defaults are for later jobs.
TEST_F(QueueDefaultsTest, JobsKeepTheirDefaults) {
  submit(1, "slot=2/[core;memory=64000]");
  submit(2, "slot=1/core=2");
  const std::string before = of("why", 2);
  serve("[queues.batch]\n");
  EXPECT_EQ(of("why", 2), before);
  EXPECT_TRUE(of("job", 2).contains(R"("memory_per_core": 8000)")) << of("job", 2);
  submit(3, "slot=1/core=2", "batch");
  EXPECT_TRUE(is("running", 3));
}

// Of users that of the queue whose nodes they get, else that of all queues.
TEST_F(QueueDefaultsTest, GrantsGetMemoryToo) {
  EXPECT_TRUE(take("slot=1/core=4", kSomeOperator).contains("\"R\""));  // 32,000 MB
  EXPECT_TRUE(take("slot=1/core=1", kSomeUser).contains("\"R\""));      // 40,000 MB
  EXPECT_TRUE(take("slot=1/core=1", kSomeUser).contains("insufficient"));
  EXPECT_TRUE(take("slot=1/core=3", kSomeOperator).contains("\"R\""));
  EXPECT_TRUE(take("slot=1/core=3", kSomeOperator).contains("\"R\""));
  EXPECT_TRUE(take("slot=1/core=3", kSomeOperator).contains("insufficient"));
  EXPECT_TRUE(take("slot=1/[core=1;memory=1]", kSomeOperator).contains("\"R\""));
  const std::string why = ask(R"({"op": "explain", "shape": "slot=1/core=3", "duration": 60})");
  EXPECT_TRUE(why.contains(R"("given": "default of all queues")")) << why;
}

class QueueDefaultsOfTreePool : public QueueDefaultsTest {
 protected:
  QueueDefaultsOfTreePool() : QueueDefaultsTest(Traverser::treepool) {}
};

// It counts no memory, and remarks on memory that requests name.
TEST_F(QueueDefaultsOfTreePool, GiveNoMemory) {
  const std::string got = take("slot=1/core=1", kSomeOperator);
  EXPECT_TRUE(got.contains("\"R\"")) << got;
  EXPECT_FALSE(got.contains("memory")) << got;
  EXPECT_TRUE(take("slot=1/[core;memory=1]", kSomeOperator).contains("memory is a hint"));
  submit(1, "slot=1/core");
  EXPECT_FALSE(of("job", 1).contains("memory_per_core")) << of("job", 1);
}

}  // namespace
}  // namespace copse::server
