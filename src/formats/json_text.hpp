// SPDX-License-Identifier: Apache-2.0
//
// Writing JSON straight into a string. Readers of other tools expect ", " and ": " as separators.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace copse {

// Appends `text` in quotes; quotes, backslashes and control characters escaped, UTF-8 as it is.
void append_json(std::string& out, std::string_view text);

template <std::integral Number>
void append_number(std::string& out, Number number) {
  char digits[24];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
}

}  // namespace copse
