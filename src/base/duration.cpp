// SPDX-License-Identifier: Apache-2.0
#include "base/duration.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/saturating.hpp"

namespace copse {

namespace {

// In milliseconds. INT64_MAX milliseconds exceed the limit.
constexpr std::int64_t kMillisecond = 1, kSecond = 1000, kMinute = 60 * kSecond,
                       kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr std::size_t kDurationBytesMax = 64;
constexpr std::size_t kFractionDigits = 9;  // times a day: below 2^63

std::unexpected<Error> no_duration(std::string_view text) {
  return fail(ErrorCode::invalid, shown_word(text) +
                                      " is not a duration: write 90, 10m, 1.5h, 2d, 01:00:00 or "
                                      "1-12:00:00");
}

std::size_t count_digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == text.npos ? text.size() : end;
}

// Consumes the leading digits of `text`. nullopt: there are none, or too many.
std::optional<std::int64_t> take_number(std::string_view& text) {
  const std::size_t size = count_digits(text);
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.begin(), text.begin() + size, number);
  if (size == 0) return std::nullopt;
  text.remove_prefix(size);
  return error == std::errc() ? number : INT64_MAX;
}

// "25": the digits after the point, as a fraction of a unit; rounded up to milliseconds.
std::optional<std::int64_t> take_fraction(std::string_view text, std::int64_t unit) {
  if (text.empty()) return std::nullopt;
  std::int64_t number = 0, parts = 1;
  bool more = false;  // nonzero digits beyond the precision
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int digit = text[i] - '0';
    if (i < kFractionDigits) {
      number = 10 * number + digit;
      parts *= 10;
    } else {
      more |= digit != 0;
    }
  }
  return (number * unit + parts - 1) / parts + (more ? 1 : 0);
}

std::optional<std::int64_t> take_unit(std::string_view& text) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits{
      {{"ms", kMillisecond}, {"s", kSecond}, {"m", kMinute}, {"h", kHour}, {"d", kDay}}};
  if (text.empty()) return kSecond;
  for (const auto& [name, unit] : kUnits) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return unit;
  }
  return std::nullopt;
}

// 90, 1.5h, 1h30m: milliseconds.
std::optional<std::int64_t> with_units(std::string_view text) {
  std::int64_t sum = 0;
  for (std::int64_t above = kDay + 1; !text.empty();) {
    const bool first = above > kDay;
    const auto whole = take_number(text);
    if (!whole) return std::nullopt;
    std::optional<std::string_view> fraction;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      fraction = text.substr(0, count_digits(text));
      text.remove_prefix(fraction->size());
    }
    const bool has_unit = !text.empty();
    const auto unit = take_unit(text);
    // Units must decrease. If there are several numbers, all must be whole.
    if (!unit || *unit >= above || (!first && !has_unit)) return std::nullopt;
    sum = saturating_sum(sum, saturating_product(*whole, *unit));
    if (fraction) {
      const auto part = take_fraction(*fraction, *unit);
      if (!part || !first || !text.empty()) return std::nullopt;
      sum = saturating_sum(sum, *part);
    }
    above = *unit;
  }
  return sum;
}

// 10:00, 01:00:00, 1-12, 1-12:30, 1-12:00:00: milliseconds.
std::optional<std::int64_t> with_colons(std::string_view text) {
  const bool days = text.find('-') != text.npos;
  std::array<std::int64_t, 4> fields{};
  std::size_t count = 0;
  for (;;) {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    fields.at(count++) = *number;
    if (text.empty()) break;
    if (text.front() != (days && count == 1 ? '-' : ':')) return std::nullopt;
    if (count == (days ? 4 : 3)) return std::nullopt;
    text.remove_prefix(1);
  }
  constexpr std::array<std::int64_t, 4> kUnits{kDay, kHour, kMinute, kSecond};
  constexpr std::array<int, 4> kBelow{0, 24, 60, 60};
  const std::size_t first = days ? 0 : 4 - count;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && fields.at(i) >= kBelow.at(first + i)) return std::nullopt;
    sum = saturating_sum(sum, saturating_product(fields.at(i), kUnits.at(first + i)));
  }
  return sum;
}

}  // namespace

Result<std::int64_t> parse_duration(std::string_view text) {
  for (const std::string_view endless : {"inf", "infinity", "unlimited"}) {
    if (same_word(text, endless)) return kEndless_s;
  }
  if (text.empty() || text.size() > kDurationBytesMax) return no_duration(text);
  const bool slurm = text.find_first_of(":-") != text.npos;
  const auto milliseconds = slurm ? with_colons(text) : with_units(text);
  if (!milliseconds) return no_duration(text);
  if (*milliseconds == INT64_MAX) {
    return fail(ErrorCode::limit, shown_word(text) + " is longer than any duration can be");
  }
  return *milliseconds / kSecond + (*milliseconds % kSecond == 0 ? 0 : 1);
}

std::string duration_text(std::int64_t seconds) {
  assert(seconds >= 0);
  if (seconds == kEndless_s) return "infinity";
  const std::int64_t days = seconds / 86'400;
  return fmt::format("{}{:02}:{:02}:{:02}", days > 0 ? fmt::format("{}-", days) : "",
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

}  // namespace copse
