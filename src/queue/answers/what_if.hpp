// SPDX-License-Identifier: Apache-2.0
//
// What if: the starts of all jobs of a queue if nothing else came, with and without a change.
//
//   WhatIf what_if(queue, [](JobQueue& copy) { return copy.cancel(17); });
//   while (!what_if.work(budget)) answer_others();
//   for (const auto& moved : what_if.moved()) …         // job 4: 1200 instead of 3600
//
// A change is any events: jobs come and go, nodes go down, racks come, a queue gets another
// discipline. Both futures are played to their ends on clones: each job that runs, or starts,
// takes the time that it asks for. The queue itself is left alone.
//
// Cost: two clones, and what the queue does until all that wait have started.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "queue/job_queue.hpp"

namespace copse::queue {

// A queue on a clone of its engine, that plays on by itself.
class QueueSimulation : private QueueSink {
 public:
  // StartCallback of each start, with where it is.
  using StartCallback = std::function<void(const Grant& grant)>;
  explicit QueueSimulation(const JobQueue& queue, StartCallback on_start = {});
  // To be changed before it plays.
  [[nodiscard]] JobQueue& queue() { return *queue_; }
  [[nodiscard]] Engine& engine() { return *engine_; }
  // True when all that waited have started, or nothing happens any more.
  bool work(WorkBudget& budget);
  // Starts of those that have started since.
  [[nodiscard]] const std::map<JobId, std::int64_t>& starts() const { return starts_; }

 private:
  bool step();  // to the next time; false if there is none
  void started(JobId job, const Grant& grant) override;
  void denied(JobId, const Error&) override {}

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<JobQueue> queue_;
  StartCallback on_start_;
  std::map<JobId, std::int64_t> starts_;
  using End = std::pair<std::int64_t, JobId>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

class WhatIf {
 public:
  using Change = std::function<Result<void>(JobQueue&)>;

  // Errors: those of the change.
  [[nodiscard]] static Result<WhatIf> make(const JobQueue& queue, const Change& change);
  // True if it is done.
  bool work(WorkBudget& budget) { return before_->work(budget) && after_->work(budget); }

  struct Moved {
    JobId job = 0;
    std::optional<std::int64_t> before_s, after_s;  // none: it does not start
    bool operator==(const Moved&) const = default;
  };
  // Jobs that start at another time, or only with or without the change; by job. REQUIRES that
  // work() is done.
  [[nodiscard]] std::vector<Moved> moved() const;

 private:
  WhatIf() = default;
  std::unique_ptr<QueueSimulation> before_, after_;
};

}  // namespace copse::queue
