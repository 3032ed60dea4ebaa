// SPDX-License-Identifier: Apache-2.0
//
// Points in time as text, in seconds of the engine's clock. A clock of real time counts seconds
// since 1970, as Unix does.
//
//   1763812800  10m                       as a duration (base/duration.hpp), since the clock was 0
//   2026-11-22  2026-11-22T12:00          a day, or a time of a day (ISO 8601); a space may
//     2026-11-22 12:00:30.5                 replace the T
//   2026-11-22T12:00Z  …+01:00  …-0530    with its zone; without one it is local time
//
// Fractions of a second are dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

// 2001. Times from here on belong to a clock of real time, earlier ones to a clock that began at 0.
inline constexpr std::int64_t kRealTime_s = 1'000'000'000;
// Of times and durations that are read.
inline constexpr std::int64_t kTimeMax_s = INT64_C(1) << 40;

// The time at which a local clock reads the same as UTC does at `as_utc_s`.
using LocalTime = std::function<std::int64_t(std::int64_t as_utc_s)>;

// The time at which the same clock shows the same time of day, `days` days later. Where it shows it
// twice, or never, it is what `local` makes of it.
[[nodiscard]] std::int64_t days_later(std::int64_t time_s, std::int64_t days,
                                      const LocalTime& local);

// Whether a text, if it is a time, is a date or a time of day.
[[nodiscard]] bool looks_like_a_date(std::string_view text);

// Errors: invalid (also a time before 1970); limit. O(length).
[[nodiscard]] Result<std::int64_t> parse_time(std::string_view text, const LocalTime& local);

// "2026-11-22T12:00:00Z"; beyond the year 9999 the number of seconds. parse_time() reads it as the
// same time.
// REQUIRES time_s >= 0.
[[nodiscard]] std::string time_text(std::int64_t time_s);

// For people: from kRealTime_s on as time_text(), before that in seconds, "3,600 s".
[[nodiscard]] std::string readable_time(std::int64_t time_s);

}  // namespace copse
