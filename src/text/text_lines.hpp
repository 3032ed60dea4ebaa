// SPDX-License-Identifier: Apache-2.0
//
// The lines of a text, numbered from 1, each without its line end.
#pragma once

#include <cstdint>
#include <string_view>

namespace copse {

class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return true;
  }
  [[nodiscard]] std::uint32_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::uint32_t number_ = 0;
};

[[nodiscard]] inline std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace copse
