// SPDX-License-Identifier: Apache-2.0
//
// Ids of jobs and of other grants: how they are written, and which are jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "copse/ids.hpp"

namespace copse {

// The ids of grants in an engine:
//   1 to 2^63 - 1   jobs of a queue, and grants that clients number
//   2^63            the grant to which a client gave the id 0, which an engine gives to no job
//   2^63 + 1 on     reservations
inline constexpr JobId kClientZeroId = JobId{1} << 63;
inline constexpr JobId kFirstReservationId = kClientZeroId + 1;
[[nodiscard]] constexpr bool is_reservation(JobId id) { return id >= kFirstReservationId; }

// Reads an id in a form of RFC 19: decimal, hex (0x1f), F58 (ƒ or f and base-58 digits; upper and lower
// case differ), dotted hex (0000.0000.0000.001f), and dotted hex after "job.". Mnemonics are not read.
// Nothing for other texts, and above 2^64 - 1. O(length).
[[nodiscard]] std::optional<std::uint64_t> parse_job_id(std::string_view text);

// "ƒ2Xr": the form that Flux's commands show.
[[nodiscard]] std::string f58_text(std::uint64_t id);

}  // namespace copse
