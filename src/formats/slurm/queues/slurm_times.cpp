// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/queues/slurm_times.hpp"

#include <array>

#include "base/clock_time.hpp"
#include "base/scan_text.hpp"
#include "formats/slurm/slurm_lines.hpp"

namespace copse {

namespace {

constexpr std::int64_t kPartMax = INT64_C(1) << 30;
constexpr std::int64_t kMinute_s = 60, kHour_s = 3600, kDay_s = 86400;

std::optional<std::int64_t> number(std::string_view text) {
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
    const auto days = number(text.substr(0, dash));
    if (!days) return std::nullopt;
    out = *days * kDay_s;
    text.remove_prefix(dash + 1);
  }
  std::array<std::int64_t, 3> parts{};
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const auto colon = text.find(':');
    more = colon != text.npos;
    const auto part = number(text.substr(0, colon));
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
