// SPDX-License-Identifier: Apache-2.0
#include "host/clock/real_clock.hpp"

#include <ctime>

namespace copse {

std::int64_t real_time_s() { return std::time(nullptr); }

std::int64_t utc_of_local_time(std::int64_t as_utc_s) {
  const std::time_t shown = as_utc_s;
  std::tm parts{};
  if (gmtime_r(&shown, &parts) == nullptr) return as_utc_s;
  parts.tm_isdst = -1;  // as the time zone says
  return std::mktime(&parts);
}

}  // namespace copse
