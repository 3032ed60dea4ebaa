// SPDX-License-Identifier: Apache-2.0
//
// How jobs come to a queue: they are submitted, run already, or were in a queue before.
#pragma once

#include <cstdint>
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
  std::int64_t duration_s = 0;  // 0: without end; nobody runs beyond the engine's horizon
  std::int64_t priority = 0;
  bool held = false;
  std::string_view queue{};          // its name
  std::string_view user{};           // whose use of the machine counts (Priorities)
  std::string_view reservation{};    // that it waits for; "": none
  std::string_view kind{};           // jobs of one kind ask for the same, apart from durations
  const Request* request = nullptr;  // read if the kind is new
  // Who came first, of those with the same priority and time; 0: in the order of the calls. Either
  // all jobs have one, which nobody else has, or none.
  std::uint64_t arrival = 0;
};

// A job that runs already, on pools that somebody else chose.
struct Adoption {
  Submission job{};  // its request asks for what it has; its duration counts from its start
  std::span<const PoolId> pools{};  // each exclusively
  std::int64_t end_s = 0;           // 0: without end
  GrantCharges charges{};           // of hierarchical resources
};

// What became of a job in a queue that is no more.
struct Resumption {
  Submission job{};
  JobState state = JobState::waiting;  // promised, held and running, too
  std::int64_t start_s = -1;           // promised or running
  std::int64_t end_s = 0;              // running, where it has lost its grant
  std::int64_t first_told_s = -1;      // the first start that it was promised
};

}  // namespace copse::queue
