// SPDX-License-Identifier: Apache-2.0
#include "text/tree/line_values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "base/nearest_word.hpp"
#include "base/utf8.hpp"
#include "text/json_fault.hpp"

namespace copse {

namespace {

SourceLocation at_column(std::string_view line, std::size_t offset) {
  TextPosition position;
  position.advance(line, offset);
  return {{}, 0, position.column};
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

Result<std::int64_t> line_seconds(std::string_view key, TreeView value, std::int64_t least) {
  if (!value.is_quoted_string()) return value.read_whole(key, least, kTimeMax_s);
  const auto seconds = parse_duration(value.text());
  if (!seconds && looks_like_a_date(value.text())) {
    return value.fail(fmt::format("\"{}\": {} is a date: times count from time 0 of the stream",
                                  key, shown_word(value.text())));
  }
  if (!seconds) return value.fail(fmt::format("\"{}\": {}", key, seconds.error().text));
  if (*seconds >= least && *seconds <= kTimeMax_s) return *seconds;
  return value.fail(fmt::format("\"{}\" is not from {} to {} seconds", key, least, kTimeMax_s));
}

}  // namespace copse
