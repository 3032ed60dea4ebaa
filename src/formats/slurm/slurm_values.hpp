// SPDX-License-Identifier: Apache-2.0
//
// Values of slurm.conf as Slurm's parser reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace copse {

// A whole number of 0 or more: decimal, hexadecimal after "0x", octal after "0"; a "k" at its end is 1,024.
// None if it is not such a text, or above 2^40.
[[nodiscard]] std::optional<std::int64_t> parse_slurm_number(std::string_view text);

// YES, UP, TRUE and 1, in any case.
[[nodiscard]] bool is_slurm_yes(std::string_view text);

// Whether jobs take the memory that they ask for, by a value of SelectTypeParameters ("": not set).
[[nodiscard]] bool slurm_consumes_memory(std::string_view parameters);

}  // namespace copse
