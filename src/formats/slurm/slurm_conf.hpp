// SPDX-License-Identifier: Apache-2.0
//
// slurm.conf as a machine: its lines of nodes, sets of nodes and partitions, with the tree of
// topology.conf and the devices of gres.conf in the same folder. All other settings are skipped.
//
//   NodeName=cn[01-04] Sockets=2 CoresPerSocket=32 ThreadsPerCore=2 RealMemory=257000
//            Gres=gpu:a100:4 Features=ib,fast State=UNKNOWN
//   NodeSet=gpus Feature=a100
//   PartitionName=batch Nodes=cn[01-04],gpus Default=YES        # or Nodes=ALL
//
// * A line of DEFAULT says what later lines of its kind leave out.
// * slurm_states.hpp says for which State a node is down; those of FUTURE are left out.
// * Unknown keys of NodeName are refused: a misspelt one would change the machine, and Slurm does not
//   start with it. What Slurm only logs is a remark of the machine, and counts as Slurm has it.
// Source: the manual page slurm.conf(5).
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/slurm/slurm_lines.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {

// Has the text a line that begins with a setting that every slurm.conf has? Looks at its first
// 64 KiB.
[[nodiscard]] bool looks_like_slurm_conf(std::string_view text);

// `files` finds what is included, topology.conf and gres.conf; null: none of them is read.
// Errors, with file and line: invalid, limit, not_found; those of `files`.
[[nodiscard]] Result<SlurmMachine> read_slurm_conf(std::string_view text, std::string_view file,
                                                   const SlurmFiles& files = nullptr);

}  // namespace copse
