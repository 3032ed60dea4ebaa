// SPDX-License-Identifier: Apache-2.0
//
// What Flux's job manager and resource module tell a scheduler (RFC 27, RFC 28), as values; and what
// the job manager is told. The module (src/flux/module/) makes them of messages, tests of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "copse/ids.hpp"

namespace copse::flux {

// A message may have any number there.
inline constexpr std::int64_t kPriorityMax = UINT32_MAX;

// A request for resources: sched.alloc.
struct AllocRequest {
  JobId id = 0;
  std::int64_t priority = 0;  // 0 to 2^32 - 1
  std::uint32_t userid = 0;
  double submit_s = 0;       // since the epoch
  std::string_view jobspec;  // JSON (RFC 14)
};

// A job that has resources when the scheduler starts: a response of job-manager.sched-hello.
struct HelloJob {
  JobId id = 0;
  std::int64_t priority = 0;
  std::uint32_t userid = 0;
  double submit_s = 0;
  std::string_view r;                    // as it was written when it was allocated
  std::optional<double> expiration_s{};  // a later one than R's; 0: none
  Idset given_back{};                    // ranks of R that it has no more
  std::string_view jobspec{};            // read for what it has of hierarchical resources
  std::string queue{};                   // that it was started from, if that is known
};

// A later response of resource.acquire.
struct ResourceUpdate {
  Idset up, down;
  Idset shrink;                          // gone for ever
  std::optional<double> expiration_s{};  // of the instance; 0: none
};

// The job manager. Nothing of the scheduler may be called from within.
class JobManager {
 public:
  virtual ~JobManager() = default;
  // The job has `r` (RFC 20). Both are JSON objects.
  virtual void succeed(JobId job, const std::string& r, const std::string& annotations) = 0;
  virtual void annotate(JobId job, const std::string& annotations) = 0;
  virtual void deny(JobId job, const std::string& note) = 0;
  virtual void cancelled(JobId job) = 0;
  // A line for the log of the broker about something that should not be.
  virtual void complain(const std::string& line) = 0;
};

}  // namespace copse::flux
