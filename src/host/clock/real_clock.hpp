// SPDX-License-Identifier: Apache-2.0
//
// The clock of the computer, and its time zone. Only programs read it: the engine's callers pass times.
#pragma once

#include <cstdint>

namespace copse {

// Seconds since 1970.
[[nodiscard]] std::int64_t real_time_s();

// The time at which local clocks show what UTC shows at `as_utc_s` (LocalTime of base/clock_time.hpp).
// For the hour that is repeated when clocks are set back, the operating system chooses.
[[nodiscard]] std::int64_t utc_of_local_time(std::int64_t as_utc_s);

}  // namespace copse
