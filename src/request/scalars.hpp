// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a jobspec, read from the text of scalars.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace copse {

// A decimal integer with an optional sign, as in YAML's core schema. Beyond INT64_MAX it is
// INT64_MAX, below zero it is -1: callers only compare with bounds. nullopt: not an integer.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

// A decimal number, or infinity and NaN with or without YAML's leading dot. What is too large for
// a double is infinity, what is too small is zero or the smallest double. nullopt: not a number.
[[nodiscard]] std::optional<double> parse_seconds(std::string_view text);

}  // namespace copse
