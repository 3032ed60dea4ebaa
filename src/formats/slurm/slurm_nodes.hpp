// SPDX-License-Identifier: Apache-2.0
//
// The answer to `scontrol show nodes --json` as a machine. Of each node it takes name, boards,
// sockets, cores (of a socket), threads, cpus, real_memory, gres, active_features (else features),
// partitions and state; other members must be valid JSON, and are skipped.
//
// A node is down if its state has one of DOWN, DRAIN, FAIL, FAILING, ERROR, UNKNOWN,
// NOT_RESPONDING, MAINTENANCE; it is left out if it is FUTURE.
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
