// SPDX-License-Identifier: Apache-2.0
//
// Points in time as people write them, in seconds of the engine's clock. A clock that shows real
// time counts them from 1970, as Unix does.
//
//   1763812800  10m                       as a duration (base/duration.hpp), since the clock was 0
//   2026-11-22  2026-11-22T12:00          a day, or a time of a day (ISO 8601); a blank may stand
//   2026-11-22 12:00:30.5                 for the T
//   2026-11-22T12:00Z  …+01:00  …-0530    with its zone; without one it is local time
//
// A part of a second is left out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

// 2001: a time from then on is of a clock that shows real time, not of one that began at 0.
inline constexpr std::int64_t kRealTime_s = 1'000'000'000;

// The time at which local clocks show what UTC shows at `as_utc_s`.
using LocalTime = std::function<std::int64_t(std::int64_t as_utc_s)>;

// Whether a text is a day, or a time of a day, if it is a time at all.
[[nodiscard]] bool looks_like_a_date(std::string_view text);

// Errors: invalid (also a time before 1970); limit. O(length).
[[nodiscard]] Result<std::int64_t> parse_time(std::string_view text, const LocalTime& local);

// "2026-11-22T12:00:00Z"; beyond the year 9999 the number. parse_time() reads it as the same time.
// REQUIRES time_s >= 0.
[[nodiscard]] std::string time_text(std::int64_t time_s);

// For a reader: from kRealTime_s on as time_text(), before that the seconds, "3,600 s".
[[nodiscard]] std::string readable_time(std::int64_t time_s);

}  // namespace copse
