// SPDX-License-Identifier: Apache-2.0
//
// What is said of a word that is not known: the nearest known one, or all that there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace copse {

// Whether they differ in upper and lower case at most.
[[nodiscard]] bool same_word(std::string_view a, std::string_view b);

// The word in quotes, on one line, and at most 64 bytes of it.
[[nodiscard]] std::string shown_word(std::string_view word);

// The known word that differs least, by letters added, left out, changed or swapped: by one of
// three letters at most. Empty if there is none. Upper and lower case are one. O(length² · words).
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> known);

// `; did you mean "duration"?`, else `; there are run, submit`, of which at most 16 are listed;
// empty if none is known.
[[nodiscard]] std::string known_words_hint(std::string_view word,
                                           std::span<const std::string_view> known);

// `unknown key "duraton"; did you mean "duration"?`, else `…; there are run, submit`, of which
// at most 16 are listed. Of the word 64 bytes are shown.
[[nodiscard]] std::string unknown_word(std::string_view what, std::string_view word,
                                       std::span<const std::string_view> known);

}  // namespace copse
