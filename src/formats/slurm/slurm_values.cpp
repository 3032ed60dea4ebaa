// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/clock_time.hpp"
#include "base/scan_text.hpp"
#include "formats/slurm/slurm_lines.hpp"

namespace copse {

namespace {

constexpr std::int64_t kValueMax = INT64_C(1) << 40;

}  // namespace

std::optional<std::int64_t> parse_slurm_number(std::string_view text) {
  constexpr std::int64_t kThousand = 1024;
  const bool thousands = text.size() > 1 && (text.back() == 'k' || text.back() == 'K');
  if (thousands) text.remove_suffix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc() || end != text.data() + text.size() || text.front() == '-') {
    return std::nullopt;
  }
  if (out > (thousands ? kValueMax / kThousand : kValueMax)) return std::nullopt;
  return thousands ? out * kThousand : out;
}

std::optional<std::int64_t> parse_slurm_memory_mb(std::string_view text) {
  constexpr std::string_view kUnits = "KMGTP";
  constexpr double kStep = 1024, kMost = 1e15;
  std::size_t unit = 1;
  if (!text.empty() && kUnits.contains(text.back())) {
    unit = kUnits.find(text.back());
    text.remove_suffix(1);
  }
  const auto number = parse_number<double>(text);
  if (!number || !(*number >= 0 && *number <= kMost)) return std::nullopt;
  double amount = unit == 0 ? *number / kStep : *number;
  for (std::size_t u = 1; u < unit; ++u) amount *= kStep;
  if (amount > static_cast<double>(kValueMax)) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(amount));
}

bool is_slurm_yes(std::string_view text) {
  constexpr std::array<std::string_view, 4> kYes{"YES", "UP", "TRUE", "1"};
  return std::ranges::any_of(kYes, [&](std::string_view word) { return same_key(word, text); });
}

bool slurm_consumes_memory(std::string_view parameters) {
  constexpr std::string_view kMemory = "MEMORY";
  if (parameters.empty()) return true;
  for (std::size_t at = 0; at + kMemory.size() <= parameters.size(); ++at) {
    if (same_key(parameters.substr(at, kMemory.size()), kMemory)) return true;
  }
  return false;
}

namespace {

constexpr std::int64_t kPartMax = INT64_C(1) << 30;
constexpr std::int64_t kMinute_s = 60, kHour_s = 3600, kDay_s = 86400;

std::optional<std::int64_t> part_of_time(std::string_view text) {
  const auto out = parse_number<std::int64_t>(text);
  return out && *out >= 0 && *out <= kPartMax ? out : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_slurm_time(std::string_view text) {
  if (text == "-1" || same_key(text, "INFINITE") || same_key(text, "UNLIMITED")) {
    return kSlurmNoLimit_s;
  }
  std::int64_t out = 0;
  const auto dash = text.find('-');
  if (dash != text.npos) {
    const auto days = part_of_time(text.substr(0, dash));
    if (!days) return std::nullopt;
    out = *days * kDay_s;
    text.remove_prefix(dash + 1);
  }
  std::array<std::int64_t, 3> parts{};
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const auto colon = text.find(':');
    more = colon != text.npos;
    const auto part = part_of_time(text.substr(0, colon));
    if (!part || count == parts.size()) return std::nullopt;
    parts.at(count) = *part;
    if (more) text.remove_prefix(colon + 1);
  }
  // What the first part counts depends on what follows it.
  const bool hours_first = dash != std::string_view::npos || count == 3;
  const std::array<std::int64_t, 3> units = hours_first
                                                ? std::array{kHour_s, kMinute_s, INT64_C(1)}
                                                : std::array{kMinute_s, INT64_C(1), INT64_C(0)};
  for (std::size_t i = 0; i < count; ++i) out += parts.at(i) * units.at(i);
  if (out > kTimeMax_s - kMinute_s) return std::nullopt;
  return (out + kMinute_s - 1) / kMinute_s * kMinute_s;
}

}  // namespace copse
