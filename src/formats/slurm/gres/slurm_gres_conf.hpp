// SPDX-License-Identifier: Apache-2.0
//
// gres.conf: the devices of the generic resources that slurm.conf counts.
//
//   AutoDetect=nvml                                        # ignored, with a remark
//   Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-3     # of all nodes
//   NodeName=cn[01-04] Name=gpu Type=v100 Count=2
//
// * slurm.conf says how many there are; gres.conf adds types, and the cores near a device. Of
//   devices beyond the count of slurm.conf the first are used.
// * Count is the number of files, or 1. Both may be there only if they agree; GRES that share
//   devices (shard, mps) may count more than their files.
// * Unknown keys are refused. MultipleFiles counts as one file; Flags, Ignore and Links are checked
//   for nothing.
// Source: the manual page gres.conf(5).
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/slurm/slurm_lines.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {

inline constexpr std::size_t kGresLinesMax = 1U << 16;
inline constexpr std::size_t kGresLinesOfNodesMax = 1U << 24;  // lines × nodes that they are for

// Adds what a gres.conf says of the nodes of a machine. What fits no node, and what slurm.conf counts
// otherwise, becomes a remark of the machine.
// Errors, with file and line: invalid, limit; those of `files`.
// O(length of the text + lines × nodes that they are for).
[[nodiscard]] Result<void> read_slurm_gres_conf(std::string_view text, std::string_view file,
                                                SlurmMachine& to,
                                                const SlurmFiles& files = nullptr);

}  // namespace copse
