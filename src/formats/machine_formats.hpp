// SPDX-License-Identifier: Apache-2.0
//
// The formats of machines, in one table: how each is named, recognized and read.
//
// text_format.hpp says what a text is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/layout.hpp"
#include "formats/slurm/slurm_lines.hpp"
#include "formats/slurm/slurm_settings.hpp"
#include "rset/rset_scheduling.hpp"

namespace copse {

// A machine as it was read.
struct Machine {
  ResourceGraph graph;
  std::optional<RScheduling> scheduling{};  // TreePool's, if the R has it and it was wanted
  Layouts layouts{};
  std::vector<std::string> remarks{};        // sentences about what was ignored
  std::vector<PoolId> allocated{}, down{};   // of sched_status, if they were wanted
  double starttime_s = 0, expiration_s = 0;  // of an R; 0: none
  SlurmQueueSettings slurm_settings{};  // of slurm.conf; their sentence() is one of the remarks
};

// The text of a machine, and what is wanted of it.
struct MachineInput {
  std::string_view text;
  std::string file{};            // for messages
  std::string_view allowlist{};  // of hwloc: the types to keep, separated by commas; empty: all
  std::string_view dominant = "containment";  // the subsystem to match
  std::string_view divisible{};               // see set_divisible()
  std::size_t readable_past = 0;              // see JgfTextOptions
  bool beyond_fluxion = true;                 // units of JGF and types of devices of an R count
  bool treepool = false;       // of an R: TreePool's layouts and scheduling key are wanted
  std::int64_t piece_gib = 0;  // above 0: memory and storage of its layouts, see count_memory()
  bool jobs = false;           // of sched_status: what is allocated and down is wanted
  SlurmFiles slurm_files{};    // the files that slurm.conf names
  // Called at times with the bytes that are read and all bytes; may be empty.
  std::function<void(std::size_t done_bytes, std::size_t all_bytes)> progress{};
};

struct MachineFormat {
  std::string_view name;
  // Errors: those of the format's reader, with the file as their place.
  Result<Machine> (*read)(const MachineInput& input) = nullptr;
  bool of_copse = true;     // the help of `copse` lists the name
  bool of_fluxion = false;  // resource-query and Fluxion's interfaces have it, too
  bool has_allowlist = false;
};

[[nodiscard]] std::span<const MachineFormat> machine_formats();

// Makes types divisible (graph.hpp): their names, separated by commas. Errors: not_found (a type that
// no pool has), invalid (its pools have others below them). O(pools) for each.
[[nodiscard]] Result<void> set_divisible(ResourceGraph& graph, std::string_view types);

enum class FormatUser : std::uint8_t { copse, fluxion };
// The names that a user of the table has, in its order.
[[nodiscard]] std::vector<std::string_view> machine_format_names(FormatUser user);

// The name of the format that looks like the text; "" if none does.
[[nodiscard]] std::string_view guess_machine_format(std::string_view text);

// The format of a name; of what the text looks like, if the name is empty.
// Errors: unsupported (an unknown name, without a place; a text that is not a machine, with the file).
[[nodiscard]] Result<const MachineFormat*> find_machine_format(std::string_view name,
                                                               std::string_view text,
                                                               std::string_view file);

// Reads a text in the format of that name, or in the one that it looks like.
// Errors: those of find_machine_format and of the format's reader. O(text + pools).
[[nodiscard]] Result<Machine> read_machine_text(const MachineInput& input,
                                                std::string_view format = {});

}  // namespace copse
