// SPDX-License-Identifier: Apache-2.0
//
// The scheduler as sched-simple (Setup::plain), and how soon an updated job is annotated again.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "flux/scheduler.hpp"

namespace copse::flux {
namespace {

constexpr std::int64_t kBegin_s = 2'000'000;
constexpr std::string_view kOneCore =
    R"({"version":1,"resources":[{"type":"slot","count":1,"label":"task","with":[{"type":"core","count":1}]}],"tasks":[{"command":["a"],"slot":"task","count":{"per_slot":1}}],"attributes":{"system":{"duration":0.5}}})";

class Manager final : public JobManager {
 public:
  void succeed(JobId job, const std::string& r, const std::string&) override { started[job] = r; }
  void annotate(JobId job, const std::string& text) override { annotated[job] += text; }
  void deny(JobId, const std::string& note) override { ADD_FAILURE() << note; }
  void cancelled(JobId) override {}
  void complain(const std::string& line) override { ADD_FAILURE() << line; }
  std::map<JobId, std::string> started, annotated;
};

std::unique_ptr<Scheduler> scheduler_of(Manager& manager, bool plain) {
  Idset up;
  up.add(0);
  auto made = Scheduler::create(
      {.inventory =
           R"({"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}],)"
           R"( "nodelist": ["n0"], "starttime": 0.0, "expiration": 0.0},)"
           R"( "scheduling": {"writer": "mine:Pool", "poem": [1, {"a": "b"}]}})",
       .up = up,
       .now_s = kBegin_s,
       .plain = plain},
      manager);
  EXPECT_TRUE(made) << made.error().message();
  return std::move(*made);
}

void work(Scheduler& scheduler, std::int64_t now_s) {
  for (queue::WorkBudget budget; !scheduler.work(now_s, budget);) {
  }
}

TEST(PlainScheduler, RHasSchedulingOfTheInstanceAndFractions) {
  Manager manager;
  const auto scheduler = scheduler_of(manager, true);
  scheduler->set_clock(static_cast<double>(kBegin_s) + 0.25);
  scheduler->alloc({.id = 1, .submit_s = 1, .jobspec = kOneCore, .duration_s = 0.5});
  work(*scheduler, kBegin_s);
  const std::string& r = manager.started[1];
  EXPECT_NE(r.find(R"("writer": "mine:Pool", "poem": [1, {"a": "b"}])"), std::string::npos) << r;
  EXPECT_NE(r.find(R"("starttime": 2000000.25, "expiration": 2000000.75)"), std::string::npos) << r;
  EXPECT_TRUE(scheduler->machine().remarks.empty());
}

TEST(PlainScheduler, OthersHaveWholeSeconds) {
  Manager manager;
  const auto scheduler = scheduler_of(manager, false);
  scheduler->alloc({.id = 1, .submit_s = 1, .jobspec = kOneCore});
  work(*scheduler, kBegin_s);
  const std::string& r = manager.started[1];
  EXPECT_EQ(r.find("poem"), std::string::npos) << r;
  EXPECT_NE(r.find(R"("expiration": 2000001)"), std::string::npos) << r;
  EXPECT_EQ(scheduler->machine().remarks.size(), 1U);
}

// An update withdraws the request of a waiting job, with its annotations, and sends it again.
TEST(UpdatedJobs, HaveTheirReasonAgainSoon) {
  for (const JobId jobs : {JobId{2}, JobId{200}}) {
    Manager manager;
    const auto scheduler = scheduler_of(manager, false);
    const auto alloc = [&](JobId job) {
      scheduler->alloc({.id = job, .priority = 16, .submit_s = 1, .jobspec = kOneCore});
    };
    for (JobId job = 1; job <= jobs; ++job) alloc(job);
    work(*scheduler, kBegin_s);
    EXPECT_NE(manager.annotated[2].find("reason_pending"), std::string::npos);
    manager.annotated.clear();
    scheduler->cancel(2);
    alloc(2);
    work(*scheduler, kBegin_s);
    const bool few = jobs <= AnnotationScheduler::kFewJobs;
    EXPECT_EQ(manager.annotated[2].find("reason_pending") != std::string::npos, few);
    if (!few) {
      EXPECT_EQ(scheduler->next_time(), kBegin_s + 1);
    }
    work(*scheduler, kBegin_s + 1);
    EXPECT_NE(manager.annotated[2].find("reason_pending"), std::string::npos);
  }
}

// While few jobs wait, a new one has its reason at once.
TEST(UpdatedJobs, AreAnnotatedAtOnceWhileFewWait) {
  Manager manager;
  const auto scheduler = scheduler_of(manager, false);
  for (JobId job = 1; job <= 4; ++job) {
    scheduler->alloc({.id = job, .priority = 16, .submit_s = 1, .jobspec = kOneCore});
    work(*scheduler, kBegin_s);
    EXPECT_EQ(manager.annotated[job].find("reason_pending") != std::string::npos, job > 1);
  }
}

}  // namespace
}  // namespace copse::flux
