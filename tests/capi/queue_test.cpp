// SPDX-License-Identifier: Apache-2.0
#include "capi/c_api.hpp"

namespace copse::capi {

namespace {

class CQueue : public CApi {
 protected:
  CQueue() { EXPECT_EQ(copse_queue_new(engine, nullptr, &queue, &error), COPSE_OK) << error.text; }
  ~CQueue() override { copse_queue_free(queue); }
  copse_code submit(std::uint64_t id, const char* shape, std::int64_t duration) {
    copse_job job = COPSE_JOB_INIT;
    job.id = id;
    job.shape = shape;
    job.duration = duration;
    return copse_queue_submit(queue, &job, &error);
  }
  // All decisions that were not taken: "started 1 0-100; ".
  std::string decisions() {
    std::string out;
    copse_decision d = COPSE_DECISION_INIT;
    while (copse_queue_next(queue, &d, nullptr) == COPSE_OK) {
      const char* const words[] = {"started", "promised", "withdrawn", "denied", "unplaceable"};
      out += words[d.what] + std::string(" ") + std::to_string(d.job);
      if (d.what == COPSE_STARTED) {
        out += " " + std::to_string(d.start) + "-" + std::to_string(d.end);
      }
      if (d.what == COPSE_PROMISED) out += " " + std::to_string(d.start);
      out += "; ";
    }
    return out;
  }
  std::string work() {
    bool done = false;
    EXPECT_EQ(copse_queue_work(queue, 0, &done, &error), COPSE_OK);
    EXPECT_TRUE(done);
    return decisions();
  }
  copse_queue* queue = nullptr;
};

TEST_F(CQueue, JobsWaitRunAndEnd) {
  EXPECT_EQ(submit(1, "slot=3/node{x}", 100), COPSE_OK) << error.text;
  EXPECT_EQ(submit(2, "slot=2/node{x}", 50), COPSE_OK);
  EXPECT_EQ(submit(3, "slot=1/node{x}", 100), COPSE_OK);
  EXPECT_EQ(submit(3, "slot=1/node{x}", 100), COPSE_EXISTS);
  EXPECT_EQ(work(), "started 1 0-100; started 3 0-100; promised 2 100; ");
  copse_job_state state = COPSE_JOB_HELD;
  ASSERT_EQ(copse_queue_state(queue, 2, &state, &error), COPSE_OK);
  EXPECT_EQ(state, COPSE_JOB_PROMISED);
  std::int64_t start = 0;
  ASSERT_EQ(copse_queue_when(queue, 2, &start, &error), COPSE_OK) << error.text;
  EXPECT_EQ(start, 100);
  char* why = nullptr;
  ASSERT_EQ(copse_queue_why(queue, 2, "json", &why, nullptr, &error), COPSE_OK);
  EXPECT_NE(taken(why).find("\"promised\": 100"), std::string::npos);
  EXPECT_EQ(copse_queue_why(queue, 1, "text", &why, nullptr, &error), COPSE_INVALID);
  ASSERT_EQ(copse_queue_ended(queue, 1, 60, &error), COPSE_OK) << error.text;
  ASSERT_EQ(copse_queue_advance(queue, 60, &error), COPSE_OK) << error.text;
  EXPECT_EQ(work(), "started 2 60-110; ");
  copse_queue_info info = COPSE_QUEUE_INFO_INIT;
  ASSERT_EQ(copse_queue_describe(queue, &info, &error), COPSE_OK);
  EXPECT_EQ(info.running, 2U);
  EXPECT_EQ(copse_queue_next_time(queue, &start, &error), COPSE_NOT_FOUND);
}

TEST_F(CQueue, HoldReleasePriorityAndStop) {
  EXPECT_EQ(submit(1, "slot=4/node{x}", 10), COPSE_OK);
  EXPECT_EQ(submit(2, "slot=4/node{x}", 10), COPSE_OK);
  EXPECT_EQ(submit(3, "slot=5/node{x}", 10), COPSE_OK);
  EXPECT_EQ(copse_queue_hold(queue, 1, &error), COPSE_OK);
  EXPECT_EQ(copse_queue_set_stopped(queue, nullptr, true, &error), COPSE_OK) << error.text;
  EXPECT_EQ(work().find("started"), std::string::npos);
  EXPECT_EQ(copse_queue_set_stopped(queue, nullptr, false, &error), COPSE_OK);
  EXPECT_EQ(copse_queue_release(queue, 1, &error), COPSE_OK);
  EXPECT_EQ(copse_queue_set_priority(queue, 1, 5, &error), COPSE_OK);
  EXPECT_NE(work().find("started 1 0-10; "), std::string::npos);
  EXPECT_EQ(copse_queue_set_priority(queue, 1, 5, &error), COPSE_INVALID);
  EXPECT_EQ(copse_queue_set_end(queue, 1, 40, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_queue_set_duration(queue, 2, 20, &error), COPSE_OK);
  EXPECT_EQ(work(), "promised 2 40; ");
  EXPECT_EQ(copse_queue_cancel(queue, 2, &error), COPSE_OK);
  EXPECT_EQ(copse_queue_cancel(queue, 2, &error), COPSE_NOT_FOUND);
}

TEST_F(CQueue, TheEngineIsTheQueuesAlone) {
  copse_request* const node = request("slot=1/node{x}");
  EXPECT_EQ(match(COPSE_ALLOCATE, node, 9), "busy");
  EXPECT_STREQ(error.text, "the engine has a queue, which alone changes it");
  copse_queue* second = nullptr;
  EXPECT_EQ(copse_queue_new(engine, nullptr, &second, &error), COPSE_BUSY);
  copse_queue* clone = nullptr;
  copse_engine* shadow = nullptr;
  EXPECT_EQ(submit(1, "slot=4/node{x}", 10), COPSE_OK);
  ASSERT_EQ(copse_queue_clone(queue, &clone, &shadow, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_queue_work(clone, 0, nullptr, &error), COPSE_OK);
  EXPECT_EQ(copse_grant(shadow, 1, nullptr, nullptr, &error), COPSE_OK);
  EXPECT_EQ(copse_grant(engine, 1, nullptr, nullptr, &error), COPSE_NOT_FOUND);
  // The queue keeps its engine.
  EXPECT_EQ(copse_engine_free(shadow), COPSE_OK);
  EXPECT_EQ(copse_queue_cancel(clone, 1, &error), COPSE_INVALID);
  copse_queue_free(clone);
  copse_queue_free(queue);
  EXPECT_EQ(match(COPSE_ALLOCATE, node, 9).substr(0, 2), "0 ");
  copse_request_free(node);
}

TEST_F(CQueue, SeveralQueuesByConfiguration) {
  copse_queue_free(queue);
  copse_queue_options how = COPSE_QUEUE_OPTIONS_INIT;
  how.config = "[queues.batch]\n[queues.debug]\n[sched-copse]\nqueue-policy = \"fcfs\"\n";
  ASSERT_EQ(copse_queue_new(engine, &how, &queue, &error), COPSE_OK) << error.text;
  copse_job job = COPSE_JOB_INIT;
  job.id = 1;
  job.shape = "slot=1/core";
  EXPECT_EQ(copse_queue_submit(queue, &job, &error), COPSE_NOT_FOUND);
  job.queue = "debug";
  EXPECT_EQ(copse_queue_submit(queue, &job, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_queue_set_status(queue, "0-3", COPSE_DOWN, &error), COPSE_OK) << error.text;
  EXPECT_EQ(work().find("started"), std::string::npos);
  how.config = "[sched-copse]\nqueue-policy = \"esy\"\n";
  copse_queue* none = nullptr;
  EXPECT_EQ(copse_queue_new(engine, &how, &none, &error), COPSE_BUSY);
}

// The grant of a job, as R.
std::string grant_of(copse_engine* engine, std::uint64_t job) {
  copse_result result = COPSE_RESULT_INIT;
  EXPECT_EQ(copse_grant(engine, job, "rv1_nosched", &result, nullptr), COPSE_OK);
  return taken(result.text);
}

TEST_F(CQueue, AdoptsWhatRunsAlready) {
  ASSERT_EQ(submit(1, "slot=2/node{x}", 100), COPSE_OK);
  work();
  const std::string r = grant_of(engine, 1);
  copse_queue_free(queue);
  ASSERT_EQ(copse_cancel(engine, 1, &error), COPSE_OK) << error.text;
  ASSERT_EQ(copse_queue_new(engine, nullptr, &queue, &error), COPSE_OK) << error.text;
  copse_job job = COPSE_JOB_INIT;
  job.id = 1;
  job.shape = "slot=2/node{x}";
  ASSERT_EQ(copse_queue_adopt(queue, &job, r.data(), r.size(), 70, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_queue_adopt(queue, &job, r.data(), r.size(), 70, &error), COPSE_EXISTS);
  job.id = 2;
  EXPECT_NE(copse_queue_adopt(queue, &job, r.data(), r.size(), 70, &error), COPSE_OK);
  EXPECT_EQ(copse_queue_adopt(queue, &job, "x", 1, 70, &error), COPSE_INVALID);
  EXPECT_EQ(copse_queue_adopt(queue, nullptr, r.data(), r.size(), 70, &error), COPSE_INVALID);
  EXPECT_EQ(grant_of(engine, 1), r.substr(0, r.find("\"expiration\"")) + "\"expiration\": 70}}\n");
  ASSERT_EQ(submit(3, "slot=4/node{x}", 10), COPSE_OK);
  EXPECT_EQ(work(), "promised 3 70; ");
  // It gives back a part, and then the rest.
  const std::string part = R"({"version": 1, "execution": {"R_lite": [{"rank": "0", "children":
      {"core": "0-3"}}], "nodelist": ["n0"], "starttime": 0, "expiration": 0}})";
  bool gone = true;
  EXPECT_EQ(copse_queue_ended_part(queue, 9, part.data(), part.size(), &gone, &error),
            COPSE_NOT_FOUND);
  ASSERT_EQ(copse_queue_ended_part(queue, 1, r.data(), r.size(), &gone, &error), COPSE_OK)
      << error.text;
  EXPECT_TRUE(gone);
  EXPECT_EQ(work(), "started 3 0-10; ");
}

TEST_F(CQueue, ReservationsKeepJobsAway) {
  ASSERT_EQ(submit(1, "slot=1/node{x}", 100), COPSE_OK);
  EXPECT_EQ(work(), "started 1 0-100; ");
  const char* const all = R"({"name": "course", "start": 50, "duration": 50, "nodes": "n[0-3]"})";
  std::uint64_t* jobs = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(copse_queue_reserve(queue, all, COPSE_TERMINATED, &jobs, &count, &error), COPSE_OK)
      << error.text;
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(jobs[0], 1U);
  copse_free(jobs);
  EXPECT_EQ(copse_queue_reserve(queue, all, COPSE_TERMINATED, nullptr, nullptr, &error),
            COPSE_EXISTS);
  EXPECT_EQ(copse_queue_reserve(queue, all, COPSE_TERMINATED, &jobs, nullptr, &error),
            COPSE_INVALID);
  EXPECT_EQ(copse_queue_reserve(queue, "[]", COPSE_TERMINATED, nullptr, nullptr, &error),
            COPSE_INVALID);
  EXPECT_EQ(copse_queue_reserve(queue, "{\"nam\": 1}", COPSE_TERMINATED, nullptr, nullptr, &error),
            COPSE_INVALID);
  ASSERT_EQ(submit(2, "slot=1/node{x}", 60), COPSE_OK);
  EXPECT_EQ(work(), "promised 2 100; ");
  const char* const later = R"({"name": "course", "start": 70, "duration": 50, "nodes": "n[0-3]"})";
  ASSERT_EQ(
      copse_queue_change_reservation(queue, later, COPSE_TERMINATED, nullptr, nullptr, &error),
      COPSE_OK)
      << error.text;
  EXPECT_EQ(work().substr(0, 15), "started 2 0-60;");
  EXPECT_EQ(copse_queue_cancel_reservation(queue, "none", &error), COPSE_NOT_FOUND);
  EXPECT_EQ(copse_queue_cancel_reservation(queue, nullptr, &error), COPSE_INVALID);
  EXPECT_EQ(copse_queue_cancel_reservation(queue, "course", &error), COPSE_OK) << error.text;
}

TEST_F(CQueue, TheMachineShrinksAndGrows) {
  ASSERT_EQ(submit(1, "slot=4/node{x}", 100), COPSE_OK);
  work();
  char* jgf = nullptr;
  copse_machine* whole = machine;
  ASSERT_EQ(copse_machine_write(whole, &jgf, nullptr, &error), COPSE_OK);
  const std::string text = taken(jgf);
  std::uint64_t* jobs = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(copse_queue_shrink(queue, "/cluster0/n3", &jobs, &count, &error), COPSE_OK)
      << error.text;
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(jobs[0], 1U);
  copse_free(jobs);
  EXPECT_EQ(copse_queue_shrink(queue, "/cluster0/n3", nullptr, nullptr, &error), COPSE_NOT_FOUND);
  EXPECT_EQ(copse_queue_grow(queue, "{", 1, &error), COPSE_INVALID);
  ASSERT_EQ(copse_queue_grow(queue, text.data(), text.size(), &error), COPSE_OK) << error.text;
  ASSERT_EQ(submit(2, "slot=1/node{x}", 100), COPSE_OK);
  EXPECT_EQ(work(), "started 2 0-100; ");
  EXPECT_EQ(copse_queue_set_discipline(queue, nullptr, "fcfs", 0, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_queue_set_discipline(queue, nullptr, "none", 0, &error), COPSE_NOT_FOUND);
  EXPECT_EQ(copse_queue_set_discipline(queue, "other", "fcfs", 0, &error), COPSE_NOT_FOUND);
}

}  // namespace

}  // namespace copse::capi
