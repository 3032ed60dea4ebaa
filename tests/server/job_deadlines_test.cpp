// SPDX-License-Identifier: Apache-2.0
//
// Running jobs that end without a word of their executors: cancelled ones, and those on nodes that are
// down. Leases are in jobs_test.cpp.
#include <gtest/gtest.h>

#include "job_desk.hpp"

namespace copse::server {
namespace {

// Jobs get the last nodes first.
class Deadlines : public JobDesk {
 protected:
  Deadlines() {
    desk.rules.graces = {.stopping_s = 60, .down_s = 60};
    desk.restart();
    EXPECT_EQ(desk.error, "");
  }
  std::string job(int id) { return of("job", id); }
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  std::string set(std::string_view op, std::string_view ranks) {
    return ask(fmt::format(R"({{"op": "{}", "ranks": "{}"}})", op, ranks));
  }
};

TEST_F(Deadlines, EndCancelledJobsThatNobodyStops) {
  submit(1, "slot=4/node{x}", 0);
  submit(2, "slot=4/node{x}", 0);
  EXPECT_EQ(of("cancel", 1), "{}");
  now_s += 59;
  EXPECT_EQ(state(1), "running");
  EXPECT_EQ(of("cancel", 1), "{}");  // asking again does not prolong it
  now_s += 1;
  const std::string ended = job(1);
  EXPECT_TRUE(has(ended, R"("result": "cancelled")")) << ended;
  EXPECT_TRUE(has(ended, "its executor did not report its end within 60 seconds")) << ended;
  EXPECT_EQ(state(2), "running");
}

TEST_F(Deadlines, EndCancelledJobsAfterARestartToo) {
  submit(1, "slot=1/node{x}", 0);
  EXPECT_EQ(of("cancel", 1), "{}");
  now_s += 30;
  restart();
  EXPECT_EQ(state(1), "running");
  now_s += 59;
  EXPECT_EQ(state(1), "running");
  now_s += 60;
  EXPECT_EQ(state(1), "ended");
}

TEST_F(Deadlines, AnEndedJobIsNotStopping) {
  submit(1, "slot=4/node{x}", 0);
  EXPECT_EQ(of("cancel", 1), "{}");
  EXPECT_TRUE(has(job(1), R"("stopping": true)")) << job(1);
  EXPECT_EQ(of("end", 1), "{}");
  EXPECT_FALSE(has(job(1), "stopping")) << job(1);
  EXPECT_TRUE(has(job(1), R"("result": "cancelled")")) << job(1);
}

// An operator ends a job of which no executor has said how it ended.
TEST_F(Deadlines, AnEndWithoutAStatusOnANodeThatIsDownIsNoSuccess) {
  submit(1, "slot=2/node{x}", 0);
  submit(2, "slot=1/node{x}", 0);
  EXPECT_EQ(set("down", "3"), "{}");
  EXPECT_EQ(of("end", 1), "{}");
  EXPECT_TRUE(has(job(1), R"("result": "lost")")) << job(1);
  EXPECT_EQ(of("end", 2), "{}");
  EXPECT_TRUE(has(job(2), R"("result": "done")")) << job(2);
}

TEST_F(Deadlines, DurationsAreThoseOfGrants) {
  const std::string refused =
      ask(R"({"op": "submit", "shape": "slot=1/core", "duration": 3153600001})");
  EXPECT_TRUE(has(refused, "the duration is not between 0 and ")) << refused;
}

TEST_F(Deadlines, EndJobsOnNodesThatAreDown) {
  submit(1, "slot=2/node{x}", 0);
  submit(2, "slot=1/node{x}", 0);
  EXPECT_EQ(set("down", "3"), "{}");
  now_s += 59;
  EXPECT_EQ(state(1), "running");
  now_s += 1;
  const std::string ended = job(1);
  EXPECT_TRUE(has(ended, R"("result": "lost")")) << ended;
  EXPECT_TRUE(has(ended, "n3 was down for 60 seconds")) << ended;
  EXPECT_EQ(state(2), "running");
}

// With its id, on other nodes, once there are some; and after a restart.
TEST_F(Deadlines, SubmitJobsAgainThatAllowIt) {
  submit(1, "slot=4/node{x}", 500, R"(, "requeue": true)");
  now_s += 10;
  EXPECT_EQ(set("down", "3"), "{}");
  now_s += 60;
  EXPECT_EQ(state(1), "pending");
  const std::string waits = job(1);
  EXPECT_TRUE(has(waits, R"("restarts": 1)")) << waits;
  EXPECT_TRUE(has(waits, "n3 was down for 60 seconds")) << waits;
  EXPECT_FALSE(has(waits, "started")) << waits;
  EXPECT_TRUE(has(events(0), R"("event": "requeue", "job": 1)")) << events(0);
  restart();
  EXPECT_EQ(state(1), "pending");
  EXPECT_EQ(set("up", "3"), "{}");
  EXPECT_EQ(state(1), "running");
  EXPECT_FALSE(has(job(1), "was down")) << job(1);
  restart();
  EXPECT_EQ(set("down", "0"), "{}");
  now_s += 60;
  now_s += 60;
  (void)state(1);
  EXPECT_TRUE(has(job(1), R"("restarts": 2)")) << job(1);
  EXPECT_EQ(of("cancel", 1), "{}");
  EXPECT_EQ(state(1), "ended");
}

// Its node comes back with the executor of the run before, which knows of no other.
TEST_F(Deadlines, ReportsOfAnEarlierRunChangeNothing) {
  const auto report = [this](std::string_view op, std::string_view more = "") {
    return ask(fmt::format(R"({{"op": "{}", "id": 1{}}})", op, more));
  };
  submit(1, "slot=3/node{x}", 500, R"(, "requeue": true, "lease": 1000)");
  EXPECT_EQ(report("renew", R"(, "restarts": 0)"), "{}");
  EXPECT_TRUE(has(report("renew", R"(, "restarts": 1)"), "of job 1 is 0, not 1"));
  EXPECT_EQ(set("down", "3"), "{}");
  now_s += 60;
  EXPECT_EQ(state(1), "pending");  // until the queue works
  const std::string_view over =
      "this run of job 1 is over: it lost its nodes, and the job was submitted again";
  for (const bool both : {false, true}) {  // on the other nodes, and after a restart
    if (both) {
      EXPECT_EQ(set("up", "3"), "{}");
    }
    EXPECT_EQ(state(1), "running");
    for (const std::string_view which : {"", R"(, "restarts": 0)"}) {
      EXPECT_TRUE(has(report("renew", which), over)) << report("renew", which);
      EXPECT_TRUE(has(report("end", which), over));
      EXPECT_TRUE(has(report("end", std::string(which) + R"(, "ranks": "0")"), over));
    }
    restart();
  }
  EXPECT_EQ(state(1), "running");
  EXPECT_TRUE(has(events(0), R"("started": 1060, "restarts": 1, "R")")) << events(0);
  EXPECT_EQ(report("renew", R"(, "restarts": 1)"), "{}");
  EXPECT_TRUE(has(report("end", R"(, "restarts": 2)"), "of job 1 is 1, not 2"));
  EXPECT_EQ(report("end", R"(, "restarts": 1, "status": 3)"), "{}");
  EXPECT_TRUE(has(job(1), R"("status": 3)")) << job(1);
}

// A job without room waits; nobody ends it by reporting about the run that is over.
TEST_F(Deadlines, ReportsOfAnEarlierRunDoNotEndAJobThatWaits) {
  submit(1, "slot=4/node{x}", 500, R"(, "requeue": true)");
  EXPECT_EQ(set("down", "3"), "{}");
  now_s += 60;
  EXPECT_EQ(state(1), "pending");
  EXPECT_TRUE(has(of("end", 1), "this run of job 1 is over")) << of("end", 1);
  EXPECT_TRUE(has(ask(R"({"op": "end", "id": 1, "restarts": 1})"), "error"));
  EXPECT_EQ(state(1), "pending");
}

// Not one that was cancelled, and none on nodes that are only drained.
TEST_F(Deadlines, DoNotSubmitStoppingJobsAgain) {
  submit(1, "slot=4/node{x}", 500, R"(, "requeue": true)");
  EXPECT_EQ(of("cancel", 1), "{}");
  EXPECT_EQ(set("down", "3"), "{}");
  now_s += 60;
  EXPECT_EQ(state(1), "ended");
}

// Nodes that are removed are lost at once. A machine without room for the job ends it.
TEST_F(Deadlines, SubmitJobsAgainWhoseNodesAreRemoved) {
  submit(1, "slot=1/node{x}", 500, R"(, "requeue": true)");
  submit(2, "slot=3/node{x}", 500, R"(, "requeue": true)");
  EXPECT_TRUE(has(ask(R"({"op": "remove", "ranks": "3"})"), "{")) << job(1);
  EXPECT_TRUE(has(job(1), R"("restarts": 1)")) << job(1);
  EXPECT_TRUE(has(ask(R"({"op": "remove", "ranks": "0-2"})"), "{"));
  EXPECT_EQ(state(2), "ended");
}

TEST_F(Deadlines, LeaveJobsWhoseNodesReturn) {
  submit(1, "slot=2/node{x}", 0);
  EXPECT_EQ(set("down", "3"), "{}");
  now_s += 50;
  EXPECT_EQ(set("down", "2"), "{}");  // the first is down for longer
  EXPECT_EQ(set("up", "2-3"), "{}");
  now_s += 50;
  EXPECT_EQ(state(1), "running");
  EXPECT_EQ(set("down", "2"), "{}");
  restart();
  EXPECT_EQ(state(1), "running");
  now_s += 59;
  EXPECT_EQ(state(1), "running");
  now_s += 60;
  EXPECT_EQ(state(1), "ended");
}

TEST_F(Deadlines, LeaveJobsOnDrainedNodes) {
  submit(1, "slot=2/node{x}", 0);
  EXPECT_EQ(ask(R"({"op": "drain", "nodes": "n[2-3]"})"), "{}");
  now_s += 1'000;
  EXPECT_EQ(state(1), "running");
  EXPECT_EQ(set("down", "2"), "{}");  // drained, and down
  now_s += 60;
  EXPECT_EQ(state(1), "ended");
}

TEST_F(Deadlines, OfJobsThatNameNoLease) {
  desk.rules.default_lease_s = 30;
  desk.restart();
  submit(1, "slot=1/node{x}", 0);
  submit(2, "slot=1/node{x}", 0, R"(, "lease": 100)");
  submit(3, "slot=1/node{x}", 0, R"(, "lease": 0)");
  now_s += 31;
  EXPECT_TRUE(has(job(1), R"("result": "lost")")) << job(1);
  EXPECT_EQ(state(2), "running");
  now_s += 1'000;
  EXPECT_EQ(state(2), "ended");
  EXPECT_EQ(state(3), "running");
}

}  // namespace
}  // namespace copse::server
