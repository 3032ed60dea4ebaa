// SPDX-License-Identifier: Apache-2.0
#include "text/clauses.hpp"

#include <algorithm>
#include <array>

#include "base/utf8.hpp"

namespace copse {

namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";  // …

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!is_utf8_continuation(text[at]) && count-- == 0) break;
  }
  return text.substr(0, at);
}

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !is_utf8_continuation(c); }));
}

std::string shortened(std::string_view name, std::size_t most) {
  if (characters(name) <= most) return std::string(name);
  return std::string(first_characters(name, most - 1)) + std::string(kEllipsis);
}

std::string first_clauses(std::string_view text, std::size_t most) {
  if (characters(text) <= most) return std::string(text);
  constexpr std::array<std::string_view, 4> kEnds{"; ", ": ", " (", ", "};
  const std::string_view room = first_characters(text, most + 2);  // with the end of a clause
  std::size_t best = 0;
  for (const std::string_view end : kEnds) {
    const std::size_t at = room.rfind(end);
    if (at == std::string_view::npos) continue;
    // Commas separate less: they serve where the others leave little.
    if (end != ", " || best < most / 3) best = std::max(best, at);
  }
  if (best > 0) return std::string(text.substr(0, best));
  return shortened(text, most);
}

}  // namespace copse
