// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace copse {

// Takes the part of `rest` before the next separator, and that separator; all of it if there is none.
inline std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

// The parts of a text between separators; empty parts are left out. The parts are views of `text`.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::string_view part = take_part(text, separator);
    if (!part.empty()) out.push_back(part);
  }
  return out;
}

}  // namespace copse
