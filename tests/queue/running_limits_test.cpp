// SPDX-License-Identifier: Apache-2.0
//
// How much may run at once: by user, group and queue; and which users may use a queue.
#include "queue/limits/running_limits.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include <fmt/format.h>

#include "answered_queue.hpp"
#include "queue/config/queue_config.hpp"
#include "queue/events.hpp"
#include "queue/limits/queue_access.hpp"

namespace copse::queue {
namespace {

std::vector<std::string> groups_of(std::string_view user) {
  if (user == "ada") return {"physics", "staff"};
  if (user == "bo") return {"physics"};
  return {};
}

RunningLimits limits(const std::string& toml) {
  const auto config = read_queue_config("[queues.batch]\n[queues.gpu]\n" + toml, "q.toml");
  EXPECT_TRUE(config) << (config ? "" : config.error().message());
  return RunningLimits(config ? config->running_limits : std::vector<RunningLimit>(), groups_of);
}

std::vector<QueueSpec> two_queues(const char* discipline) {
  return {{.name = "batch", .discipline = *find_discipline(discipline)},
          {.name = "gpu", .discipline = *find_discipline(discipline)}};
}

TEST(RunningLimitsTest, CountsByUserGroupAndQueue) {
  struct Row {
    std::string_view toml, user, queue, reached;  // next to 6 cores of ada in batch
  };
  const Row rows[] = {
      {"user = \"*\"\nncores = 8", "ada", "batch", "user ada may have 8 cores at once"},
      {"user = \"*\"\nncores = 8", "ada", "gpu", "user ada may have 8 cores at once"},
      {"user = \"*\"\nncores = 8", "bo", "batch", ""},
      {"user = \"bo\"\nncores = 8", "ada", "batch", ""},
      {"group = \"physics\"\nncores = 8", "bo", "batch", "group physics may have 8 cores"},
      {"group = \"*\"\nncores = 8", "bo", "gpu", "group physics may have 8 cores"},
      {"group = \"staff\"\nncores = 8", "bo", "batch", ""},
      {"group = \"physics\"\nncores = 8", "eve", "batch", ""},
      {"queue = \"batch\"\nncores = 8", "eve", "batch", "all jobs in queue \"batch\" may have 8"},
      {"queue = \"*\"\nncores = 8", "eve", "gpu", ""},
      {"queue = \"batch\"\nuser = \"*\"\nncores = 8", "ada", "batch",
       "user ada in queue \"batch\" may have 8 cores"},
      {"ncores = 8", "eve", "gpu",
       "all jobs together may have 8 cores at once (running-limits): 6 "
       "run or are promised a start, and it needs 3"},
      {"njobs = 1", "eve", "gpu", "all jobs together may have 1 job"},
      {"njobs = 2\nnnodes = 2\nngpus = 0", "ada", "batch", ""}};
  for (const Row& row : rows) {
    RunningLimits made = limits(fmt::format("[[running-limits]]\n{}\n", row.toml));
    made.add("ada", "batch", {1, 6, 0, 1});
    const std::string reached = made.reached(row.user, row.queue, {1, 3, 0, 1});
    EXPECT_EQ(reached.empty(), row.reached.empty()) << row.toml << ": " << reached;
    EXPECT_TRUE(reached.starts_with(row.reached)) << row.toml << ": " << reached;
    made.remove("ada", "batch", {1, 6, 0, 1});
    EXPECT_EQ(made.reached(row.user, row.queue, {1, 3, 0, 1}), "") << row.toml;
  }
}

TEST(RunningLimitsTest, AJobCountsWithTheMostThatItMayGet) {
  const auto engine = plan::flat_engine(3, 4, "low");
  const auto size = [&](const char* shape) {
    return running_size(request_of(shape), engine->graph());
  };
  EXPECT_EQ(size("slot=2/core=3"), (RunningSize{0, 6, 0, 1}));
  EXPECT_EQ(size("slot=2/node"), (RunningSize{2, 8, 0, 1}));
  EXPECT_EQ(size("node=2{x}/slot=1/core"), (RunningSize{2, 8, 0, 1}));
  EXPECT_EQ(size("slot=1+/core"), (RunningSize{0, 12, 0, 1}));
  EXPECT_EQ(size("slot=1-5/core"), (RunningSize{0, 5, 0, 1}));
}

TEST(RunningLimitsTest, AJobAtALimitWaitsAndDelaysNoOther) {
  for (const char* discipline : {"fcfs", "easy", "conservative"}) {
    Desk desk(4, two_queues(discipline), {},
              limits("[[running-limits]]\nuser = \"*\"\nnjobs = 1\n"));
    desk.submit(1, "slot=1/node", 100, 0, "batch", "ada");
    desk.submit(2, "slot=1/node", 100, 0, "batch", "ada");
    desk.submit(3, "slot=1/node", 100, 0, "batch", "bo");
    EXPECT_EQ(desk.work(), (Words{"start 1", "start 3"})) << discipline;
    AnsweredQueue answers(desk);
    EXPECT_TRUE(answers.json(2).contains(
        R"-("why": {"cause": "limit", "short": "user ada may have 1 job at once (running-limits)", )-"
        R"-("text": "user ada may have 1 job at once (running-limits): 1 run or are promised a )-"
        R"-(start, and it needs 1")-"))
        << answers.json(2);
    desk.end(1, 50);
    desk.advance(50);
    EXPECT_EQ(desk.said.take(), (Words{"start 2"})) << discipline;
  }
}

TEST(RunningLimitsTest, AJobBeyondALimitAloneIsRefused) {
  Desk desk(4, two_queues("easy"), {}, limits("[[running-limits]]\nqueue = \"gpu\"\nnnodes = 2\n"));
  const Request request = request_of("slot=3/node");
  const auto denied = desk.queue.submit(
      {.id = 1, .duration_s = 10, .queue = "gpu", .user = "ada", .kind = "k", .request = &request});
  ASSERT_TRUE(denied && *denied);
  EXPECT_EQ((*denied)->text,
            "it may get 3 nodes, more than the 2 that all jobs in queue \"gpu\" may have at once "
            "(running-limits)");
  desk.submit(2, "slot=3/node", 10, 0, "batch", "ada");
  EXPECT_EQ(desk.work(), (Words{"deny 1", "start 2"}));
}

// A promise counts: what starts until then leaves it room.
TEST(RunningLimitsTest, NoPromiseIsBroken) {
  Desk desk(4, two_queues("easy"), {}, limits("[[running-limits]]\nuser = \"ada\"\nnnodes = 4\n"));
  desk.submit(1, "slot=2/node", 100, 0, "batch", "bo");
  desk.submit(2, "slot=3/node", 100, 0, "batch", "ada");
  desk.submit(3, "slot=2/node", 50, 0, "batch", "ada");  // it fits now, and would end in time
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  desk.advance(100);
  EXPECT_EQ(desk.said.take(), (Words{"start 2"}));
  desk.advance(200);
  EXPECT_EQ(desk.said.take(), (Words{"start 3"}));
}

TEST(RunningLimitsTest, HoldWhateverHappens) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 40; ++round) {
    Desk desk(6,
              two_queues(round % 3 == 0   ? "fcfs"
                         : round % 3 == 1 ? "easy"
                                          : "conservative"),
              {},
              limits("[[running-limits]]\nuser = \"*\"\nnnodes = 3\n"
                     "[[running-limits]]\nqueue = \"gpu\"\nnjobs = 2\n"));
    std::map<JobId, std::pair<std::string, std::int64_t>> jobs;  // user, nodes
    std::map<JobId, bool> in_gpu;
    JobId next = 1;
    for (int step = 0; step < 60; ++step) {
      const auto dice = random() % 10;
      if (dice < 6) {
        const std::string user(1, static_cast<char>('a' + random() % 3));
        const auto nodes = static_cast<std::int64_t>(1 + random() % 3);
        in_gpu[next] = random() % 3 == 0;
        desk.submit(next, fmt::format("slot={}/node", nodes), 20 + static_cast<int>(random() % 80),
                    0, in_gpu[next] ? "gpu" : "batch", user);
        jobs[next++] = {user, nodes};
      } else if (dice < 7 && !desk.said.running.empty()) {
        const JobId job = desk.said.running.begin()->first;
        desk.end(job, desk.engine->now());
      } else if (dice < 8 && next > 1) {
        const JobId job = 1 + random() % (next - 1);
        (void)desk.queue.hold(job);
        (void)desk.queue.release(job);
      } else {
        desk.advance(desk.engine->now() + 5 + static_cast<std::int64_t>(random() % 40));
      }
      desk.work();
      std::map<std::string, std::int64_t> nodes;
      int gpu = 0;
      for (const auto& [job, end_s] : desk.said.running) {
        nodes[jobs[job].first] += jobs[job].second;
        gpu += in_gpu[job] ? 1 : 0;
      }
      for (const auto& [user, used] : nodes) ASSERT_LE(used, 3) << user << ", round " << round;
      ASSERT_LE(gpu, 2) << "round " << round;
    }
    for (int i = 0; i < 400 && desk.queue.waiting() > 0; ++i) desk.advance(desk.engine->now() + 40);
    EXPECT_EQ(desk.queue.waiting(), 0U) << "round " << round;  // no job is forgotten
  }
}

