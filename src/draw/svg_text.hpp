// SPDX-License-Identifier: Apache-2.0
//
// Texts and numbers of a picture. How wide a text becomes is known only to who draws it, so widths
// are those of the widest of the fonts asked for (DejaVu Sans), rounded up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace copse::draw::svg {

[[nodiscard]] double text_width(std::string_view text, double font);

// As much of the text as fits into `width`, "…" where something was left out; "" if not even two
// characters fit. O(characters that fit).
[[nodiscard]] std::string fitted(std::string_view text, double font, double width);

// At most `characters` characters: "…" stands in the middle, since both ends of a path say much.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters);

// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::int64_t number);

// A coordinate: rounded to a tenth, without a needless ".0".
void append_number(std::string& out, double number);

}  // namespace copse::draw::svg
