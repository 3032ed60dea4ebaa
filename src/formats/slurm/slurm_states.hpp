// SPDX-License-Identifier: Apache-2.0
//
// The states of a node, in slurm.conf and in the answer of scontrol: a base and flags.
//
// A node is free for new jobs now if none of its states is down. Some states end by
// themselves: Slurm uses the node later, at a time that is not known. So it counts as down, and a
// remark says so. A node that is powered off, or powering up, can be given to jobs: Slurm boots it.
// UNKNOWN is down where a controller says it. In slurm.conf, where it is usual, it says nothing.
// Source: slurm.conf(5), sinfo(1) NODE STATE CODES, and the states and flags of slurmrestd, v0.0.37 to
// v0.0.43.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

struct SlurmNodeState {
  enum class Now : std::uint8_t { up, down, left_out };
  enum class Later : std::uint8_t { same, up };  // without an operator
  std::string_view word;
  Now now = Now::up;
  Later later = Later::same;
};

[[nodiscard]] std::span<const SlurmNodeState> slurm_node_states();

// The states and flags of a text, as sinfo and scontrol print them: "DOWN*+DRAIN".
[[nodiscard]] std::vector<std::string> slurm_state_words(std::string_view text);

// By its word in any case; nullptr: unknown.
[[nodiscard]] const SlurmNodeState* find_slurm_node_state(std::string_view word);

// `unknown state "DRIAN"; did you mean "DRAIN"?`
[[nodiscard]] std::string unknown_slurm_state(std::string_view word);

}  // namespace copse
