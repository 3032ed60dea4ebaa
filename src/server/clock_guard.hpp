// SPDX-License-Identifier: Apache-2.0
//
// ClockGuard: the time of a service, which does not follow a clock that jumps ahead.
//
// The clock of a state never goes back: whatever a wrong clock has ended stays ended, and all later
// grants begin in the future. So if the computer's clock gains more than the limit on a monotonic
// clock, the service continues with the monotonic clock, until the computer's clock is set back. A
// clock that is set back is followed; the state's clock then waits for it.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>

namespace copse::server {

// A state's clock that is ahead of the computer's by more is reported.
inline constexpr std::int64_t kClockAheadMax_s = 60;
// The default limit of a jump: more than any service is stopped or a computer suspended.
inline constexpr std::int64_t kClockJumpMax_s = std::int64_t{366} * 24 * 3600;

class ClockGuard {
 public:
  explicit ClockGuard(std::int64_t jump_max_s) : jump_max_s_(jump_max_s) {}

  // The time to use. `clock_s`: of the computer, since 1970; `steady_s`: of a monotonic clock that
  // also counts while the computer sleeps.
  std::int64_t time(std::int64_t clock_s, std::int64_t steady_s) {
    if (!last_) last_ = {clock_s, steady_s};
    const std::int64_t expected_s = last_->time_s + (steady_s - last_->steady_s);
    const std::int64_t gained_s = clock_s - expected_s;
    jumped_s_ = gained_s > jump_max_s_ ? gained_s : 0;
    last_ = {jumped_s_ > 0 ? expected_s : clock_s, steady_s};
    return last_->time_s;
  }
  // By how much the computer's clock is ahead of the time that is used; 0: it is followed.
  [[nodiscard]] std::int64_t jumped_s() const { return jumped_s_; }

 private:
  struct Reading {
    std::int64_t time_s = 0, steady_s = 0;
  };
  std::int64_t jump_max_s_;
  std::optional<Reading> last_{};
  std::int64_t jumped_s_ = 0;
};

}  // namespace copse::server
