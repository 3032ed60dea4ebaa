// SPDX-License-Identifier: Apache-2.0
//
// Checks of option values. Each returns why the value is refused, in words; "": it is not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

// unknown_word() of base/nearest_word.hpp.
[[nodiscard]] std::string unknown_among(std::string_view what, std::string_view word,
                                        std::span<const std::string> known);

// A number from `least` to `most`. Defined for std::int64_t, std::uint64_t and double.
template <class Number>
[[nodiscard]] std::string why_not_number(std::string_view text, Number least, Number most);

// The words between commas, without the blanks around them.
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view text);
// A list in which no word is empty.
[[nodiscard]] std::string why_not_list(std::string_view text);
// A list of the known words.
[[nodiscard]] std::string why_not_list_of(std::string_view text,
                                          std::span<const std::string> known);

// A point in time: a time of day needs its date. `otherwise`: what may be written instead.
[[nodiscard]] std::string why_without_date(std::string_view text, std::string_view otherwise);

}  // namespace copse
