// SPDX-License-Identifier: Apache-2.0
//
// Texts and numbers of a picture. The real width of a text depends on the viewer's fonts. So widths
// are those of the widest font requested (DejaVu Sans), rounded up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace copse::draw::svg {

[[nodiscard]] double text_width(std::string_view text, double font);

// The longest prefix of the text that fits into `width`, with "…" if it was cut; "" if fewer than
// two characters fit. O(characters that fit).
[[nodiscard]] std::string fitted(std::string_view text, double font, double width);

// At most `characters` characters, with "…" in the middle, because both ends of a path matter.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters);

// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::int64_t number);

// A coordinate, rounded to a tenth, without a trailing ".0".
void append_number(std::string& out, double number);

}  // namespace copse::draw::svg
