// SPDX-License-Identifier: Apache-2.0
//
// A machine from a file, in any format that is read.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/layout.hpp"
#include "rset/rset_scheduling.hpp"

namespace copse {

struct MachineFile {
  std::string path;
  // grug, jgf, jgf_shorthand, rv1exec, rv1exec_force, hwloc, sched_status, slurm_conf, slurm_nodes
  std::string format = "grug";
  std::string allowlist{};  // of hwloc: what is kept, separated by commas; empty: all
  std::string dominant = "containment";
  bool jgf_units = true;       // see JgfTextOptions::units
  bool treepool = false;       // of an R: TreePool's scheduling key is wanted
  bool dash_is_input = true;   // "-" is standard input
  std::int64_t piece_gib = 0;  // above 0: memory and storage of its layouts, see count_memory()
};

struct Machine {
  ResourceGraph graph;
  // TreePool's, if it is wanted and there.
  std::optional<RScheduling> scheduling{};
  Layouts layouts{};
  std::vector<std::string> remarks{};  // sentences about what was ignored
  // Of sched_status: what jobs have, and what is down.
  std::vector<PoolId> allocated{}, down{};
};

// The error, with the file as its place if it has none.
[[nodiscard]] std::unexpected<Error> in_file(Error error, const std::string& file);

// Progress is shown on `terminal`, if it is one. Errors: io, limit, unsupported (an unknown
// format), and those of the reader and of count_memory().
[[nodiscard]] Result<Machine> load_machine(const MachineFile& file, std::FILE* terminal);

}  // namespace copse
