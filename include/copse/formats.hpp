// SPDX-License-Identifier: Apache-2.0
//
// Formats: a machine from its text, and what a request gets as text. Files are the caller's.
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
  // (without the files that it names) or slurm_nodes; empty: told by the text
  std::string_view format{};
  std::string_view allowlist{};  // of hwloc: what is kept, separated by commas; empty: all
  std::string_view dominant = "containment";  // the subsystem to match
};

// Errors, with the place in the text: unsupported (a format that is not known, or a text that is no
// machine), and those of the reader. O(text + pools).
[[nodiscard]] Result<ResourceGraph> read_machine(std::string_view text,
                                                 const MachineText& how = {});

// What a match gives, with a newline: simple, pretty_simple, jgf, jgf_shorthand, rlite, rv1,
// rv1_nosched or rv1_shorthand. An R (RFC 20) lists the cores and gpus of what is taken whole.
// Errors: unsupported (a format that is not known); invalid (nothing that an R can name).
// O(what it has + length of the text).
[[nodiscard]] Result<std::string> write_match(const ResourceGraph& graph, const Match& match,
                                              std::string_view format = "rv1_nosched");

}  // namespace copse
