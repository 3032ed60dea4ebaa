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

// --- Queues that were renamed

class MissingQueue : public testing::Test {
 protected:
  explicit MissingQueue() : desk({queue_named("batch"), queue_named("debug")}) {}
  static queue::QueueSpec queue_named(const std::string& name) {
    return {.name = name, .discipline = *find_discipline("easy")};
  }
  std::string ask(const std::string& line) {
    std::string out = desk.service->answer(line, now_s).text();
    while (!desk.service->work(now_s)) {
    }
    return out;
  }
  void submit(int id, std::string_view queue, std::string_view more = "") {
    const std::string out = ask(fmt::format(
        R"({{"op": "submit", "id": {}, "queue": "{}", "shape": "slot=3/node{{x}}", "duration": 9{}}})",
        id, queue, more));
    EXPECT_EQ(out.find("error"), std::string::npos) << out;
  }
  std::string job(int id) { return ask(fmt::format(R"({{"op": "job", "id": {}}})", id)); }
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  void restart_with(std::vector<queue::QueueSpec> queues) {
    desk.set_queues(std::move(queues));
    desk.restart();
    ASSERT_NE(desk.service, nullptr) << desk.error;
  }
  ServiceInMemory desk;
  std::int64_t now_s = 1'000;
};

TEST_F(MissingQueue, ItsJobsAreSetAsideUntilItReturns) {
  submit(1, "batch");
  submit(2, "batch");
  submit(3, "debug");
  submit(4, "batch", R"(, "held": true)");
  restart_with({queue_named("bulk"), queue_named("debug")});
  EXPECT_TRUE(has(job(1), R"("state": "running")")) << job(1);
  EXPECT_TRUE(has(job(2), R"("held": true)")) << job(2);
  EXPECT_TRUE(has(job(2),
                  R"(its queue \"batch\" does not exist any more: cancel it, or serve that )"
                  R"(queue again)"))
      << job(2);
  EXPECT_TRUE(has(ask(R"({"op": "release", "id": 2})"), "job 2 is set aside: its queue"));
  EXPECT_TRUE(has(ask(R"({"op": "jobs", "queue": "batch"})"), R"("id": 2)"));
  EXPECT_EQ(ask(R"({"op": "end", "id": 1})"), "{}\n");
  EXPECT_TRUE(has(job(3), R"("state": "running")")) << job(3);
  restart_with({queue_named("batch"), queue_named("debug")});
  EXPECT_FALSE(has(job(2), "held")) << job(2);
  EXPECT_FALSE(has(job(2), "message")) << job(2);
  EXPECT_TRUE(has(job(4), R"("held": true)")) << job(4);
  EXPECT_EQ(ask(R"({"op": "end", "id": 3})"), "{}\n");
  EXPECT_TRUE(has(job(2), R"("state": "running")")) << job(2);
}

TEST_F(MissingQueue, ItsJobsCanBeCancelled) {
  submit(1, "debug");
  submit(2, "batch");
  restart_with({queue_named("debug")});
  EXPECT_EQ(ask(R"({"op": "cancel", "id": 2})"), "{}\n");
  EXPECT_TRUE(has(job(2), R"("result": "cancelled")")) << job(2);
}

// --- Lists

TEST_F(MissingQueue, IsAWrongNameInAList) {
  const std::string out = ask(R"({"op": "jobs", "queue": "bacth"})");
  EXPECT_TRUE(has(out, R"(unknown queue \"bacth\"; did you mean \"batch\"?)")) << out;
}

TEST_F(MissingQueue, ListsHaveJobsOfSeveralUsers) {
  submit(1, "batch", R"(, "user": "ada")");
  submit(2, "batch", R"(, "user": "bo")");
  submit(3, "batch", R"(, "user": "cy")");
  const std::string out = ask(R"({"op": "jobs", "user": "ada,cy"})");
  EXPECT_TRUE(has(out, R"("id": 1)") && has(out, R"("id": 3)")) << out;
  EXPECT_FALSE(has(out, R"("id": 2)")) << out;
}

}  // namespace
}  // namespace copse::server
