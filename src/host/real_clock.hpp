// SPDX-License-Identifier: Apache-2.0
//
// The clock of the computer, and its time zone. The engine is handed its times; only tools ask here.
#pragma once

#include <cstdint>

namespace copse {

// Seconds since 1970.
[[nodiscard]] std::int64_t real_time_s();

// When local clocks show what UTC shows at `as_utc_s` (LocalTime of base/clock_time.hpp). Where
// clocks are set back, an hour has two times: the operating system chooses.
[[nodiscard]] std::int64_t utc_of_local_time(std::int64_t as_utc_s);

}  // namespace copse
