// SPDX-License-Identifier: Apache-2.0
//
// UTF-8: validation, and the line and column of a byte.
#pragma once

#include <cstdint>
#include <string_view>

namespace copse {

[[nodiscard]] inline bool is_utf8_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The length of the valid sequence (RFC 3629) at the beginning of `text`; 0 if there is none.
// REQUIRES text not empty. O(1).
[[nodiscard]] std::size_t utf8_length(std::string_view text);

// The offset of the first byte that does not start or continue a valid sequence (RFC 3629: no
// overlong forms, no surrogates, nothing above U+10FFFF), or npos. O(length).
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

// A position that moves forward through a text. Lines and columns count from 1, columns in
// characters. Cost: O(bytes passed), so O(length) for any number of steps.
struct TextPosition {
  std::size_t offset = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  // REQUIRES offset <= to <= text.size().
  void advance(std::string_view text, std::size_t to) {
    for (; offset < to; ++offset) {
      if (text[offset] == '\n') {
        ++line;
        column = 1;
      } else if (!is_utf8_continuation(text[offset])) {
        ++column;
      }
    }
  }
};

}  // namespace copse
