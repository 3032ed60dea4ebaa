// SPDX-License-Identifier: Apache-2.0
//
// Numbers in JSON syntax (RFC 8259, section 6), for readers that have them as raw text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/scan_text.hpp"

namespace copse {

// Whether all of `text` is one number: [ minus ] int [ frac ] [ exp ]. O(length).
[[nodiscard]] inline bool is_json_number(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - from;
  };
  const std::size_t first = i;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

// The value of a number without fraction and exponent; nullopt if it is not such a number or does
// not fit.
[[nodiscard]] inline std::optional<std::int64_t> json_integer(std::string_view text) {
  return is_json_number(text) ? parse_number<std::int64_t>(text) : std::nullopt;
}

}  // namespace copse