TEST(RunningLimitsTest, GrantsOfUsersCount) {
  Desk desk(4, two_queues("easy"), {}, limits("[[running-limits]]\nuser = \"*\"\nnnodes = 2\n"));
  const auto grant = [&](JobId id, const char* shape, std::string_view user) {
    Request request = request_of(shape);
    request.duration_s = 100;
    auto prepared = desk.engine->prepare(request);
    const OutsideGrant of{user, &request};
    return desk.queue.grant_outside_queue(Operation::allocate, *prepared, id, of).has_value();
  };
  EXPECT_FALSE(grant(9, "slot=3/node", "ada"));
  EXPECT_TRUE(grant(10, "slot=2/node", "ada"));
  EXPECT_FALSE(grant(11, "slot=1/node", "ada"));
  EXPECT_TRUE(grant(12, "slot=1/node", ""));
  desk.submit(1, "slot=1/node", 10, 0, "batch", "ada");
  EXPECT_EQ(desk.work(), Words{});
  EXPECT_TRUE(desk.queue.free_outside_queue(10));
  EXPECT_EQ(desk.work(), (Words{"start 1"}));
}

TEST(RunningLimitsTest, WrongTablesSayWhere) {
  const auto sentence = [](const std::string& toml) {
    const auto config = read_queue_config("[queues.batch]\n" + toml, "q.toml");
    return config ? std::string("none") : config.error().message();
  };
  EXPECT_EQ(sentence("[[running-limits]]\nuser = \"ada\"\n"),
            "q.toml:2:1: a limit of running-limits needs nnodes, ncores, ngpus or njobs");
  EXPECT_TRUE(sentence("[[running-limits]]\nncores = -1\n").contains("0 or more"));
  EXPECT_TRUE(sentence("[running-limits]\nncores = 1\n").contains("[[running-limits]]"));
  EXPECT_TRUE(sentence("[[running-limits]]\nncore = 1\n").contains("did you mean \"ncores\"?"));
  EXPECT_TRUE(sentence("[[running-limits]]\nnjobs = 1\nqueue = \"gpu\"\n").contains("no queue"));
  EXPECT_TRUE(sentence("[policy.access]\nallow-users = []\n").contains("allow-user"));
  EXPECT_TRUE(sentence("[policy.access]\nallow-user = \"ada\"\n").contains("array"));
  EXPECT_TRUE(sentence("[grants]\njob-size.max.nnodes = 1\n").contains("needs a duration"));
  EXPECT_TRUE(sentence("[grants]\nduration = 5\nqueues = [\"gpu\"]\n").contains("no queue"));
}

