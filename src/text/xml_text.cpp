// SPDX-License-Identifier: Apache-2.0
#include "text/xml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/utf8.hpp"

namespace copse::xml {

LineIndex::LineIndex(std::string_view text) : text_(text) {
  blocks_.reserve(text.size() / kBlock + 1);
  Block now{1, 0};
  for (std::size_t begin = 0; begin <= text.size(); begin += kBlock) {
    blocks_.push_back(now);
    count(begin, std::min(begin + kBlock, text.size()), now);
  }
}

Spot LineIndex::spot(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  Block at = blocks_[offset / kBlock];
  count(offset / kBlock * kBlock, offset, at);
  return {at.line, static_cast<std::uint32_t>(offset) - at.line_start + 1};
}

void LineIndex::count(std::size_t begin, std::size_t end, Block& at) const {
  const std::string_view block = text_.substr(0, end);
  for (std::size_t i = block.find('\n', begin); i < end; i = block.find('\n', i + 1)) {
    ++at.line;
    at.line_start = static_cast<std::uint32_t>(i + 1);
  }
}

BadByte check_bytes(std::string_view text, std::size_t& marks) {
  marks = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    marks += c == '<' || c == '=';
    if (static_cast<unsigned char>(c) < 0x20 && !is_space(c)) {
      return {i, fmt::format("byte {} of the text is the control character {:#04x}, which XML "
                             "does not allow",
                             i, static_cast<unsigned>(c))};
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      return {i, fmt::format("byte {} of the text is not valid UTF-8; save the file as UTF-8", i)};
    }
    i += length;
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 64;
  std::string shown = "\"";
  for (std::size_t i = 0; i < text.size();) {
    if (i >= kShown) {
      shown += "…";
      break;
    }
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(i)), 1);
    if (is_control(text[i])) {
      shown += '?';
    } else {
      shown += text.substr(i, length);
    }
    i += length;
  }
  return shown + '"';
}

void append_text(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view c =
        text.substr(i, std::max<std::size_t>(utf8_length(text.substr(i)), 1));
    i += c.size();
    if (is_space(c[0]) && c[0] != ' ') {
      fmt::format_to(std::back_inserter(out), "&#{};", static_cast<int>(c[0]));
    } else if (utf8_length(c) == 0 || (c[0] >= 0 && c[0] < ' ') || c == "\uFFFE" || c == "\uFFFF") {
      out += "\uFFFD";
    } else if (c == "&") {
      out += "&amp;";
    } else if (c == "<") {
      out += "&lt;";
    } else if (c == ">") {
      out += "&gt;";
    } else if (c == "\"") {
      out += "&quot;";
    } else {
      out += c;
    }
  }
}

}  // namespace copse::xml
