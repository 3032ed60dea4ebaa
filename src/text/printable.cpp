// SPDX-License-Identifier: Apache-2.0
#include "text/printable.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace copse {

namespace {

// U+0080 to U+009F, as UTF-8 has them.
bool is_c1_control(std::string_view sequence) {
  return sequence.size() == 2 && sequence[0] == '\xc2' &&
         static_cast<unsigned char>(sequence[1]) < 0xA0U;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7f'; }

void append_escape(std::string& out, char c) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else {
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string printable(std::string_view text, LineEnds line_ends) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(sequence.size());
    const bool kept = sequence[0] == '\n' && line_ends == LineEnds::keep;
    if (kept || (length > 0 && !is_control(sequence[0]) && !is_c1_control(sequence))) {
      out += sequence;
    } else {
      for (const char c : sequence) append_escape(out, c);
    }
  }
  return out;
}

}  // namespace copse
