// SPDX-License-Identifier: Apache-2.0
//
// Messages about an unknown word: the nearest known word, or the list of known words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace copse {

// Whether two words are equal, ignoring case.
[[nodiscard]] bool same_word(std::string_view a, std::string_view b);

// The word in quotes, on one line, cut to 64 bytes.
[[nodiscard]] std::string shown_word(std::string_view word);

// The known word with the least edit distance (letters added, removed, changed or swapped), if at
// most one letter in three differs. Empty if there is none. Ignores case. O(length² · words).
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> known);

// `; did you mean "duration"?`, else `; there are run, submit`, with at most 16 words; empty if
// there are no known words.
[[nodiscard]] std::string known_words_hint(std::string_view word,
                                           std::span<const std::string_view> known);

// `unknown key "duraton"; did you mean "duration"?`, else `…; there are run, submit`, with at most
// 16 words. The word is cut to 64 bytes.
[[nodiscard]] std::string unknown_word(std::string_view what, std::string_view word,
                                       std::span<const std::string_view> known);

}  // namespace copse
