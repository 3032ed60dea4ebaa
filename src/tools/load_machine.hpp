// SPDX-License-Identifier: Apache-2.0
//
// A machine from a file, in any format that is read.
#pragma once

#include <cstdio>
#include <string>

#include "copse/graph.hpp"

namespace copse {

struct MachineFile {
  std::string path;
  std::string format = "grug";  // grug, jgf, jgf_shorthand, rv1exec, rv1exec_force, hwloc
  std::string allowlist{};      // of hwloc: what is kept, separated by commas; empty: all
  std::string dominant = "containment";
  bool jgf_units = true;  // see JgfTextOptions::units
};

// The whole of a regular file of at most 4 GiB, with room behind it that readers of JSON may look
// at. Errors: io, limit.
[[nodiscard]] Result<std::string> read_whole(const std::string& path);

// A format for a file that is given without one: by how its text begins, and for JSON by its keys.
[[nodiscard]] std::string guess_format(std::string_view text);

// Progress is shown on `terminal`, if it is one. Errors: io, limit, unsupported (an unknown
// format), and those of the reader.
[[nodiscard]] Result<ResourceGraph> load_machine(const MachineFile& file, std::FILE* terminal);

}  // namespace copse
