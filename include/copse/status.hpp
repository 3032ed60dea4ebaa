// SPDX-License-Identifier: Apache-2.0
//
// The status of a pool (RFC 4), and its meaning for a match.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace copse {

// Matches skip a pool that is not usable, with everything below it. Running jobs keep it.
// Satisfiability ignores the status.
enum class Status : std::uint8_t {
  up,        // usable
  degraded,  // usable: slower or with a part missing, but still given to jobs
  failing,   // not usable: running jobs may finish, no new ones
  down,      // not usable
  unknown,   // not usable: it does not respond
};

[[nodiscard]] constexpr bool usable(Status s) { return s == Status::up || s == Status::degraded; }

[[nodiscard]] constexpr const char* word(Status s) {
  switch (s) {
    case Status::up: return "up";
    case Status::degraded: return "degraded";
    case Status::failing: return "failing";
    case Status::down: return "down";
    case Status::unknown: return "unknown";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::optional<Status> parse_status(std::string_view word_text) {
  for (Status s : {Status::up, Status::degraded, Status::failing, Status::down, Status::unknown}) {
    if (word_text == word(s)) return s;
  }
  return std::nullopt;
}

}  // namespace copse
