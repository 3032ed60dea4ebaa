// SPDX-License-Identifier: Apache-2.0
//
// Formats: reads a machine from text, and writes a match as text. The caller reads files.
//
//   auto graph = copse::read_machine(text, {.file = "desk.graphml"});
//   auto r = copse::write_match((*engine)->graph(), **match);
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/match.hpp"

namespace copse {

struct MachineText {
  std::string_view file{};  // for messages
  // grug, jgf, jgf_shorthand, rv1exec, hwloc, sched_status (all of it, as if idle), slurm_conf
  // (without the files that it names) or slurm_nodes; empty: detected from the text
  std::string_view format{};
  std::string_view allowlist{};  // hwloc: the types to keep, separated by commas; empty: all
  std::string_view dominant = "containment";  // the subsystem to match
  // Types, separated by commas, whose pools several jobs share: each takes the units that it requests.
  // Memory of slurm_conf, slurm_nodes and hwloc is divisible anyway.
  std::string_view divisible{};
};

// Errors, with their location in the text: unsupported (an unknown format, or a text that is not a
// machine), and those of the reader. O(text + pools).
[[nodiscard]] Result<ResourceGraph> read_machine(std::string_view text,
                                                 const MachineText& how = {});

// Writes a match, with a final newline. Formats: simple, pretty_simple, jgf, jgf_shorthand, rlite,
// rv1, rv1_nosched or rv1_shorthand. An R (RFC 20) also lists the cores and gpus of pools taken
// whole.
// Errors: unsupported (an unknown format); invalid (nothing that an R can name). O(pools + length
// of the text).
[[nodiscard]] Result<std::string> write_match(const ResourceGraph& graph, const Match& match,
                                              std::string_view format = "rv1_nosched");

}  // namespace copse
