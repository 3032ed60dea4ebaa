// SPDX-License-Identifier: Apache-2.0
//
// Spellings of job ids (RFC 19): decimal, hex (0x1f), F58 (ƒ or f and base-58 digits, in which case
// counts), dotted hex (0000.0000.0000.001f), and the latter after "job.". Mnemonics (words) are not
// supported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace copse {

// nullopt if it is none of these, or above 2^64 - 1. O(length).
[[nodiscard]] std::optional<std::uint64_t> parse_job_id(std::string_view text);

// "ƒ2Xr": as Flux's commands show it.
[[nodiscard]] std::string f58_text(std::uint64_t id);

}  // namespace copse
