// SPDX-License-Identifier: Apache-2.0
//
// Leases: running jobs end when their executor stops renewing its lease.
//
// Times are milliseconds of a clock that the host advances while it listens to clients: neither a
// change of the computer's clock nor a busy or suspended host ends a lease.
//
// Cost: O(log leases) each.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "copse/ids.hpp"

namespace copse::server {

class Leases {
 public:
  // Starts or renews a lease; 0 seconds: no lease.
  void begin(JobId id, std::int64_t lease_s, std::int64_t now_ms);
  void end(JobId id);  // the job ended
  // A job whose lease has expired; it is returned until end().
  [[nodiscard]] std::optional<JobId> expired(std::int64_t now_ms) const;

 private:
  std::set<std::pair<std::int64_t, JobId>> by_end_{};
  std::unordered_map<JobId, std::int64_t> ends_{};
};

}  // namespace copse::server
