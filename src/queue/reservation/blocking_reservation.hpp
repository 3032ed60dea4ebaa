// SPDX-License-Identifier: Apache-2.0
//
// The occurrence of a reservation that prevents a job from starting now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "queue/reservation/reserved_nodes.hpp"
#include "queue/shared_parts.hpp"

namespace copse::queue {

struct NamedOccurrence {
  const std::string* name = nullptr;  // of the reservation
  ReservedNodes time;
};

// Occurrences that overlap the job's time are removed in the order of their starts, until the job
// fits: the result is the first occurrence of that reservation. None: the job fits with all of
// them, or not even without them. REQUIRES that the job waits. Cost: a clone, and a match per
// occurrence.
[[nodiscard]] std::optional<ReservationReason> blocking_reservation(
    const SharedParts& shared, const QueuedJob& job, std::vector<NamedOccurrence> times);

}  // namespace copse::queue
