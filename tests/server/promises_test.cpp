// SPDX-License-Identifier: Apache-2.0
//
// What docs/tools/jobs.md says of promised starts: what moves them, and what does not.
#include <gtest/gtest.h>

#include "job_desk.hpp"

namespace copse::server {
namespace {

// Job 1 has three of four nodes until 1,100; job 2 waits for all, and is promised 1,100.
class Promised : public JobDesk {
 protected:
  Promised() {
    submit(1, "slot=3/node{x}", 100);
    submit(2, "slot=4/node{x}", 100);
    EXPECT_EQ(when(), kPromised);
  }
  std::string when() { return of("when", 2); }
  std::string set(std::string_view op, std::string_view ranks) {
    return ask(fmt::format(R"({{"op": "{}", "ranks": "{}"}})", op, ranks));
  }

  static constexpr const char* kPromised = R"({"id": 2, "start": 1100, "promised": true})";
};

TEST_F(Promised, LaterJobsDoNotDelayIt) {
  submit(3, "slot=1/node{x}", 500);
  submit(4, "slot=1/node{x}", 500, R"(, "priority": -5)");
  submit(5, "slot=1/node{x}", 50);
  EXPECT_EQ(when(), kPromised);
  EXPECT_EQ(state(5), "running");
  EXPECT_NE(state(3), "running");
}

TEST_F(Promised, ARestartDoesNotMoveIt) {
  restart();
  EXPECT_EQ(when(), kPromised);
  desk.service->snapshot();
  restart();
  EXPECT_EQ(when(), kPromised);
}

TEST_F(Promised, GrantsOutsideTheQueueDoNotDelayIt) {
  (void)ask(R"({"op": "alloc", "id": 9, "shape": "slot=1/node{x}", "duration": 500})");
  (void)ask(R"({"op": "reserve", "id": 10, "shape": "slot=1/node{x}", "duration": 500})");
  EXPECT_EQ(when(), kPromised);
}

TEST_F(Promised, ItComesEarlierIfAJobEnds) {
  now_s = 1'050;
  EXPECT_EQ(of("end", 1), "{}");
  EXPECT_EQ(state(2), "running");
}

TEST_F(Promised, AJobOfAHigherPriorityDelaysIt) {
  submit(3, "slot=1/node{x}", 500, R"(, "priority": 5)");
  EXPECT_EQ(state(3), "running");
  EXPECT_EQ(when(), R"({"id": 2, "start": 1500, "promised": true})");
}

TEST_F(Promised, ANodeThatIsDownEndsIt) {
  EXPECT_EQ(set("down", "0"), "{}");
  EXPECT_EQ(when(), R"({"id": 2, "start": null, "promised": false})");
  EXPECT_EQ(set("up", "0"), "{}");
  EXPECT_EQ(when(), kPromised);
}

TEST_F(Promised, AJobThatRunsLongerDelaysIt) {
  now_s = 1'130;
  EXPECT_NE(state(2), "running");
  EXPECT_NE(when(), kPromised);
}

TEST_F(Promised, AHeldJobHasNone) {
  EXPECT_EQ(of("hold", 2), "{}");
  EXPECT_EQ(when(), R"({"id": 2, "start": null, "promised": false})");
}

// Each line of a batch is answered, and a wrong one stops no other.
TEST_F(Promised, LinesAreIndependent) {
  EXPECT_NE(ask("x").find("invalid"), std::string::npos);
  EXPECT_EQ(ask(R"({"op": "submit", "id": 7, "shape": "slot=1/core", "duration": 10})"),
            R"({"id": 7})");
}

// docs/reference/jobspecs.md: a service refuses conditions that it does not know.
TEST_F(Promised, JobspecKeysThatHaveNoEffectAreRefused) {
  const std::string refused = ask(
      R"({"op": "submit", "jobspec": {"version": 1, "resources": [{"type": "slot", "count": 1,)"
      R"( "label": "s", "with": [{"type": "core", "count": 1}]}], "tasks": [{"command": ["x"],)"
      R"( "slot": "s", "count": {"per_slot": 1}}], "attributes": {"system": {"duration": 60,)"
      R"( "begin-time": 2000000000, "dependencies": [{"scheme": "afterok", "value": "x"}]}}}})");
  EXPECT_NE(refused.find("have no effect here: leave them out"), std::string::npos) << refused;
}

}  // namespace
}  // namespace copse::server
