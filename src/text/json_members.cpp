// SPDX-License-Identifier: Apache-2.0
#include "text/json_members.hpp"

#include <algorithm>

#include "text/json_text.hpp"

namespace copse {

std::string_view take_json_value(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" ,:\t\r\n"), text.size()));
  if (text.empty() || text.front() == '}' || text.front() == ']') return {};
  std::size_t end = std::min(text.find_first_of(",}] \t\r\n"), text.size());
  if (text.front() == '{' || text.front() == '[') end = json_value_end(text);
  if (text.front() == '"') {
    for (end = 1; end < text.size() && text[end] != '"';) end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, text.size());
  }
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(end);
  return out;
}

}  // namespace copse
