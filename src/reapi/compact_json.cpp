// SPDX-License-Identifier: Apache-2.0
#include "reapi/compact_json.hpp"

namespace copse::reapi {

std::string compact_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false, escaped = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!quoted && blank) continue;
    out += c;
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
  }
  return out;
}

}  // namespace copse::reapi
