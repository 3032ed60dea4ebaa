// SPDX-License-Identifier: Apache-2.0
#include "queue/job_queue.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "queue/events.hpp"
#include "request/constraint.hpp"

namespace copse::queue {
namespace {

TEST(JobQueue, StartsPlansAndStartsWhatWasPlanned) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=1/node", 50);
  desk.submit(3, "slot=1/node", 50);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  EXPECT_EQ(desk.queue.next_time(), 100);
  desk.end(1, 40);
  ASSERT_TRUE(desk.queue.advance(40));
  EXPECT_EQ(desk.work(), (Words{"start 2", "start 3"}));
  EXPECT_EQ(desk.queue.waiting(), 0U);
  EXPECT_EQ(desk.queue.running(), 2U);
}

// Job 2 has a promise for both nodes; job 3 would run beyond its start and may not start, job 4
// may.
TEST(JobQueue, EasyLetsNobodyDelayTheHead) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=2/node", 100);
  desk.submit(3, "slot=1/node", 101);
  desk.submit(4, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "start 4", "plan 2 at 100"}));
}

// One of three nodes is busy until 100; job 2 needs two from then on, no matter which.
TEST(JobQueue, APromiseIsOfATimeNotOfNodes) {
  Desk desk(3, "easy");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=2/node", 100);
  desk.submit(3, "slot=1/node", 1000);
  EXPECT_EQ(desk.work(), (Words{"start 1", "start 3", "plan 2 at 100"}));
  desk.advance(100);
  EXPECT_EQ(desk.said.take(), (Words{"start 2"}));
}

// A job that comes in the second of a promised start, and is before that job, starts first.
TEST(JobQueue, APromiseIsDueWhenAllOfThatSecondHaveCome) {
  for (const bool held : {false, true}) {
    Desk desk(2, "easy");
    desk.submit(1, "slot=2/node", 100);
    desk.submit(2, "slot=2/node", 50);
    if (held) {
      desk.submit(9, "slot=1/core", 1);
      ASSERT_TRUE(desk.queue.hold(9));
    }
    EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
    desk.end(1, 100);
    ASSERT_TRUE(desk.queue.advance(100));
    desk.submit(3, "slot=2/node", 30, 5);
    desk.submit(4, "slot=2/node", 30);
    EXPECT_EQ(desk.work(), (Words{"start 3", "plan 2 at 130"}));
    // When the clock moves on, due jobs have started.
    desk.end(3, 130);
    ASSERT_TRUE(desk.queue.advance(130));
    ASSERT_TRUE(desk.queue.advance(131));
    desk.submit(5, "slot=2/node", 30, 5);
    EXPECT_EQ(desk.work(), (Words{"start 2", "plan 5 at 180"}));
  }
}

// The queue reports that its discipline fails, and continues as with `wait`.
TEST(JobQueue, ADisciplineFails) {
  const Discipline nine{.name = "nine",
                        .treat = [](const JobView&) { return static_cast<Treatment>(9); }};
  const Discipline thrower{.name = "thrower", .treat = [](const JobView&) -> Treatment {
                             throw std::runtime_error("x");
                           }};
  struct Sink : Said {
    std::string why;
    void discipline_failed(const std::string& queue, const Error& error) override {
      why = queue + ": " + error.text;
    }
  };
  for (const auto& [discipline, why] :
       {std::pair{nine, "batch: the discipline \"nine\" returned 9, which is not a treatment"},
        {thrower, "batch: the discipline \"thrower\" threw an exception: x"}}) {
    const auto engine = plan::flat_engine(2, 4, "low");
    Sink sink;
    JobQueue queue(*engine, {{.name = "batch", .discipline = discipline}}, sink);
    const Request two = request_of("slot=2/node");
    for (const JobId job : {JobId{1}, JobId{2}}) {
      ASSERT_TRUE(queue.submit(
          {.id = job, .duration_s = 10, .queue = "batch", .kind = "two", .request = &two}));
    }
    queue.work();
    EXPECT_EQ(sink.take(), (Words{"start 1"}));
    EXPECT_EQ(sink.why, why);
  }
}

