// SPDX-License-Identifier: Apache-2.0
#include "formats/machine_formats.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest_word.hpp"
#include "copse/formats.hpp"
#include "formats/flux/sched_status.hpp"
#include "formats/grug/grug.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/treepool_memory.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "formats/slurm/slurm_nodes.hpp"

namespace copse {

namespace {

// --- What texts look like. Only their first 4 KiB are searched for words.

// The first character that is not blank; 0 if there is none.
char first_of(std::string_view text) {
  const std::size_t first = text.substr(0, 4096).find_first_not_of(" \t\r\n");
  return first == text.npos ? '\0' : text[first];
}

bool has(std::string_view text, std::string_view word) {
  return text.substr(0, 4096).contains(word);
}

bool is_json(std::string_view text) { return first_of(text) == '{' || first_of(text) == '['; }

bool is_sched_status(std::string_view text) {
  return is_json(text) && looks_like_sched_status(text);
}

bool is_hwloc(std::string_view text) { return first_of(text) == '<' && has(text, "<topology"); }

// An empty text, too: the reader of GRUG has a message for it.
bool is_grug(std::string_view text) {
  return first_of(text) == '\0' || (first_of(text) == '<' && !has(text, "<topology"));
}

bool is_slurm_conf(std::string_view text) {
  return first_of(text) != '\0' && first_of(text) != '<' && !is_json(text) &&
         looks_like_slurm_conf(text);
}

bool is_r_text(std::string_view text) {
  return is_json(text) && !is_sched_status(text) &&
         (has(text, "\"R_lite\"") || has(text, "\"execution\""));
}

// In a JGF "graph" is before "nodes". In Slurm's answer "meta" is first or last.
bool is_slurm_nodes(std::string_view text) {
  const bool slurm = has(text, "\"slurm\"") || has(text, "\"Slurm\"") || has(text, "\"nodes\"");
  return is_json(text) && slurm && !has(text, "\"graph\"") && !is_sched_status(text) &&
         !is_r_text(text);
}

bool is_jgf(std::string_view text) {
  return is_json(text) && !is_sched_status(text) && !is_r_text(text) && !is_slurm_nodes(text);
}

// --- How they are read

Result<Machine> machine_of(Result<ResourceGraph> graph, const MachineInput& input) {
  if (!graph) return in_file(std::move(graph.error()), input.file);
  return Machine{.graph = std::move(*graph)};
}

Result<Machine> machine_of_grug(const MachineInput& input) {
  return machine_of(read_grug(input.text, input.file, input.dominant), input);
}

Result<Machine> machine_of_hwloc(const MachineInput& input) {
  return machine_of(read_hwloc(input.text, input.file, input.allowlist, input.dominant), input);
}

Result<Machine> machine_of_jgf(const MachineInput& input) {
  const JgfTextOptions options{.file = input.file,
                               .readable_past = input.readable_past,
                               .units = input.jgf_units,
                               .progress = input.progress};
  return machine_of(read_jgf(input.text, options, input.dominant), input);
}

Result<Machine> machine_of_r(const MachineInput& input) {
  RLimits limits;
  if (input.treepool) limits.layouts.emplace();
  auto r = read_r(input.text, input.file, limits);
  if (!r) return std::unexpected(r.error());
  const bool treepool = input.treepool && r->scheduling.treepool;
  if (treepool && input.piece_gib > 0) {
    if (auto ok = count_memory(*r, input.piece_gib); !ok) return in_file(ok.error(), input.file);
  }
  auto machine = machine_of(graph_of_r(*r, input.dominant), input);
  if (!machine) return machine;
  if (treepool) machine->scheduling = std::move(r->scheduling);
  machine->layouts = std::move(r->layouts);
  machine->starttime_s = r->starttime_s;
  machine->expiration_s = r->expiration_s;
  return machine;
}

Result<Machine> machine_of_status(const MachineInput& input) {
  const auto status = read_sched_status(input.text, input.file);
  if (!status) return std::unexpected(status.error());
  auto machine = machine_of(graph_of_r(status->all, input.dominant), input);
  if (!machine || !input.jobs) return machine;
  for (const auto& [r, to] :
       {std::pair{&status->allocated, &machine->allocated}, {&status->down, &machine->down}}) {
    auto pools = pools_of_r(machine->graph, *r, &machine->remarks);
    if (!pools) return in_file(pools.error(), input.file);
    *to = std::move(*pools);
  }
  return machine;
}

Result<Machine> machine_of_slurm(Result<SlurmMachine> slurm, const MachineInput& input) {
  if (!slurm) return std::unexpected(slurm.error());
  auto machine = machine_of(graph_of_slurm(*slurm, input.dominant), input);
  if (machine) machine->remarks = std::move(slurm->remarks);
  return machine;
}

Result<Machine> machine_of_slurm_conf(const MachineInput& input) {
  return machine_of_slurm(read_slurm_conf(input.text, input.file, input.slurm_files), input);
}

Result<Machine> machine_of_slurm_nodes(const MachineInput& input) {
  return machine_of_slurm(read_slurm_nodes(input.text, input.file), input);
}

// In the order in which help texts list them.
constexpr std::array<MachineFormat, 9> kFormats{{
    {.name = "grug", .looks_like = is_grug, .read = machine_of_grug, .of_fluxion = true},
    {.name = "jgf", .looks_like = is_jgf, .read = machine_of_jgf, .of_fluxion = true},
    {.name = "jgf_shorthand", .read = machine_of_jgf, .of_fluxion = true},
    {.name = "rv1exec", .looks_like = is_r_text, .read = machine_of_r, .of_fluxion = true},
    {.name = "rv1exec_force", .read = machine_of_r, .of_copse = false, .of_fluxion = true},
    {.name = "hwloc",
     .looks_like = is_hwloc,
     .read = machine_of_hwloc,
     .of_fluxion = true,
     .has_allowlist = true},
    {.name = "sched_status", .looks_like = is_sched_status, .read = machine_of_status},
    {.name = "slurm_conf", .looks_like = is_slurm_conf, .read = machine_of_slurm_conf},
    {.name = "slurm_nodes", .looks_like = is_slurm_nodes, .read = machine_of_slurm_nodes},
}};

const MachineFormat* recognize(std::string_view text) {
  const auto* const found = std::ranges::find_if(kFormats, [&](const MachineFormat& format) {
    return format.looks_like != nullptr && format.looks_like(text);
  });
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace

std::span<const MachineFormat> machine_formats() { return kFormats; }

std::vector<std::string_view> machine_format_names(FormatUser user) {
  std::vector<std::string_view> out;
  for (const MachineFormat& format : kFormats) {
    const bool has_it = user == FormatUser::copse ? format.of_copse : format.of_fluxion;
    if (has_it) out.push_back(format.name);
  }
  return out;
}

std::string_view guess_machine_format(std::string_view text) {
  const MachineFormat* const format = recognize(text);
  return format == nullptr ? std::string_view() : format->name;
}

Result<const MachineFormat*> find_machine_format(std::string_view name, std::string_view text,
                                                 std::string_view file) {
  if (name.empty()) {
    if (const MachineFormat* const format = recognize(text)) return format;
    return fail(
        ErrorCode::unsupported,
        "this is not a machine: it is neither XML (GRUG, hwloc), JSON (JGF, R, Slurm's nodes) "
        "nor a slurm.conf",
        {std::string(file)});
  }
  const auto* const found = std::ranges::find(kFormats, name, &MachineFormat::name);
  if (found != kFormats.end()) return found;
  std::vector<std::string_view> names;
  names.reserve(kFormats.size());
  for (const MachineFormat& format : kFormats) names.push_back(format.name);
  return fail(ErrorCode::unsupported, unknown_word("format", name, names));
}

Result<Machine> read_machine_text(const MachineInput& input, std::string_view format) {
  const auto found = find_machine_format(format, input.text, input.file);
  if (!found) return std::unexpected(found.error());
  return (*found)->read(input);
}

Result<ResourceGraph> read_machine(std::string_view text, const MachineText& how) {
  auto machine = read_machine_text({.text = text,
                                    .file = std::string(how.file),
                                    .allowlist = how.allowlist,
                                    .dominant = how.dominant},
                                   how.format);
  if (!machine) return std::unexpected(machine.error());
  return std::move(machine->graph);
}

}  // namespace copse
