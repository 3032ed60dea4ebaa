// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/serve_clock.hpp"

#include <ctime>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "host/clock/real_clock.hpp"

namespace copse {

namespace {

// It also counts while the computer sleeps.
std::int64_t time_since_boot_s() {
  std::timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec;
}

}  // namespace

std::int64_t ServeClock::now_s() {
  const bool jumped = guard_.jumped_s() > 0;
  const std::int64_t out = guard_.time(real_time_s(), time_since_boot_s());
  if (!jumped && guard_.jumped_s() > 0) {
    log_(
        fmt::format("the computer's clock jumped ahead by {}, more than --clock-jump-max: the "
                    "service continues with its own; set the computer's clock back",
                    duration_text(guard_.jumped_s())));
  } else if (jumped && guard_.jumped_s() == 0) {
    log_("the computer's clock is followed again");
  }
  return out;
}

Result<void> ServeClock::check_new(const std::optional<std::int64_t>& now_s) const {
  const std::int64_t ahead_s = now_s.value_or(0) - real_time_s();
  if (ahead_s <= jump_max_s_) return {};
  return fail(ErrorCode::invalid,
              fmt::format("--now is ahead of the computer's clock by {}, more than "
                          "--clock-jump-max: no grant could begin before",
                          duration_text(ahead_s)));
}

// A clock that began at 0 was not of real time.
Result<void> ServeClock::check_old(std::int64_t state_now_s) const {
  const std::int64_t behind_s = real_time_s() - state_now_s;
  if (state_now_s >= kRealTime_s && behind_s > jump_max_s_) {
    return fail(ErrorCode::invalid,
                fmt::format("the computer's clock is ahead of the state's last change by {}: "
                            "correct it, or allow that much with --clock-jump-max",
                            duration_text(behind_s)));
  }
  if (-behind_s > server::kClockAheadMax_s) {
    log_(
        fmt::format("the clock of the state is ahead of the computer's by {}: all grants begin "
                    "at {} or later, until the computer's clock is there",
                    duration_text(-behind_s), readable_time(state_now_s)));
  }
  return {};
}

}  // namespace copse
