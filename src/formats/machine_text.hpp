// SPDX-License-Identifier: Apache-2.0
//
// Which format a machine's text has. One function tells them apart.
#pragma once

#include <string_view>

namespace copse {

// By how the text begins, and for JSON by its keys: grug, jgf, rv1exec, hwloc, sched_status,
// slurm_conf or slurm_nodes; "" if it is none.
[[nodiscard]] std::string_view guess_machine_format(std::string_view text);

}  // namespace copse
