// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/running_job_list.hpp"

#include <algorithm>
#include <tuple>

namespace copse::queue {

std::span<const RunningJobView> RunningJobList::list() {
  if (seen_ == promises_.running_changes()) return list_;
  seen_ = promises_.running_changes();
  list_.clear();
  jobs_.each([&](const QueuedJob& job) {
    if (job.state != JobState::running) return;
    const JobKind& kind = kinds_[job.kind];
    list_.push_back({.id = job.id,
                     .start_s = job.start_s,
                     .end_s = job.end_s,
                     .nodes = kind.nodes_least,
                     .cores = kind.cores,
                     .user = users_.name(job.user),
                     .queue = kinds_.queue_name(job.queue)});
  });
  std::ranges::sort(list_, {},
                    [](const RunningJobView& job) { return std::tuple(job.end_s, job.id); });
  return list_;
}

}  // namespace copse::queue
