// SPDX-License-Identifier: Apache-2.0
//
// Jobs whose stored request is refused, as by a later version: the service starts, and they are set aside
// with the reason.
#include <gtest/gtest.h>

#include <string>

#include "job_desk.hpp"

namespace copse::server {
namespace {

class RefusedRequest : public JobDesk {
 protected:
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  // From now on, the stored shape of some jobs is one that no version reads.
  void spoil(std::string_view shape) {
    desk.service->snapshot();
    desk.read_instead = [shape = std::string(shape)](std::string state) {
      for (std::size_t at = 0; (at = state.find(shape, at)) != std::string::npos;) {
        state.replace(at, shape.size(), std::string(shape.size(), '='));
      }
      return state;
    };
  }
};

TEST_F(RefusedRequest, AWaitingJobIsSetAside) {
  submit(1, "slot=4/node{x}", 100);
  submit(2, "slot=3/node{x}", 100);
  submit(3, "slot=2/node{x}", 100);
  spoil("slot=3/node{x}");
  restart();
  ASSERT_NE(desk.service, nullptr) << desk.error;
  EXPECT_EQ(desk.service->jobs().refused_requests().size(), 1U);
  const std::string job = of("job", 2);
  EXPECT_TRUE(has(job, R"("state": "pending")") && has(job, R"("held": true)")) << job;
  EXPECT_TRUE(has(job, R"("message": "its request is refused: )")) << job;
  for (const char* op : {"release", "hold", "why", "when", "end"}) {
    EXPECT_TRUE(has(of(op, 2), "job 2 is set aside: its request is refused: ")) << of(op, 2);
  }
  EXPECT_EQ(of("end", 1), "{}");
  EXPECT_EQ(state(3), "running");
  EXPECT_EQ(state(2), "pending");
}

TEST_F(RefusedRequest, ItIsCancelledOrReadAgain) {
  submit(1, "slot=4/node{x}", 100);
  submit(2, "slot=3/node{x}", 100);
  submit(3, "slot=3/node{x}", 100);
  spoil("slot=3/node{x}");
  restart();
  ASSERT_NE(desk.service, nullptr) << desk.error;
  EXPECT_EQ(of("cancel", 2), "{}");
  EXPECT_TRUE(has(of("job", 2), R"("result": "cancelled")"));
  desk.read_instead = {};
  restart();  // by a version that reads it
  EXPECT_TRUE(has(of("job", 2), R"("result": "cancelled")"));
  EXPECT_TRUE(has(of("job", 3), R"("held": true)"));
  EXPECT_EQ(of("release", 3), "{}");
  EXPECT_FALSE(has(of("job", 3), "refused"));
  EXPECT_EQ(of("end", 1), "{}");
  EXPECT_EQ(state(3), "running");
}

TEST_F(RefusedRequest, ARunningJobContinues) {
  submit(1, "slot=3/node{x}", 100);
  submit(2, "slot=4/node{x}", 100);
  spoil("slot=3/node{x}");
  restart();
  ASSERT_NE(desk.service, nullptr) << desk.error;
  EXPECT_EQ(state(1), "running");
  EXPECT_EQ(state(2), "planned");
  EXPECT_EQ(of("end", 1), "{}");
  EXPECT_EQ(state(2), "running");
}

}  // namespace
}  // namespace copse::server
