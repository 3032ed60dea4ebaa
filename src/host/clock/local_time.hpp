// SPDX-License-Identifier: Apache-2.0
//
// Times in the time zone of the reader: that of the program's environment (TZ). Only programs that
// write for people use them; what programs read has seconds or UTC. O(length).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace copse {

// "2026-11-22T13:00:00+01:00"; in UTC "2026-11-22T12:00:00Z". Times before kRealTime_s as
// readable_time().
[[nodiscard]] std::string local_time_text(std::int64_t time_s);

// "14:05"; on another day than now_s "2026-11-23 14:05". Times before kRealTime_s as readable_time().
[[nodiscard]] std::string local_clock(std::int64_t time_s, std::int64_t now_s);

// A text whose times, as time_text() writes them, are in the reader's zone.
[[nodiscard]] std::string in_local_zone(std::string_view text);

}  // namespace copse
