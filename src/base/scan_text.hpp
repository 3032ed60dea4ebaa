// SPDX-License-Identifier: Apache-2.0
//
// Helpers shared by the small one-line grammars (idsets, hostlists, request strings).
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "copse/error.hpp"

namespace copse {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// An error at a byte of a one-line text; the first byte is column 1.
[[nodiscard]] inline std::unexpected<Error> fail_at(ErrorCode code, std::size_t offset,
                                                    std::string sentence) {
  const std::size_t column = std::min<std::size_t>(offset, UINT32_MAX - 1) + 1;
  return fail(code, std::move(sentence),
              SourceLocation{.file = {}, .line = 1, .column = static_cast<std::uint32_t>(column)});
}

// The number that a whole text is: decimal digits, with "-" for one below 0. Nothing: it is something
// else, or does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace copse
