// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/line_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "base/json_number.hpp"
#include "base/nearest_word.hpp"
#include "base/utf8.hpp"
#include "plan/job.hpp"
#include "text/json_fault.hpp"

namespace copse::plan {

namespace {

SourceLocation at_column(std::string_view line, std::size_t offset) {
  TextPosition position;
  position.advance(line, offset);
  return {{}, 0, position.column};
}

// 3600, and also 3600.0 or 3.6e3, from programs that write floating-point numbers only.
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (const auto plain = json_integer(text)) return plain;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  if (!number || !is_json_number(text) || value != std::floor(value)) return std::nullopt;
  constexpr double kExactMax = 9007199254740992.0;  // 2^53
  return std::abs(value) <= kExactMax ? std::optional(static_cast<std::int64_t>(value))
                                      : std::nullopt;
}

}  // namespace

Error not_json(std::string_view line, std::string_view what) {
  const auto fault = find_json_fault_of_line(line);
  if (!fault) {
    const std::size_t first = std::min(line.find_first_not_of(kJsonBlanks), line.size());
    std::string text = fmt::format("this is not {}", what);
    const std::string_view begin = line.substr(first, 1);
    if (begin != "{") text += ": it begins with " + shown_word(begin);
    return {ErrorCode::invalid, std::move(text), at_column(line, first)};
  }
  return {ErrorCode::invalid, fmt::format("this is not {}: {}", what, fault->text),
          at_column(line, fault->offset)};
}

Error not_utf8(std::string_view line) {
  return {ErrorCode::invalid, "this byte is not UTF-8", at_column(line, first_invalid_utf8(line))};
}

Result<std::int64_t> line_number(std::string_view key, TreeView value, std::int64_t least,
                                 std::int64_t most) {
  const auto number =
      value.is_scalar() && !value.is_quoted_string() ? whole_number(value.text()) : std::nullopt;
  if (number && *number >= least && *number <= most) return *number;
  return value.fail(fmt::format("\"{}\" is not a whole number from {} to {}", key, least, most));
}

Result<std::int64_t> line_seconds(std::string_view key, TreeView value, std::int64_t least) {
  if (!value.is_quoted_string()) return line_number(key, value, least, kTimeMax_s);
  const auto seconds = parse_duration(value.text());
  if (!seconds && looks_like_a_date(value.text())) {
    return value.fail(fmt::format("\"{}\": {} is a date: times count from time 0 of the stream",
                                  key, shown_word(value.text())));
  }
  if (!seconds) return value.fail(fmt::format("\"{}\": {}", key, seconds.error().text));
  if (*seconds >= least && *seconds <= kTimeMax_s) return *seconds;
  return value.fail(fmt::format("\"{}\" is not from {} to {} seconds", key, least, kTimeMax_s));
}

Result<std::string> line_name(std::string_view key, TreeView value) {
  if (value.is_scalar() && !value.text().empty() && value.text().size() <= kNameBytesMax) {
    return std::string(value.text());
  }
  return value.fail(fmt::format("\"{}\" is not a text of 1 to {} bytes", key, kNameBytesMax));
}

}  // namespace copse::plan
