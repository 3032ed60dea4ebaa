// SPDX-License-Identifier: Apache-2.0
//
// Values of slurm.conf as Slurm's parser reads them, and of sacct.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace copse {

// A whole number of 0 or more: decimal, hexadecimal after "0x", octal after "0"; a "k" at its end is 1,024.
// None if it is not such a text, or above 2^40.
[[nodiscard]] std::optional<std::int64_t> parse_slurm_number(std::string_view text);

// Memory as sacct writes it: "32000M", "31.25G"; a number alone is in MB. In MB, rounded up. None if it is
// not such a text, or above 2^40.
[[nodiscard]] std::optional<std::int64_t> parse_slurm_memory_mb(std::string_view text);

// YES, UP, TRUE and 1, in any case.
[[nodiscard]] bool is_slurm_yes(std::string_view text);

// Whether jobs take the memory that they ask for, by a value of SelectTypeParameters ("": not set).
[[nodiscard]] bool slurm_consumes_memory(std::string_view parameters);

// Limits of time as slurm.conf writes them: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
// days-hours:minutes or days-hours:minutes:seconds; INFINITE, UNLIMITED or -1. Slurm rounds them up to
// minutes. Source: slurm.conf(5), and what Slurm 18 to 25 accept.
inline constexpr std::int64_t kSlurmNoLimit_s = 0;

// In seconds; kSlurmNoLimit_s: no limit. None if it is not such a text, or longer than 2^40 s.
[[nodiscard]] std::optional<std::int64_t> parse_slurm_time(std::string_view text);

}  // namespace copse
