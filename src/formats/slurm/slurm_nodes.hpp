// SPDX-License-Identifier: Apache-2.0
//
// The answer to `scontrol show nodes --json` as a machine. Of each node it takes name, boards,
// sockets, cores (of a socket), threads, cpus, real_memory, gres, active_features (else features),
// partitions, state and reason; other members must be valid JSON, and are skipped.
//
// slurm_states.hpp says which states are down, now and later; a node of FUTURE is left out.
// Source: the OpenAPI of slurmrestd, data_parser v0.0.37 to v0.0.43.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {

// Errors, with line and column: invalid, limit. O(length of the text).
[[nodiscard]] Result<SlurmMachine> read_slurm_nodes(std::string_view text,
                                                    std::string_view file = {},
                                                    std::size_t readable_past = 0);

}  // namespace copse
