// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line/value_check.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse {

std::string unknown_among(std::string_view what, std::string_view word,
                          std::span<const std::string> known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return unknown_word(what, word, views);
}

template <class Number>
std::string why_not_number(std::string_view text, Number least, Number most) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const char* const end = text.data() + text.size();
  if (error == std::errc() && stop == end && number >= least && number <= most) return {};
  const bool whole = std::is_integral_v<Number>;
  if (whole && error == std::errc::result_out_of_range && stop == end && text.front() != '-') {
    return fmt::format("{:.64} is too large; the most is {}", text, most);
  }
  std::string out = fmt::format("\"{:.64}\" is not a {}number", text, whole ? "whole " : "");
  if (most < std::numeric_limits<Number>::max()) {
    out += fmt::format(" from {} to {}", least, most);
  } else if (least > std::numeric_limits<Number>::lowest() || std::is_unsigned_v<Number>) {
    out += fmt::format(" of {} or more", least);
  }
  return out;
}

template std::string why_not_number(std::string_view, std::int64_t, std::int64_t);
template std::string why_not_number(std::string_view, std::uint64_t, std::uint64_t);
template std::string why_not_number(std::string_view, double, double);

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    std::string word(text.substr(from, to - from));
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    out.push_back(std::move(word));
    from = to + 1;
  }
  return out;
}

std::string why_not_list(std::string_view text) {
  const auto words = split_at_commas(text);
  if (std::ranges::find(words, "") == words.end()) return {};
  return fmt::format("a word is missing before or after a comma of \"{:.64}\"", text);
}

std::string why_not_list_of(std::string_view text, std::span<const std::string> known) {
  if (auto why = why_not_list(text); !why.empty()) return why;
  for (const std::string& word : split_at_commas(text)) {
    if (std::ranges::find(known, word) == known.end()) return unknown_among("word", word, known);
  }
  return {};
}

std::string why_without_date(std::string_view text, std::string_view otherwise) {
  const bool bare =
      text.find(':') != text.npos && text.find_first_not_of("0123456789:.") == text.npos;
  if (!bare) return {};
  return fmt::format("\"{:.64}\" has no date: write 2026-11-22T12:00, or {}", text, otherwise);
}

}  // namespace copse
