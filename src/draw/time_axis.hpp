// SPDX-License-Identifier: Apache-2.0
//
// A time axis: the times of its ticks, and their labels.
#pragma once

#include <cstdint>
#include <string>

namespace copse::draw {

// "0", "45 s", "10 min", "1 h 30 min", "2 d 12 h"
[[nodiscard]] std::string time_words(std::int64_t time_s);
// The same with at most the two largest units; the rest is cut off.
[[nodiscard]] std::string short_time_words(std::int64_t time_s);

// A usual step (1, 2, 5, 10, 15, 30 s or min; 1, 2, 3, 6, 12 h; 1, 2, 7, 14, 28 d and multiples of
// these), with which a span has at most `ticks_max` ticks. REQUIRES ticks_max >= 1.
[[nodiscard]] std::int64_t tick_step_s(std::int64_t span_s, int ticks_max);

}  // namespace copse::draw
