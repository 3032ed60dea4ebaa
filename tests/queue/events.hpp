// SPDX-License-Identifier: Apache-2.0
//
// A queue over a flat machine, with a record of its decisions.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan/flat.hpp"
#include "queue/job_queue.hpp"
#include "request/shape.hpp"

namespace copse::queue {

// Decisions as words: "start 3", "plan 4 at 100", "unplan 4", "deny 5", "unplaceable 6".
struct Said : QueueSink {
  std::vector<std::string> words;
  std::map<JobId, std::int64_t> planned_s;
  std::map<JobId, std::int64_t> running;  // its end, by its grant

  void started(JobId job, const Grant& grant) override {
    words.push_back("start " + std::to_string(job));
    planned_s.erase(job);
    running[job] = grant.end;
  }
  void planned(JobId job, std::int64_t start_s) override {
    words.push_back("plan " + std::to_string(job) + " at " + std::to_string(start_s));
    planned_s[job] = start_s;
  }
  void unplanned(JobId job) override {
    words.push_back("unplan " + std::to_string(job));
    planned_s.erase(job);
  }
  void denied(JobId job, const Error&) override {
    words.push_back("deny " + std::to_string(job));
    planned_s.erase(job);
  }
  void unplaceable(JobId job, const Error&) override {
    words.push_back("unplaceable " + std::to_string(job));
  }

  std::vector<std::string> take() { return std::exchange(words, {}); }
};

inline Request request_of(const std::string& shape) {
  auto made = parse_shape(shape);
  EXPECT_TRUE(made) << shape;
  return made ? std::move(*made) : Request();
}

struct Desk {
  explicit Desk(int nodes, std::vector<QueueSpec> queues, PriorityRule rule = {},
                RunningLimits limits = {})
      : engine(plan::flat_engine(nodes, 4, "low")),
        queue(*engine, std::move(queues), said, std::move(rule), std::move(limits)) {}
  explicit Desk(int nodes, const char* discipline, std::size_t depth = SIZE_MAX,
                const char* policy = "low")
      : engine(plan::flat_engine(nodes, 4, policy)),
        queue(*engine, {{.discipline = *find_discipline(discipline), .depth = depth}}, said) {}

  // Submits a job with a shape, such as "slot=2/node", and a duration.
  void submit(JobId id, const std::string& shape, std::int64_t duration_s,
              std::int64_t priority = 0, std::string_view in = {}, std::string_view user = {}) {
    const Request request = request_of(shape);
    const auto ok = queue.submit({.id = id,
                                  .submit_s = engine->now(),
                                  .duration_s = duration_s,
                                  .priority = priority,
                                  .queue = in,
                                  .user = user,
                                  .kind = shape,
                                  .request = &request});
    EXPECT_TRUE(ok) << (ok ? "" : ok.error().message());
  }
  // Ends the jobs that run until then, and moves the clock.
  void advance(std::int64_t now_s) {
    for (const auto& [job, end_s] : std::map(said.running)) {
      if (end_s <= now_s) end(job, end_s);
    }
    EXPECT_TRUE(queue.advance(now_s));
    queue.work();
  }
  void end(JobId job, std::int64_t at_s) {
    EXPECT_TRUE(queue.ended(job, at_s)) << job;
    said.running.erase(job);
  }
  std::vector<std::string> work() {
    queue.work();
    queue.check();
    return said.take();
  }

  Said said;
  std::unique_ptr<Engine> engine;
  JobQueue queue;
};

using Words = std::vector<std::string>;

}  // namespace copse::queue
