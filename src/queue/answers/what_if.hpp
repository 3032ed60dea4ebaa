// SPDX-License-Identifier: Apache-2.0
//
// What if: the starts of all jobs if no other jobs arrived, with and without a change.
//
//   WhatIf what_if(queue, [](JobQueue& copy) { return copy.cancel(17); });
//   while (!what_if.work(budget)) answer_others();
//   for (const auto& moved : what_if.moved()) …         // job 4: 1200 instead of 3600
//
// A change consists of events: jobs arrive or are cancelled, nodes fail, racks are added, a queue
// gets another discipline. Both versions are simulated to their ends, on clones: each job that runs
// or starts takes the time that it requests. The queue itself is not changed.
//
// Cost: two clones, and the work of the queue until all waiting jobs have started.
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

// A queue on a clone of its engine that runs by itself.
class QueueSimulation : private QueueSink {
 public:
  // Called for each start, with the grant.
  using StartCallback = std::function<void(const Grant& grant)>;
  explicit QueueSimulation(const JobQueue& queue, StartCallback on_start = {});
  // The clone, to be changed before the simulation starts.
  [[nodiscard]] JobQueue& queue() { return *queue_; }
  [[nodiscard]] Engine& engine() { return *engine_; }
  // Returns true when all waiting jobs have started, no further event comes, or it is to stop.
  bool work(WorkBudget& budget);
  // How far it goes: starts, events, and jobs that passes examine.
  struct Limits {
    std::size_t starts = SIZE_MAX, events = SIZE_MAX;
    std::uint64_t jobs = UINT64_MAX;
  };
  // REQUIRES that work() was not called yet.
  void stop_after(const Limits& left) { left_ = left; }
  // Whether it went on to the end. REQUIRES that work() returned true.
  [[nodiscard]] bool complete() const {
    return starts_.size() < left_.starts && left_.events > 0 && left_.jobs > 0;
  }
  // Starts since the beginning of the simulation.
  [[nodiscard]] const std::map<JobId, std::int64_t>& starts() const { return starts_; }

 private:
  [[nodiscard]] bool pass(WorkBudget& budget);
  bool step();  // advances to the next event; false if there is none
  void started(JobId job, const Grant& grant) override;
  void denied(JobId, const Error&) override {}

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<JobQueue> queue_;
  StartCallback on_start_;
  std::map<JobId, std::int64_t> starts_;
  Limits left_{};  // all the starts; of the others, what is left
  using End = std::pair<std::int64_t, JobId>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

class WhatIf {
 public:
  using Change = std::function<Result<void>(JobQueue&)>;

  // Errors: those of the change.
  [[nodiscard]] static Result<WhatIf> make(const JobQueue& queue, const Change& change);
  // Returns true if both simulations are done.
  bool work(WorkBudget& budget) { return before_->work(budget) && after_->work(budget); }

  struct Moved {
    JobId job = 0;
    std::optional<std::int64_t> before_s, after_s;  // none: it does not start
    bool operator==(const Moved&) const = default;
  };
  // Jobs that start at another time, or only with or only without the change; by job. REQUIRES that
  // work() is done.
  [[nodiscard]] std::vector<Moved> moved() const;

 private:
  WhatIf() = default;
  std::unique_ptr<QueueSimulation> before_, after_;
};

}  // namespace copse::queue
