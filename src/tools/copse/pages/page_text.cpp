// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/pages/page_text.hpp"

#include <algorithm>

namespace copse::pages {

Details split_details(std::string_view text) {
  Details out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("  ")) {
      out.examples.emplace_back(line.substr(2));
    } else if (!line.empty() && line != "Examples:" && line != "Example:") {
      out.paragraphs.emplace_back(line);
    }
  }
  return out;
}

}  // namespace copse::pages
