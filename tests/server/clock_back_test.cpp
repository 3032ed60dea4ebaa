// SPDX-License-Identifier: Apache-2.0
//
// A service whose clock was moved ahead, and is set back: jobs keep the time that they have left.
#include <gtest/gtest.h>

#include "job_desk.hpp"

namespace copse::server {
namespace {

class ClockBack : public JobDesk {
 protected:
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  void set_back(std::int64_t to_s) {
    desk.clock_back_to_s = to_s;
    now_s = to_s;
    restart();
    desk.clock_back_to_s.reset();
  }
};

TEST_F(ClockBack, JobsKeepTheTimeThatTheyHaveLeft) {
  submit(1, "slot=1/node{x}", 5'000'000);  // runs across the jump
  now_s = 1'100;
  submit(2, "slot=1/node{x}", 50);
  now_s = 4'000'000;  // job 2 is over its time
  submit(3, "slot=2/node{x}", 600);
  submit(4, "slot=4/node{x}", 600);
  EXPECT_EQ(state(3), "running");
  EXPECT_EQ(state(4), "planned");
  EXPECT_EQ(desk.service->clock_ahead_s(), 0);
  now_s = 2'000;
  EXPECT_EQ(state(3), "running");
  EXPECT_EQ(desk.service->clock_ahead_s(), 4'000'000 - 2'000);
  set_back(2'000);
  EXPECT_EQ(desk.service->session().engine().now(), 2'000);
  EXPECT_EQ(desk.service->clock_ahead_s(), 0);
  EXPECT_TRUE(has(of("job", 1), "\"started\": 1000")) << of("job", 1);
  EXPECT_TRUE(has(of("job", 3), "\"started\": 2000")) << of("job", 3);
  EXPECT_TRUE(has(of("job", 3), "\"expiration\": 2600")) << of("job", 3);
  EXPECT_TRUE(has(of("job", 4), "\"state\": \"planned\"")) << of("job", 4);
  submit(5, "slot=1/core", 10);
  restart();  // from what was stored
  EXPECT_EQ(desk.service->session().engine().now(), 2'000);
  EXPECT_TRUE(has(of("job", 3), "\"expiration\": 2600")) << of("job", 3);
}

TEST_F(ClockBack, AClockThatIsNotAheadStays) {
  submit(1, "slot=1/node{x}", 500);
  const std::string before = of("job", 1);
  set_back(now_s + 100);
  EXPECT_EQ(of("job", 1), before);
}

TEST_F(ClockBack, ReservationsOfNodesKeepTheirDates) {
  EXPECT_FALSE(has(ask(R"({"op": "add-reservation", "reservation": {"name": "far", )"
                       R"("nodes": "n[0-1]", "start": 8000000, "duration": 50}})"),
                   "error"));
  now_s = 4'000'000;
  submit(1, "slot=1/core", 60);
  set_back(2'000);
  EXPECT_TRUE(has(ask(R"({"op": "reservations"})"), "\"from\": 8000000"));
}

}  // namespace
}  // namespace copse::server
