// SPDX-License-Identifier: Apache-2.0
//
// The states of a node, in slurm.conf and in the answer of scontrol: a base and flags. A state that
// is not one of these would make a node count as up.
// Source: slurm.conf(5), sinfo(1), and the states and flags of slurmrestd, v0.0.37 to v0.0.43.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/nearest_word.hpp"

namespace copse {

inline constexpr std::array<std::string_view, 43> kSlurmNodeStates{"UNKNOWN",
                                                                   "DOWN",
                                                                   "IDLE",
                                                                   "ALLOCATED",
                                                                   "ALLOC",
                                                                   "ERROR",
                                                                   "MIXED",
                                                                   "MIX",
                                                                   "FUTURE",
                                                                   "CLOUD",
                                                                   "EXTERNAL",
                                                                   "DRAIN",
                                                                   "DRAINED",
                                                                   "DRAINING",
                                                                   "UNDRAIN",
                                                                   "FAIL",
                                                                   "FAILING",
                                                                   "INVALID",
                                                                   "PERFCTRS",
                                                                   "MAINTENANCE",
                                                                   "MAINT",
                                                                   "COMPLETING",
                                                                   "NOT_RESPONDING",
                                                                   "POWERED_DOWN",
                                                                   "POWERING_DOWN",
                                                                   "POWERING_UP",
                                                                   "POWER_DOWN",
                                                                   "POWER_UP",
                                                                   "POWER_SAVE",
                                                                   "POWER_DRAIN",
                                                                   "POWERED_UP",
                                                                   "REBOOT",
                                                                   "REBOOT_REQUESTED",
                                                                   "REBOOT_ISSUED",
                                                                   "REBOOT_CANCELED",
                                                                   "RESERVED",
                                                                   "PLANNED",
                                                                   "RESUME",
                                                                   "BLOCKED",
                                                                   "DYNAMIC_FUTURE",
                                                                   "DYNAMIC_NORM",
                                                                   "INVALID_REG",
                                                                   "NET"};

[[nodiscard]] inline bool is_slurm_node_state(std::string_view word) {
  return std::ranges::any_of(kSlurmNodeStates,
                             [&](std::string_view known) { return same_word(word, known); });
}

// `unknown state "DRIAN"; did you mean "DRAIN"?`
[[nodiscard]] inline std::string unknown_slurm_state(std::string_view word) {
  return unknown_word("state", word, kSlurmNodeStates);
}

}  // namespace copse
