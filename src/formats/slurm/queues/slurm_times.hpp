// SPDX-License-Identifier: Apache-2.0
//
// Limits of time as slurm.conf writes them: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
// days-hours:minutes or days-hours:minutes:seconds; INFINITE, UNLIMITED or -1. Slurm rounds them up to
// minutes. Source: slurm.conf(5), and what Slurm 18 to 25 accept.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace copse {

inline constexpr std::int64_t kSlurmNoLimit_s = 0;

// In seconds; kSlurmNoLimit_s: no limit. None if it is not such a text, or longer than 2^40 s.
[[nodiscard]] std::optional<std::int64_t> parse_slurm_time(std::string_view text);

}  // namespace copse
