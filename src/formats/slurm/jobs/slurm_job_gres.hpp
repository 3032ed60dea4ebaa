// SPDX-License-Identifier: Apache-2.0
//
// The gpus that a waiting job of Slurm asks for on each node. squeue has four texts: for the job, a node,
// a socket and a task (sbatch --gpus, --gpus-per-node, --gpus-per-socket, --gpus-per-task).
//
//   of a node     as they are
//   of the job    over its nodes, rounded up
//   of a task     by the tasks of a node; else by all tasks over the nodes, rounded up
//   of a socket   by the sockets of a node that it asks for (--sockets-per-node)
//
// Of several texts the one that asks for most counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/error.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse {

// Numbers that are not known are 0.
struct SlurmJobGres {
  std::string of_job{}, of_node{}, of_socket{}, of_task{};
  std::int64_t nodes = 0, tasks = 0, tasks_of_node = 0, sockets_of_node = 0;
};

struct SlurmJobGpus {
  std::optional<std::int64_t> of_node = 0;  // none: it is not known
  std::vector<GpuKind> kinds{};             // those of them with a type, in the order of the texts
  std::vector<std::string> others{};        // names of other GRES
};
// Errors: invalid (no GRES). O(length of the texts).
[[nodiscard]] Result<SlurmJobGpus> gpus_of_slurm_job(const SlurmJobGres& gres);

}  // namespace copse
