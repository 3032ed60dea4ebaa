// SPDX-License-Identifier: Apache-2.0
#include "server/http/target.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/scan_text.hpp"
#include "text/split.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kTargetBytesMax = 8192;

Result<std::string> decode_percent(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    unsigned byte = 0;
    const bool read = std::from_chars(begin, end, byte, 16).ptr == end;
    if (!read || digits.size() < 2 || byte == 0) {
      return fail(ErrorCode::invalid,
                  "the target has a % that is not followed by two hexadecimal digits");
    }
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

}  // namespace

const std::string* Target::find(std::string_view name) const {
  const auto at = std::ranges::find(query, name, &std::pair<std::string, std::string>::first);
  return at == query.end() ? nullptr : &at->second;
}

Result<Target> parse_target(std::string_view text) {
  if (text.size() > kTargetBytesMax) {
    return fail(ErrorCode::limit,
                fmt::format("the target has more than {} bytes", kTargetBytesMax));
  }
  if (!text.starts_with('/')) return fail(ErrorCode::invalid, "the target must begin with /");
  std::string_view path = take_part(text, '?');
  path.remove_prefix(1);
  Target out;
  while (!path.empty()) {
    auto part = decode_percent(take_part(path, '/'), false);
    if (!part) return std::unexpected(part.error());
    out.path.push_back(std::move(*part));
  }
  while (!text.empty()) {
    std::string_view pair = take_part(text, '&');
    auto name = decode_percent(take_part(pair, '='), true);
    auto value = decode_percent(pair, true);
    if (!name) return std::unexpected(name.error());
    if (!value) return std::unexpected(value.error());
    if (out.find(*name) != nullptr) {
      return fail(ErrorCode::invalid, fmt::format("\"{}\" is given twice", *name));
    }
    out.query.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

Result<std::int64_t> parse_integer(std::string_view text, std::string_view what,
                                   std::int64_t most) {
  std::int64_t out = 0;
  const bool digits = !text.empty() && std::ranges::all_of(text, is_digit);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (!digits || error == std::errc::invalid_argument) {
    return fail(ErrorCode::invalid, fmt::format("{} must be a whole number", what));
  }
  if (error != std::errc() || end != text.data() + text.size() || out > most) {
    return fail(ErrorCode::limit, fmt::format("{} is more than {}", what, most));
  }
  return out;
}

}  // namespace copse::server
