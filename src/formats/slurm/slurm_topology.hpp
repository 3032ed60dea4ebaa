// SPDX-License-Identifier: Apache-2.0
//
// topology.conf: the switches above the nodes of a machine of Slurm, or its blocks.
//
//   SwitchName=leaf1 Nodes=cn[01-02]
//   SwitchName=spine Switches=leaf[1-2]
//   BlockName=b1 Nodes=cn[01-02]
//
// Source: the manual page topology.conf(5).
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {

// Adds the switches and blocks of a topology.conf; nodes that are not known become a remark.
[[nodiscard]] Result<void> read_slurm_topology(std::string_view text, std::string_view file,
                                               SlurmMachine& to);

}  // namespace copse
