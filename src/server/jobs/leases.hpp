// SPDX-License-Identifier: Apache-2.0
//
// Leases: which jobs end because nobody says any more that they go on.
//
// Times are seconds of a clock that never steps, with any beginning: that of the computer may be set
// while the service runs, which ends no lease and keeps none alive.
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
  // Anew, if it has one already. Of 0 seconds: it has none.
  void begin(JobId id, std::int64_t lease_s, std::int64_t now_s);
  void end(JobId id);  // it needs none any more
  // One that is over by now; it stays until end().
  [[nodiscard]] std::optional<JobId> over(std::int64_t now_s) const;

 private:
  std::set<std::pair<std::int64_t, JobId>> by_end_{};
  std::unordered_map<JobId, std::int64_t> ends_{};
};

}  // namespace copse::server
