// SPDX-License-Identifier: Apache-2.0
//
// ReservationTrial: the effect of a reservation on the jobs of a queue.
//
//   const auto trial = try_reservation(queue, spec);
//   for (const auto& moved : trial->moved) …     // job 4: promised 1200 so far, then 3600
//
// The reservation is added to a copy of the queue, which then runs a pass. The queue itself is not
// changed. Cost: a clone, and a pass over at most kTrialJobsMax jobs.
//
// With `pause`, it gives way after each step: that is called once the clone is made, for each change
// of the clone's engine and each job of the pass. The queue may change meanwhile; the trial is of the
// state when it began.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "queue/job_queue.hpp"

namespace copse::queue {

inline constexpr std::uint64_t kTrialJobsMax = 5'000;

struct ReservationTrial {
  struct Moved {  // a job with a promised start
    JobId job = 0;
    std::int64_t from_s = 0;
    std::optional<std::int64_t> to_s{};  // none: it has no promise then, or was not examined
    bool operator==(const Moved&) const = default;
  };
  ReservationView view{};
  std::vector<ReservationLoss> losses{};
  std::vector<Moved> moved{};  // by the promised start, then by job
  bool complete = true;
};

// Errors: those of JobQueue::reserve().
[[nodiscard]] Result<ReservationTrial> try_reservation(JobQueue& queue, const ReservationSpec& spec,
                                                       std::uint64_t jobs_max = kTrialJobsMax,
                                                       const std::function<void()>& pause = {});

}  // namespace copse::queue