TEST(QueueAccessTest, ListsUsersAndGroups) {
  const auto config = read_queue_config(
      "[policy.access]\nallow-group = [\"staff\"]\n[queues.batch]\n"
      "[queues.gpu.policy.access]\nallow-user = [\"eve\"]\nallow-group = [\"physics\"]\n",
      "q.toml");
  ASSERT_TRUE(config) << config.error().message();
  const auto may = [&](std::string_view queue, std::string_view user) {
    return config->access.refused(queue, user, groups_of).empty();
  };
  EXPECT_TRUE(may("batch", "ada"));
  EXPECT_FALSE(may("batch", "bo"));
  EXPECT_FALSE(may("batch", "eve"));
  EXPECT_FALSE(may("batch", ""));
  EXPECT_TRUE(may("gpu", "ada"));
  EXPECT_TRUE(may("gpu", "bo"));
  EXPECT_TRUE(may("gpu", "eve"));
  EXPECT_FALSE(may("gpu", "zoe"));
  EXPECT_EQ(
      config->access.refused("gpu", "zoe", groups_of),
      "user \"zoe\" may not use queue gpu: queues.gpu.policy.access lists neither the user nor "
      "its groups");
  EXPECT_TRUE(QueueAccess().refused("gpu", "zoe", groups_of).empty());
}

}  // namespace
}  // namespace copse::queue
