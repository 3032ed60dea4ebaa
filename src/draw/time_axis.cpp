// SPDX-License-Identifier: Apache-2.0
#include "draw/time_axis.hpp"

#include <array>
#include <cassert>
#include <utility>

#include <fmt/format.h>

namespace copse::draw {

std::string time_words(std::int64_t time_s) {
  if (time_s == 0) return "0";
  constexpr std::array<std::pair<std::int64_t, const char*>, 4> kUnits{
      {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}}};
  std::string out;
  for (const auto& [unit_s, name] : kUnits) {
    const std::int64_t count = time_s / unit_s;
    time_s %= unit_s;
    if (count != 0) out += fmt::format("{}{} {}", out.empty() ? "" : " ", count, name);
  }
  return out;
}

std::string short_time_words(std::int64_t time_s) {
  if (time_s >= 86400) return time_words(time_s / 3600 * 3600);
  return time_words(time_s >= 3600 ? time_s / 60 * 60 : time_s);
}

std::int64_t tick_step_s(std::int64_t span_s, int ticks_max) {
  assert(ticks_max >= 1);
  constexpr std::array<std::int64_t, 22> kSteps{
      1,    2,    5,    10,    15,    30,    60,    120,    300,    600,     900,
      1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2419200};
  for (const std::int64_t step : kSteps) {
    if (span_s / step <= ticks_max) return step;
  }
  std::int64_t step = kSteps.back();
  while (span_s / step > ticks_max) step *= 2;
  return step;
}

}  // namespace copse::draw
