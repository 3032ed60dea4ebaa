// SPDX-License-Identifier: Apache-2.0
#include "tools/options/wrap_text.hpp"

#include <algorithm>

namespace copse {

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string wrap_text(std::string_view text, std::size_t left, std::size_t right) {
  std::string out;
  std::size_t at = left;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t width = columns_of(word);
    if (at > left && at + 1 + width > right) {
      out += '\n' + std::string(left, ' ');
      at = left;
    } else if (at > left) {
      out += ' ';
      ++at;
    }
    out += word;
    at += width;
    begin = end + 1;
  }
  return out;
}

std::string help_row(const std::string& name, std::string_view about, std::size_t left,
                     std::size_t right) {
  std::string out = "  " + name;
  const std::size_t width = columns_of(out);
  out += width + 2 > left ? '\n' + std::string(left, ' ') : std::string(left - width, ' ');
  return out + wrap_text(about, left, right) + '\n';
}

}  // namespace copse
