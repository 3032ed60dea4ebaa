// SPDX-License-Identifier: Apache-2.0
//
// What the values of a node of Slurm come to: its sockets, cores, threads and memory. Where Slurm resets
// a value that cannot be, and goes on, so do these functions, and say so.
// Source: slurm.conf(5), and what Slurm 18 to 25 log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {

// Sockets, cores and threads of a node from its values, as Slurm has them: what is not given is 1,
// but Boards × SocketsPerBoard are the sockets, or CPUs over cores and threads. CPUs may be as many as
// the sockets, the cores or the threads, and each is one of these. Other values are reset: a size of 0
// to 1, CPUs to the number of threads.
struct SlurmSizes {
  std::optional<std::int64_t> cpus{}, boards{}, sockets_per_board{}, sockets{}, cores{}, threads{};
};
// Returns a sentence for each value that was reset. Errors: limit.
[[nodiscard]] Result<std::vector<std::string>> set_sizes(SlurmNode& node, const SlurmSizes& sizes);

// The resources that a node reserves for the system. `cores` counts them: Slurm takes the last core
// of each socket, from the last socket on. `cpus` are numbers of threads, "0,8-9"; they take
// precedence.
struct SlurmReserved {
  std::int64_t cores = 0, memory_mb = 0;
  std::string cpus{};
};
// Returns a sentence for each value that Slurm resets or ignores: as many cores, or as much memory, as
// the node has; `cpus` that are no list of its cpus.
[[nodiscard]] std::vector<std::string> reserve(SlurmNode& node, const SlurmReserved& reserved);

// Features and partitions, "a,b": each becomes a property.
void add_words(std::vector<std::string>& to, std::string_view list);

}  // namespace copse
