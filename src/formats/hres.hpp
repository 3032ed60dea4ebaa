// SPDX-License-Identifier: Apache-2.0
//
// resources.yaml: hierarchical resources as Slurm writes them.
//
//   - resource: power            # a name: no blanks, control characters, or , ; | : = ( )
//     mode: MODE_3               # MODE_1, MODE_2, MODE_3, in any case
//     topology: blok1            # optional
//     variables:                 # optional
//       - {name: full_node, value: 1000}
//     layers:
//       - nodes: ["node[01-08]"] # a hostlist or a list of them
//         count: 40000           # 0 to 2^63 - 1, or -1: no bound
//         base:                  # optional: always in use
//           - {name: storage, value: 5000}
//
// Other keys are passed over, as Slurm does. What the file says of the machine (whether there are
// such nodes, whether layers make a tree) is checked when a Supply is made of it.
#pragma once

#include <string_view>

#include "copse/supply.hpp"

namespace copse {

// Errors, with line and column: invalid (no YAML; a rule of the above), limit. O(length).
[[nodiscard]] Result<SupplySpec> read_hres(std::string_view text, std::string_view file = {});

}  // namespace copse
