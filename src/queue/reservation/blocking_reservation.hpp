// SPDX-License-Identifier: Apache-2.0
//
// Which time of a reservation keeps a job from starting now.
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

// Without the times that overlap the job's, in the order of their starts, it would fit at last: the
// first of that reservation's. None: it fits beside them, or not even without them.
// REQUIRES that the job waits. Cost: that of a clone, and a match for each time.
[[nodiscard]] std::optional<ReservationReason> blocking_reservation(
    const SharedParts& shared, const QueuedJob& job, std::vector<NamedOccurrence> times);

}  // namespace copse::queue
