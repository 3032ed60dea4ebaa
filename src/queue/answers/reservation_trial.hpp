// SPDX-License-Identifier: Apache-2.0
//
// ReservationTrial: what a reservation would do to the jobs of a queue.
//
//   const auto trial = try_reservation(queue, spec);
//   for (const auto& moved : trial->moved) …     // job 4: promised 1200 so far, then 3600
//
// It is added to a copy of the queue, which then jobs_max at those that wait. The queue itself is left
// alone. Cost: a clone, and a pass of at most kTrialJobsMax jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "queue/job_queue.hpp"

namespace copse::queue {

inline constexpr std::uint64_t kTrialJobsMax = 5'000;

struct ReservationTrial {
  struct Moved {  // a job that was promised a start
    JobId job = 0;
    std::int64_t from_s = 0;
    std::optional<std::int64_t> to_s{};  // none: it is promised none then; or it was not looked at
    bool operator==(const Moved&) const = default;
  };
  ReservationView view{};
  std::vector<ReservationLoss> losses{};
  std::vector<Moved> moved{};  // by the start that was promised, then by job
  bool complete = true;
};

// Errors: those of JobQueue::reserve().
[[nodiscard]] Result<ReservationTrial> try_reservation(JobQueue& queue, const ReservationSpec& spec,
                                                       std::uint64_t jobs_max = kTrialJobsMax);

}  // namespace copse::queue
