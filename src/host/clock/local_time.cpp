// SPDX-License-Identifier: Apache-2.0
#include "host/clock/local_time.hpp"

#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/scan_text.hpp"

namespace copse {

namespace {

constexpr std::string_view kPattern = "0000-00-00T00:00:00Z";  // of time_text()

std::optional<std::tm> local_parts(std::int64_t time_s) {
  const std::time_t time = time_s;
  std::tm out{};
  if (time_s < kRealTime_s || localtime_r(&time, &out) == nullptr) return std::nullopt;
  return out;
}

bool is_time(std::string_view text) {
  if (text.size() < kPattern.size()) return false;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    if (kPattern[i] == '0' ? !is_digit(text[i]) : text[i] != kPattern[i]) return false;
  }
  return true;
}

}  // namespace

std::string local_time_text(std::int64_t time_s) {
  const auto parts = local_parts(time_s);
  if (!parts || parts->tm_gmtoff == 0 || parts->tm_year > 9999 - 1900) return readable_time(time_s);
  const long minutes = std::labs(parts->tm_gmtoff) / 60;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{:02}:{:02}", parts->tm_year + 1900,
                     parts->tm_mon + 1, parts->tm_mday, parts->tm_hour, parts->tm_min,
                     parts->tm_sec, parts->tm_gmtoff < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string local_clock(std::int64_t time_s, std::int64_t now_s) {
  const auto parts = local_parts(time_s);
  if (!parts || parts->tm_year > 9999 - 1900) return readable_time(time_s);
  const auto now = local_parts(now_s);
  std::string clock = fmt::format("{:02}:{:02}", parts->tm_hour, parts->tm_min);
  if (now && now->tm_year == parts->tm_year && now->tm_yday == parts->tm_yday) return clock;
  return fmt::format("{:04}-{:02}-{:02} {}", parts->tm_year + 1900, parts->tm_mon + 1,
                     parts->tm_mday, clock);
}

std::string in_local_zone(std::string_view text) {
  const LocalTime utc = [](std::int64_t as_utc_s) { return as_utc_s; };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view time = text.substr(at, kPattern.size());
    const auto time_s = is_time(time) ? parse_time(time, utc) : Result<std::int64_t>(0);
    if (is_time(time) && time_s) {
      out += local_time_text(*time_s);
      at += kPattern.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace copse
