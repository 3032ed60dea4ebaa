// SPDX-License-Identifier: Apache-2.0
//
// The reason of a job that waits because of a reservation.
#pragma once

#include <cstdint>

#include "queue/answers/reasons.hpp"

namespace copse::queue {

// The job names the reservation, or is blocked by it.
[[nodiscard]] Reason reason_of(const ReservationReason& reservation, std::int64_t now_s,
                               std::int64_t duration_s);

}  // namespace copse::queue
