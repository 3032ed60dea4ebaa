// SPDX-License-Identifier: Apache-2.0
#include "text/json_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace copse {

void append_json(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  std::size_t next = 0;  // the first byte that is not written yet
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80) {
      const std::size_t length = utf8_length(text.substr(i));
      if (length > 0) {
        i += length - 1;
        continue;
      }
    } else if (byte >= 0x20 && byte != '"' && byte != '\\') {
      continue;
    }
    out.append(text, next, i - next);
    next = i + 1;
    if (byte >= 0x80) {
      out += "\uFFFD";
      continue;
    }
    out += '\\';
    if (byte == '\n' || byte == '\t') {
      out += byte == '\n' ? 'n' : 't';
    } else if (byte >= 0x20) {
      out += text[i];
    } else {
      out += "u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  out.append(text, next);
  out += '"';
}

std::size_t append_json_value(std::string& out, std::string_view text) {
  std::size_t depth = 0, at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        if (depth == 0) return at;
        break;
      case '{':
      case '[':
        ++depth;
        out += c;
        break;
      case '}':
      case ']':
        if (depth == 0) return at;
        out += c;
        if (--depth == 0) return at + 1;
        break;
      case ',':
      case ':':
        if (depth == 0) return at;
        (out += c) += ' ';
        break;
      case '"': {
        const std::size_t opened = at;
        for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
        out.append(text.substr(opened, at - opened + 1));
        if (depth == 0) return std::min(at + 1, text.size());
        break;
      }
      default: out += c;
    }
  }
  return std::min(at, text.size());
}

std::size_t json_value_end(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return at + 1;
      --depth;
    }
  }
  return text.size();
}

}  // namespace copse
