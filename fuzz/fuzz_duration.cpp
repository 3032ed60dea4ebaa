// SPDX-License-Identifier: Apache-2.0
//
// Whatever parse_duration or parse_time accepts must read back from its text as the same number.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "go_on.hpp"
#include "target.hpp"

FUZZ_TARGET(duration) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto seconds = copse::parse_duration(text)) {
    copse::fuzz::require(*seconds >= 0);
    const auto again = copse::parse_duration(copse::duration_text(*seconds));
    copse::fuzz::require(again && *again == *seconds);
  }
  const auto as_if_utc = [](std::int64_t civil_s) { return civil_s; };
  if (const auto time_s = copse::parse_time(text, as_if_utc)) {
    const auto again = copse::parse_time(copse::time_text(*time_s), as_if_utc);
    copse::fuzz::require(again && *again == *time_s);
  }
  return 0;
}
