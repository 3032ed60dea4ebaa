// SPDX-License-Identifier: Apache-2.0
//
// PromiseForm: promises become counted, or pinned (promises.hpp), and keep their starts.
//
// It lives for one call, and works on the parts of Promises that it is given.
// Cost: begin_counting() that of CountedJobs::begin(); begin_pinning() a match for each promise.
#pragma once

#include <functional>
#include <vector>

#include "queue/counts/counted_jobs.hpp"
#include "queue/job_table.hpp"

namespace copse::queue {

class PromiseForm {
 public:
  // The request of a job, with its duration.
  using Prepared = std::function<PreparedRequest&(const QueuedJob&)>;

  PromiseForm(Engine& engine, JobTable& jobs, CountedJobs& counted, DuePromises& due,
              std::vector<Slot>& changed, Prepared prepared)
      : engine_(engine),
        jobs_(jobs),
        counted_(counted),
        due_(due),
        changed_(changed),
        prepared_(std::move(prepared)) {}

  // In other groups than before, or for the first time. False: there are too many groups, and
  // promises are pinned.
  bool begin_counting();
  // REQUIRES that promises are counted. Those that find no nodes are due afterwards.
  void begin_pinning();

 private:
  [[nodiscard]] std::vector<Slot> promised() const;  // in the order of their starts

  Engine& engine_;
  JobTable& jobs_;
  CountedJobs& counted_;
  DuePromises& due_;
  std::vector<Slot>& changed_;  // those with another start
  Prepared prepared_;
};

}  // namespace copse::queue
