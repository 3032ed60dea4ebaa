// SPDX-License-Identifier: Apache-2.0
//
// Sets the clock of a stored state back, after a wrong clock of the computer moved it ahead.
//
// Times until the new clock are right, and stay. Times between the new clock and the old one were
// made by the wrong clock, and become the new clock. Later times keep their distance to the clock:
// so each grant has as much time left as before. Reservations of nodes stay at their dates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/policy.hpp"

namespace copse::server {

// The state (journal_parts.hpp) with its clock at `to_s`. `policies`: as load(). REQUIRES that the
// clock is ahead of `to_s`. Errors: invalid (not a state; a grant would overlap a reservation of
// nodes). O(state).
[[nodiscard]] Result<std::string> with_clock_back(std::string_view state, std::int64_t to_s,
                                                  std::span<const Policy> policies);

}  // namespace copse::server
