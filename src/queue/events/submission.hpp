// SPDX-License-Identifier: Apache-2.0
//
// How jobs enter a queue: they are submitted, run already, or were in a former queue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "copse/grant.hpp"
#include "copse/ids.hpp"
#include "copse/request.hpp"
#include "queue/job_table.hpp"

namespace copse::queue {

struct Submission {
  JobId id = 0;
  std::int64_t submit_s = 0;
  std::int64_t duration_s = 0;  // 0: unlimited; no job runs beyond the engine's horizon
  std::int64_t priority = 0;
  bool on_hold = false;
  std::string_view queue{};          // the name of its queue
  std::string_view user{};           // the user whose usage counts (Priorities)
  std::string_view reservation{};    // the reservation that it waits for; "": none
  std::string_view kind{};           // jobs of one kind make the same request, apart from durations
  const Request* request = nullptr;  // read if the kind is new
  // The order of jobs with the same priority and time; 0: the order of the calls. Either all jobs
  // have a number, each a different one, or none has.
  std::uint64_t arrival = 0;
};

// A job that already runs, on pools that another scheduler chose.
struct Adoption {
  Submission job{};  // its request describes what it has; its duration counts from its start
  std::span<const PoolId> pools{};        // each exclusively
  std::span<const PoolAmount> amounts{};  // of divisible pools
  std::int64_t end_s = 0;                 // 0: unlimited
  GrantCharges charges{};                 // its charges to hierarchical resources
};

// The state of a job in a former queue.
struct Resumption {
  Submission job{};
  JobState state = JobState::waiting;      // promised, on hold and running as well
  std::int64_t start_s = -1;               // promised or running
  std::int64_t end_s = 0;                  // running, if it has lost its grant
  std::int64_t first_reported_s = -1;      // the first start that was reported
  std::optional<std::int64_t> priority{};  // as it was computed last (KeptUsage); none: now
};

}  // namespace copse::queue
