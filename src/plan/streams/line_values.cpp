// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/line_values.hpp"

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/json_number.hpp"
#include "plan/job.hpp"

namespace copse::plan {

Result<std::int64_t> line_number(std::string_view key, TreeView value, std::int64_t least,
                                 std::int64_t most) {
  const auto number =
      value.is_scalar() && !value.is_quoted_string() ? json_integer(value.text()) : std::nullopt;
  if (number && *number >= least && *number <= most) return *number;
  return value.fail(fmt::format("\"{}\" is not a whole number from {} to {}", key, least, most));
}

Result<std::int64_t> line_seconds(std::string_view key, TreeView value, std::int64_t least) {
  if (!value.is_quoted_string()) return line_number(key, value, least, kTimeMax_s);
  const auto seconds = parse_duration(value.text());
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