TEST(JobQueue, FcfsStopsAtTheFirstThatWaits) {
  Desk desk(2, "fcfs");
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=2/node", 100);
  desk.submit(3, "slot=1/node", 10);
  EXPECT_EQ(desk.work(), (Words{"start 1"}));
  desk.end(1, 30);
  ASSERT_TRUE(desk.queue.advance(30));
  EXPECT_EQ(desk.work(), (Words{"start 2"}));
}

TEST(JobQueue, HoldsReleasesAndCancels) {
  Desk desk(1, "conservative");
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=1/node", 100);
  desk.submit(3, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100", "plan 3 at 200"}));
  ASSERT_TRUE(desk.queue.hold(2));
  EXPECT_EQ(desk.work(), (Words{"unplan 2", "plan 3 at 100"}));
  EXPECT_EQ(desk.queue.state(2), JobState::on_hold);
  ASSERT_TRUE(desk.queue.release(2));
  EXPECT_EQ(desk.work(), (Words{"plan 2 at 200"}));
  ASSERT_TRUE(desk.queue.cancel(3));
  EXPECT_EQ(desk.work(), (Words{"plan 2 at 100"}));
  EXPECT_EQ(desk.queue.cancel(3).error().code, ErrorCode::not_found);
  EXPECT_EQ(desk.queue.cancel(1).error().text, "job 1 runs already");
  EXPECT_EQ(desk.queue.ended(2, 0).error().text, "job 2 does not run");
}

TEST(JobQueue, AHigherPriorityBecomesTheHead) {
  Desk desk(1, "easy");
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  desk.submit(3, "slot=1/node", 50, 7);
  EXPECT_EQ(desk.work(), (Words{"unplan 2", "plan 3 at 100"}));
  ASSERT_TRUE(desk.queue.set_priority(2, 8));
  EXPECT_EQ(desk.work(), (Words{"unplan 3", "plan 2 at 100"}));
}

TEST(JobQueue, DeniesWhatNoMachineLikeThisHas) {
  Desk desk(2, "easy");
  desk.submit(1, "slot=3/node", 100);
  EXPECT_EQ(desk.work(), (Words{"deny 1"}));
  EXPECT_FALSE(desk.queue.state(1));
  const Request three = request_of("slot=3/node"), one = request_of("slot=1/node");
  const auto denied = desk.queue.submit({.id = 2, .kind = "three", .request = &three});
  ASSERT_TRUE(denied && *denied);
  EXPECT_EQ((*denied)->code, ErrorCode::infeasible);
  EXPECT_EQ(desk.said.take(), Words{"deny 2"});
  const auto waits = desk.queue.submit({.id = 3, .kind = "one", .request = &one});
  EXPECT_TRUE(waits && !*waits);
}

// No job waits behind one that can never start.
TEST(JobQueue, DeniesWhatTakesNothing) {
  for (const char* shape : {"core=4", "node=1/core=2"}) {
    Desk desk(2, "fcfs");
    desk.submit(1, shape, 100);
    desk.submit(2, "slot=1/node", 100);
    EXPECT_EQ(desk.work(), (Words{"deny 1", "start 2"})) << shape;
  }
}

// More nodes than are up: it waits until they return, and blocks no other job.
TEST(JobQueue, WaitsForNodesThatAreDown) {
  for (const char* shape : {"slot=2/node", "slot=2/node/core=4"}) {
    Desk desk(2, "easy");
    const PoolId node = desk.engine->graph().of_type(desk.engine->graph().find_type("node"))[0];
    desk.queue.set_status(node, Status::down);
    desk.submit(1, shape, 100);
    desk.submit(2, "slot=1/node", 1000);
    EXPECT_EQ(desk.work(), (Words{"unplaceable 1", "start 2"})) << shape;
    desk.queue.set_status(node, Status::up);
    EXPECT_EQ(desk.work(), (Words{"plan 1 at 1000"})) << shape;
  }
}

TEST(JobQueue, PlansAnewWhenANodeGoesDown) {
  Desk desk(2, "conservative");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=1/node", 50);
  desk.submit(3, "slot=1/node", 50);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100", "plan 3 at 100"}));
  const PoolId node = desk.engine->graph().of_type(desk.engine->graph().find_type("node"))[0];
  desk.queue.set_status(node, Status::down);
  EXPECT_EQ(desk.work(), (Words{"plan 3 at 150"}));
  desk.advance(100);
  EXPECT_EQ(desk.said.take(), (Words{"start 2"}));
}

// While a job waits for cores of a node, promises are reservations; each stays.
TEST(JobQueue, KeepsPromisesWhenTheirFormChanges) {
  Desk desk(3, "conservative");
  desk.submit(1, "slot=2/node", 100);
  desk.submit(2, "slot=3/node", 10);
  desk.submit(3, "slot=2/node", 20);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100", "plan 3 at 110"}));
  EXPECT_EQ(desk.engine->grant_count(), 1U);
  desk.submit(4, "slot=1/node/core=2", 200);
  EXPECT_EQ(desk.work(), (Words{"plan 4 at 110"}));
  EXPECT_EQ(desk.engine->grant_count(), 4U);
  EXPECT_EQ(desk.queue.promised_start(3), 110);
  ASSERT_TRUE(desk.queue.cancel(4));
  EXPECT_EQ(desk.work(), Words{});
  EXPECT_EQ(desk.engine->grant_count(), 1U);
  EXPECT_EQ(desk.queue.promised_start(3), 110);
}

TEST(JobQueue, LooksNoDeeperThanItsDepth) {
  Desk desk(2, "easy", 2);
  desk.submit(1, "slot=1/node", 100);
  desk.submit(2, "slot=2/node", 100);
  desk.submit(3, "slot=1/node", 101);
  desk.submit(4, "slot=1/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  ASSERT_TRUE(desk.queue.cancel(3));
  EXPECT_EQ(desk.work(), (Words{"start 4"}));
}

TEST(JobQueue, ServesItsLinesInTheOrderOfTheirNames) {
  Said said;
  const auto engine = plan::flat_engine(1, 4);
  JobQueue queue(*engine,
                 {{.name = "batch", .discipline = *find_discipline("easy")},
                  {.name = "a", .discipline = *find_discipline("fcfs")}},
                 said);
  const Request request = request_of("slot=1/node");
  const auto submit = [&](JobId id, const char* line) {
    return queue.submit(
        {.id = id, .duration_s = 10, .queue = line, .kind = "n", .request = &request});
  };
  ASSERT_TRUE(submit(1, "batch"));
  ASSERT_TRUE(submit(2, "a"));
  EXPECT_EQ(submit(2, "a").error().code, ErrorCode::exists);
  EXPECT_EQ(submit(3, "c").error().text, "unknown queue \"c\"; there are a, batch");
  queue.work();
  EXPECT_EQ(said.take(), (Words{"start 2", "plan 1 at 10"}));
}

TEST(Discipline, OfANameThatIsUnknown) {
  EXPECT_EQ(find_discipline("esay").error().text,
            "unknown discipline \"esay\"; did you mean \"easy\"?");
}

// An own discipline: only jobs of an hour or less get promises.
TEST(Discipline, CanBeOnesOwn) {
  const Discipline own{.name = "short-first", .treat = [](const JobView& view) {
                         return view.duration_s <= 3600 ? Treatment::promise : Treatment::wait;
                       }};
  Said said;
  const auto engine = plan::flat_engine(1, 4);
  JobQueue queue(*engine, {{.discipline = *find_discipline("short-first", {&own, 1})}}, said);
  const Request request = request_of("slot=1/node");
  for (const auto& [id, duration_s] : std::map<JobId, int>{{1, 100}, {2, 5000}, {3, 60}}) {
    ASSERT_TRUE(
        queue.submit({.id = id, .duration_s = duration_s, .kind = "n", .request = &request}));
  }
  queue.work();
  EXPECT_EQ(said.take(), (Words{"start 1", "plan 3 at 100"}));
}

// Everything that it may know about a job.
TEST(Discipline, SeesWhatAJobAsksForAndWhoseItIs) {
  static std::vector<std::string> seen;
  seen.clear();
  const Discipline own{
      .name = "watch", .treat = [](const JobView& view) {
        seen.push_back(fmt::format("{} of {}: {} nodes, {} cores, {} s since {}, priority {}",
                                   view.user, view.queue, view.nodes, view.cores, view.duration_s,
                                   view.submit_s, view.priority));
        return Treatment::wait;
      }};
  Desk desk(2, std::vector<QueueSpec>{{.name = "all", .discipline = own},
                                      {.name = "night", .discipline = {}, .parent = "all"}});
  desk.submit(1, "slot=2/node", 100, 9, "all", "ada");
  desk.work();
  seen.clear();
  desk.submit(2, "slot=2/node", 50, 5, "night", "bob");
  desk.submit(3, "node=2/slot=1/core=3", 60, 0, "all", "eve");
  desk.submit(4, "slot=3/core=2", 70, 0, "all");
  desk.work();
  EXPECT_EQ(seen, (Words{"bob of night: 2 nodes, 8 cores, 50 s since 0, priority 5",
                         "eve of all: 2 nodes, 6 cores, 60 s since 0, priority 0",
                         " of all: 0 nodes, 6 cores, 70 s since 0, priority 0"}));
}

TEST(Discipline, SeesTheRunningJobs) {
  static std::vector<std::string> seen;
  const Discipline own{.name = "watch", .treat = [](const JobView& view) {
                         seen.clear();
                         for (const RunningJobView& job : view.running()) {
                           seen.push_back(fmt::format(
                               "{} of {} in {}: {} nodes, {} cores, {} to {}", job.id, job.user,
                               job.queue, job.nodes, job.cores, job.start_s, job.end_s));
                         }
                         return Treatment::wait;
                       }};
  Desk desk(3, std::vector<QueueSpec>{{.name = "all", .discipline = own}});
  desk.submit(1, "slot=2/node{x}", 100, 0, "all", "ada");
  desk.submit(2, "slot=1/core", 50, 0, "all", "bob");
  desk.submit(3, "slot=3/node{x}", 50, 0, "all", "bob");
  desk.work();
  const Words both{"2 of bob in all: 0 nodes, 1 cores, 0 to 50",
                   "1 of ada in all: 2 nodes, 8 cores, 0 to 100"};
  EXPECT_EQ(seen, both);
  ASSERT_TRUE(desk.queue.set_end(2, 200));
  desk.submit(4, "slot=3/node{x}", 50, 0, "all", "bob");
  desk.work();
  EXPECT_EQ(seen, (Words{"1 of ada in all: 2 nodes, 8 cores, 0 to 100",
                         "2 of bob in all: 0 nodes, 1 cores, 0 to 200"}));
  ASSERT_TRUE(desk.queue.ended(1, 0));
  desk.work();
  EXPECT_EQ(seen, (Words{"2 of bob in all: 0 nodes, 1 cores, 0 to 200"}));
}

// Only the request of a refused job is kept, and not after a change of the machine.
TEST(JobQueue, APropertyMayLetAKindFitThatWasRefused) {
  Desk desk(2, "easy");
  Request request = request_of("slot=1/node");
  request.constraint = *parse_constraint(R"({"properties": ["fast"]})");
  const auto submit = [&](JobId job) {
    return desk.queue.submit({.id = job, .duration_s = 10, .kind = "fast", .request = &request});
  };
  EXPECT_TRUE(submit(1)->has_value());
  const ResourceGraph& graph = desk.engine->graph();
  desk.engine->set_property(graph.of_type(graph.find_type("node")).back(), "fast", "");
  desk.queue.set_status(std::span<const PoolId>(), Status::up);
  EXPECT_FALSE(submit(2)->has_value());
  EXPECT_EQ(desk.work(), (Words{"deny 1", "start 2"}));
}

}  // namespace
}  // namespace copse::queue
