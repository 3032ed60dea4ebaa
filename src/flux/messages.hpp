// SPDX-License-Identifier: Apache-2.0
//
// The messages between a scheduler and Flux's job manager and resource module (RFC 27, RFC 28), as
// values. The module (src/flux/module/) converts them from and to messages of the broker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "copse/ids.hpp"

namespace copse::flux {

// Messages may have any number as a priority: it is limited to this.
inline constexpr std::int64_t kPriorityMax = UINT32_MAX;

// A request for resources: sched.alloc.
struct AllocRequest {
  JobId id = 0;
  std::int64_t priority = 0;  // 0 to 2^32 - 1
  std::uint32_t userid = 0;
  double submit_s = 0;                 // since the epoch
  std::string_view jobspec;            // JSON (RFC 14)
  std::optional<double> duration_s{};  // with its fraction, if R is to have that
};

// A job that has resources when the scheduler starts: a response of job-manager.sched-hello.
struct HelloJob {
  JobId id = 0;
  std::int64_t priority = 0;
  std::uint32_t userid = 0;
  double submit_s = 0;
  std::string_view r;                    // as it was allocated
  std::optional<double> expiration_s{};  // replaces that of the R; 0: none
  Idset freed{};                         // ranks of the R that the job has freed
  std::string_view jobspec{};            // has the hierarchical resources of the job
  std::string queue{};                   // the queue it was started from, if known
};

// A later response of resource.acquire.
struct ResourceUpdate {
  Idset up, down;
  Idset shrink;                          // removed permanently
  std::optional<double> expiration_s{};  // of the instance; 0: none
};

// The job manager. REQUIRES that these functions call no function of the scheduler.
class JobManager {
 public:
  virtual ~JobManager() = default;
  // The job gets the resources `r` (RFC 20). Both texts are JSON objects.
  virtual void succeed(JobId job, const std::string& r, const std::string& annotations) = 0;
  virtual void annotate(JobId job, const std::string& annotations) = 0;
  virtual void deny(JobId job, const std::string& note) = 0;
  virtual void cancelled(JobId job) = 0;
  // Logs a message that violates the protocol.
  virtual void complain(const std::string& line) = 0;
};

}  // namespace copse::flux
