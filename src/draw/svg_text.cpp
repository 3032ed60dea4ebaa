// SPDX-License-Identifier: Apache-2.0
#include "draw/svg_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/utf8.hpp"

namespace copse::draw::svg {

namespace {

std::size_t character_length(std::string_view text) {
  return std::max<std::size_t>(utf8_length(text), 1);
}

// Width of one character as a share of the font's size.
double character_width(std::string_view character) {
  const char c = character[0];
  if (character == "·" || character == "–") return 0.5;
  if (static_cast<unsigned char>(c) >= 0x80) return 1.1;  // the width of many scripts
  if (std::string_view("mwMW@%").contains(c)) return 1.0;
  if (std::string_view("iljI.,:;'|! ").contains(c)) return 0.37;
  if (std::string_view("tfr()[]/-").contains(c)) return 0.43;
  return c >= 'A' && c <= 'Z' ? 0.76 : 0.65;
}

}  // namespace

double text_width(std::string_view text, double font) {
  double width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    width += character_width(text.substr(i, length)) * font;
    i += length;
  }
  return width;
}

std::string fitted(std::string_view text, double font, double width) {
  const double dots = 1.1 * font;
  double used = 0;
  std::size_t cut = 0, kept = 0;  // the longest prefix that leaves space for "…"
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    used += character_width(text.substr(i, length)) * font;
    if (used > width) return kept < 2 ? "" : std::string(text.substr(0, cut)) + "…";
    i += length;
    if (used + dots <= width) {
      cut = i;
      ++kept;
    }
  }
  return std::string(text);
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); i += character_length(text.substr(i))) {
    starts.push_back(i);
  }
  if (starts.size() <= characters) return std::string(text);
  const std::size_t head = characters / 2, tail = characters - head - 1;
  return std::string(text.substr(0, starts[head])) + "…" +
         std::string(text.substr(starts[starts.size() - tail]));
}

std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > first + 3;) text.insert(i -= 3, ",");
  return text;
}

void append_number(std::string& out, double number) {
  const auto tenths = static_cast<std::int64_t>(std::lround(number * 10));
  if (tenths < 0) out += '-';
  const std::int64_t size = tenths < 0 ? -tenths : tenths;
  fmt::format_to(std::back_inserter(out), "{}", size / 10);
  if (size % 10 != 0) fmt::format_to(std::back_inserter(out), ".{}", size % 10);
}

}  // namespace copse::draw::svg
