// SPDX-License-Identifier: Apache-2.0
//
// ServeClock: the clock of `copse serve`, which refuses to jump ahead (server/clock_guard.hpp), and
// logs when the computer's clock does.
#pragma once

#include <cstdint>
#include <optional>

#include "copse/error.hpp"
#include "server/clock_guard.hpp"
#include "tools/copse/serve/serve_check.hpp"

namespace copse {

class ServeClock {
 public:
  ServeClock(std::int64_t jump_max_s, ServeLog log)
      : guard_(jump_max_s), jump_max_s_(jump_max_s), log_(std::move(log)) {}

  // Seconds since 1970, for the service.
  [[nodiscard]] std::int64_t now_s();
  // By how much the computer's clock is ahead of now_s().
  [[nodiscard]] std::int64_t jumped_s() const { return guard_.jumped_s(); }
  // The clock of a new state, as an option gives it. Errors: invalid (too far ahead).
  [[nodiscard]] Result<void> check_new(const std::optional<std::int64_t>& now_s) const;
  // The clock of an old state; logs if it is ahead. Errors: invalid (too far behind).
  [[nodiscard]] Result<void> check_old(std::int64_t state_now_s) const;

 private:
  server::ClockGuard guard_;
  std::int64_t jump_max_s_;
  ServeLog log_;
};

}  // namespace copse
