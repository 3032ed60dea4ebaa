// SPDX-License-Identifier: Apache-2.0
//
// Durations as text, in whole seconds.
//
//   90            seconds
//   10m  1.5h     a number and a unit: ms, s, m, h, d (Flux Standard Duration, RFC 23)
//   1h30m         whole numbers with units, the largest first
//   inf           also infinity, unlimited: without end (RFC 23, Slurm)
//   10:00         minutes and seconds (Slurm's --time)
//   01:00:00      hours, minutes and seconds
//   1-12  1-12:30  1-12:00:00    days and hours, then minutes, then seconds
//
// Fractions of a second are rounded up. The first number has no bound; after a colon or a dash,
// hours are below 24, minutes and seconds below 60. A number alone is seconds, as in Flux; Slurm
// reads it as minutes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

// Without end: more than any horizon, and added to a time it does not overflow.
inline constexpr std::int64_t kEndless_s = INT64_MAX / 2;

// Errors: invalid; limit (2^63 milliseconds or more). O(length).
[[nodiscard]] Result<std::int64_t> parse_duration(std::string_view text);

// "00:10:00", "1-12:00:00", "infinity": parse_duration() reads it as the same number.
// REQUIRES seconds >= 0.
[[nodiscard]] std::string duration_text(std::int64_t seconds);

}  // namespace copse
