// SPDX-License-Identifier: Apache-2.0
//
// ReservationTrial: the effect of a reservation on the jobs of a queue.
//
//   const auto trial = try_reservation(queue, spec);
//   for (const auto& moved : trial->moved) …     // job 4: promised 1200 so far, then 3600
//
// The reservation is added to a copy of the queue, which then runs a pass. The queue itself is not
// changed. Cost: a clone, and a pass over at most kTrialJobsMax jobs.
#pragma once

#include <cstdint>
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
                                                       std::uint64_t jobs_max = kTrialJobsMax);

}  // namespace copse::queue
