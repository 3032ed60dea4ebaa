// SPDX-License-Identifier: Apache-2.0
//
// A text that is a number, and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace copse {

// In decimal digits, with "-" for one below 0. Nothing: it is something else, or does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace copse
