// SPDX-License-Identifier: Apache-2.0
//
// Settings of slurm.conf that bear on where and when jobs start, and have no effect on a machine: limits,
// priorities, accounts, default memory, licences. Copse has queues for them (docs/tools/plan.md).
#pragma once

#include <string>
#include <vector>

#include "formats/slurm/slurm_lines.hpp"

namespace copse {

// A sentence that lists those of the lines, each once; "" if there are none. Values that limit nothing
// (INFINITE, ALL, NO, …) do not count. O(settings).
[[nodiscard]] std::string settings_without_effect(const std::vector<SlurmLine>& lines);

// A sentence for each key of a partition's line that Slurm does not have, with its place. O(settings).
[[nodiscard]] std::vector<std::string> unknown_partition_keys(const std::vector<SlurmLine>& lines);

}  // namespace copse
