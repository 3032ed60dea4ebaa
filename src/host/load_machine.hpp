// SPDX-License-Identifier: Apache-2.0
//
// A machine from a file, or from a folder of hwloc topologies.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "copse/error.hpp"
#include "copse/options.hpp"
#include "formats/machine_formats.hpp"

namespace copse {

struct MachineFile {
  std::string path;
  std::string format = "grug";  // a name of machine_formats(); empty: recognized by the text
  std::string allowlist{};      // of hwloc: the types to keep, separated by commas; empty: all
  std::string dominant = "containment";
  std::string divisible{};     // types, separated by commas: see set_divisible()
  bool beyond_fluxion = true;  // see MachineInput
  bool treepool = false;       // of an R: TreePool's scheduling key is wanted
  bool dash_is_input = true;   // "-" is standard input
  std::int64_t piece_gib = 0;  // above 0: memory and storage of its layouts, see count_memory()
};

// Progress is shown on `terminal`, if it is one. Errors: io, limit, unsupported (an unknown
// format), and those of the reader, of set_divisible() and of count_memory().
[[nodiscard]] Result<Machine> load_machine(const MachineFile& file, std::FILE* terminal);

// The files that slurm.conf names, or that have fixed names, from its own folder.
[[nodiscard]] SlurmFiles files_in_folder_of(const std::string& path);

// For libraries: the times of a machine's R (RFC 20, starttime and expiration) bound what is granted, on the
// clock of `options`. If they are dates and the clock begins at 0, it begins with the R's starttime.
void bound_by_times(const Machine& machine, EngineOptions& options);

}  // namespace copse
