// SPDX-License-Identifier: Apache-2.0
//
// Writing JSON straight into a string. Readers of other tools expect ", " and ": " as separators.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace copse {

// Appends `text` in quotes; quotes, backslashes and control characters escaped, UTF-8 unchanged.
// Bytes that are not UTF-8 become U+FFFD: JSON has no others.
void append_json(std::string& out, std::string_view text);

// Appends the JSON value that `text` begins with: one blank after colons and commas, none
// elsewhere, strings and numbers unchanged. Returns where it ends. REQUIRES that the value is
// valid; of what is not, some text or other comes out. O(length of the value).
std::size_t append_json_value(std::string& out, std::string_view text);

// Where the JSON object or array that `text` begins with ends: after its last brace, or where the
// text does. REQUIRES nothing: what is not valid ends somewhere. O(length of the value).
[[nodiscard]] std::size_t json_value_end(std::string_view text);

template <std::integral Number>
void append_number(std::string& out, Number number) {
  char digits[24];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
}

}  // namespace copse
