// SPDX-License-Identifier: Apache-2.0
//
// The answer of Flux to `resource.sched-status`, which `flux resource list` shows: the resources of
// an instance, the allocated ones, and those that are down.
//
//   {"all": R, "allocated": R, "down": R}
//
// Each is an R (RFC 20), or null if it is empty. "all" is required; other keys are skipped.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

struct SchedStatus {
  RSet all, allocated, down;
};

// Errors: those of read_r(), with the key; invalid (no JSON object, no "all"). O(length of the text).
[[nodiscard]] Result<SchedStatus> read_sched_status(std::string_view text,
                                                    std::string_view file = {});

}  // namespace copse
