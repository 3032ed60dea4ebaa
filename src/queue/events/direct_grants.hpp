// SPDX-License-Identifier: Apache-2.0
//
// DirectGrants: grants outside a queue, which belong to no job of it. JobQueue documents each event
// and its errors.
//
// Promises are counted next to such grants (OutsideGrants). A grant that begins now is counted if numbers
// tell that it breaks no promise. Otherwise promises are pinned until the next pass: the engine holds
// them as reservations, so no other match can take promised resources. That costs a match per promise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "queue/queue_parts.hpp"
#include "queue/reservation/unbooked_occurrences.hpp"

namespace copse::queue {

class DirectGrants {
 public:
  explicit DirectGrants(QueueParts& parts) : p_(parts) {}
  [[nodiscard]] MatchResult grant(Operation operation, PreparedRequest& request, JobId id,
                                  const OutsideGrant& of);
  [[nodiscard]] Result<void> free(JobId id);
  [[nodiscard]] Result<bool> free(JobId id, std::span<const PoolId> pools);
  // All that the grant had was removed from the machine: it is over. O(grants outside the queue).
  void lost(JobId id);
  // Removes the grants that end by then.
  void end_until(std::int64_t now_s);

 private:
  // Whether counts tell what the grant gets, or that it gets nothing. REQUIRES that promises are counted.
  [[nodiscard]] bool fits_now(Operation operation, PreparedRequest& request, JobId id);
  [[nodiscard]] std::optional<Error> unbooked_conflict(Operation operation, const OutsideGrant& of,
                                                       JobId id) const;
  // Why the user may not have it next to what it has; "": it may.
  [[nodiscard]] std::string limit_reached(std::string_view user, const RunningSize& size) const;
  [[nodiscard]] Result<const Grant*> known(JobId id) const;
  void left(JobId id, std::int64_t end_s);
  void end_usage(JobId id, std::int64_t at_s);

  QueueParts& p_;
};

[[nodiscard]] UnbookedOccurrences unbooked_occurrences(const QueueParts& parts);

}  // namespace copse::queue
