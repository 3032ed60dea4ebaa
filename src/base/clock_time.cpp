// SPDX-License-Identifier: Apache-2.0
#include "base/clock_time.hpp"

#include <cassert>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/nearest_word.hpp"

namespace copse {

namespace {

constexpr std::size_t kBytesMax = 64;
constexpr std::int64_t kYear10000_s = 253'402'300'800;

std::unexpected<Error> no_time(std::string_view text) {
  return fail(ErrorCode::invalid, shown_word(text) +
                                      " is not a time: write seconds, or 2026-11-22T12:00 with or "
                                      "without its zone, such as Z or +01:00");
}

// The rest of a text, from which parts are consumed. Once a part is missing, no further part
// matches.
class TextParts {
 public:
  explicit TextParts(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) { good_ &= take(c); }
  // A number with this many digits.
  int number(std::size_t digits, int least, int most) {
    int out = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') {
        good_ = false;
        return 0;
      }
      out = 10 * out + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    good_ &= out >= least && out <= most;
    return out;
  }
  void pass_digits() {
    number(1, 0, 9);
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') rest_.remove_prefix(1);
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

struct CivilTime {
  std::int64_t as_utc_s = 0;
  std::optional<std::int64_t> offset_s{};  // of its time zone
};

std::optional<std::int64_t> read_zone(TextParts& parts) {
  if (parts.take('Z') || parts.take('z')) return 0;
  const bool east = parts.take('+');
  if (!east && !parts.take('-')) return std::nullopt;
  const int hours = parts.number(2, 0, 23);
  parts.take(':');
  const int seconds = 60 * (60 * hours + (parts.empty() ? 0 : parts.number(2, 0, 59)));
  return east ? seconds : -seconds;
}

std::optional<CivilTime> read_civil(std::string_view text) {
  TextParts parts(text);
  const int year = parts.number(4, 1, 9999);
  parts.need('-');
  const int month = parts.number(2, 1, 12);
  parts.need('-');
  const int day = parts.number(2, 1, 31);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!parts.good() || !date.ok()) return std::nullopt;
  CivilTime out;
  out.as_utc_s = std::int64_t{86'400} * std::chrono::sys_days(date).time_since_epoch().count();
  if (parts.empty()) return out;
  if (!parts.take('T') && !parts.take('t')) parts.need(' ');
  out.as_utc_s += 3600 * parts.number(2, 0, 23);
  parts.need(':');
  out.as_utc_s += 60 * parts.number(2, 0, 59);
  if (parts.take(':')) {
    out.as_utc_s += parts.number(2, 0, 59);
    if (parts.take('.')) parts.pass_digits();
  }
  if (!parts.empty()) out.offset_s = read_zone(parts);
  if (!parts.good() || !parts.empty()) return std::nullopt;
  return out;
}

}  // namespace

bool looks_like_a_date(std::string_view text) {
  return text.size() >= 10 && text[4] == '-' && text[7] == '-';
}

Result<std::int64_t> parse_time(std::string_view text, const LocalTime& local) {
  if (text.size() > kBytesMax) return no_time(text);
  if (!looks_like_a_date(text)) {
    const auto seconds = parse_duration(text);
    if (!seconds && seconds.error().code == ErrorCode::limit) return seconds;
    return seconds && *seconds != kEndless_s ? seconds : no_time(text);
  }
  const auto civil = read_civil(text);
  if (!civil) return no_time(text);
  const std::int64_t time_s =
      civil->offset_s ? civil->as_utc_s - *civil->offset_s : local(civil->as_utc_s);
  if (time_s < 0) return fail(ErrorCode::invalid, shown_word(text) + " is a time before 1970");
  return time_s;
}

// What the clock shows is found by its difference from UTC at that time.
std::int64_t days_later(std::int64_t time_s, std::int64_t days, const LocalTime& local) {
  constexpr int kTries = 3;  // more are needed only in the hour that a clock shows twice
  std::int64_t shown_s = time_s;
  for (int n = 0; n < kTries && local(shown_s) != time_s; ++n) shown_s += time_s - local(shown_s);
  return local(shown_s + days * 86'400);
}

std::string time_text(std::int64_t time_s) {
  assert(time_s >= 0);
  if (time_s >= kYear10000_s) return fmt::format("{}", time_s);
  const std::chrono::sys_days day{std::chrono::days(time_s / 86'400)};
  const std::chrono::year_month_day date(day);
  const auto of_day = time_s % 86'400;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     of_day / 3600, of_day / 60 % 60, of_day % 60);
}

std::string readable_time(std::int64_t time_s) {
  if (time_s >= kRealTime_s && time_s < kYear10000_s) return time_text(time_s);
  std::string out = fmt::format("{}", time_s);
  const std::size_t sign = time_s < 0 ? 1 : 0;
  for (std::size_t at = out.size(); at > sign + 3;) out.insert(at -= 3, 1, ',');
  return out + " s";
}

}  // namespace copse
