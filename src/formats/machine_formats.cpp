// SPDX-License-Identifier: Apache-2.0
#include "formats/machine_formats.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "copse/formats.hpp"
#include "formats/flux/sched_status.hpp"
#include "formats/graphml/graphml_read.hpp"
#include "formats/grug/grug.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/treepool_memory.hpp"
#include "formats/slurm/gres/slurm_layouts.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "formats/slurm/slurm_nodes.hpp"
#include "formats/text_format.hpp"
#include "text/split.hpp"

namespace copse {

namespace {

// --- How they are read

DeviceTypes device_types(const MachineInput& input) {
  return input.beyond_fluxion ? DeviceTypes::read : DeviceTypes::ignored;
}

Result<Machine> machine_of(Result<ResourceGraph> graph, const MachineInput& input) {
  if (!graph) return in_file(std::move(graph.error()), input.file);
  return Machine{.graph = std::move(*graph)};
}

Result<Machine> machine_of_grug(const MachineInput& input) {
  return machine_of(read_grug(input.text, input.file, input.dominant), input);
}

Result<Machine> machine_of_graphml(const MachineInput& input) {
  return machine_of(read_graphml(input.text, input.file, input.dominant), input);
}

Result<Machine> machine_of_hwloc(const MachineInput& input) {
  const HwlocOptions how{input.allowlist, input.dominant, input.beyond_fluxion};
  return machine_of(read_hwloc(input.text, input.file, how), input);
}

Result<Machine> machine_of_jgf(const MachineInput& input) {
  const JgfTextOptions options{.file = input.file,
                               .readable_past = input.readable_past,
                               .units = input.beyond_fluxion,
                               .progress = input.progress};
  return machine_of(read_jgf(input.text, options, input.dominant), input);
}

Result<RSet> read_r_of_machine(const MachineInput& input) {
  RLimits limits;
  if (input.treepool) limits.layouts.emplace();
  return read_r(input.text, input.file, limits);
}

Result<Machine> machine_of_execution(RSet r, const MachineInput& input) {
  const bool treepool = input.treepool && r.scheduling.treepool;
  if (treepool && input.piece_gib > 0) {
    if (auto ok = count_memory(r, input.piece_gib); !ok) return in_file(ok.error(), input.file);
  }
  auto machine = machine_of(graph_of_r(r, input.dominant, {}, device_types(input)), input);
  if (!machine) return machine;
  if (treepool) machine->scheduling = std::move(r.scheduling);
  machine->layouts = std::move(r.layouts);
  machine->starttime_s = r.starttime_s;
  machine->expiration_s = r.expiration_s;
  return machine;
}

Result<Machine> machine_of_r(const MachineInput& input) {
  auto r = read_r_of_machine(input);
  if (!r) return std::unexpected(r.error());
  return machine_of_execution(std::move(*r), input);
}

// Properties of ranks that the graph of an R does not have.
void add_properties(const RSet& r, ResourceGraph& graph) {
  const TypeId node = graph.find_type("node");
  for (const auto& [name, ranks] : r.properties) {
    for (const auto& [first, last] : ranks.ranges()) {
      for (std::int64_t rank = first; rank <= last; ++rank) {
        for (const PoolId p : graph.of_rank(static_cast<std::int32_t>(rank))) {
          if (graph.type(p) != node) continue;
          const auto* has = graph.properties(p);
          if (has == nullptr || !has->contains(name)) graph.set_property(p, name, {});
        }
      }
    }
  }
}

std::string other_graph(const std::string& file) {
  return fmt::format(
      "{}: the graph in \"scheduling\" is not used: its nodes and cores are not those of "
      "\"execution\"",
      file);
}

Result<Machine> machine_of_rv1(const MachineInput& input) {
  auto r = read_r_of_machine(input);
  if (!r) return std::unexpected(r.error());
  if (!has_graph(r->scheduling)) return machine_of_execution(std::move(*r), input);
  auto machine = machine_of_jgf(input);
  if (!machine) return machine;
  if (describes(machine->graph, *r)) {
    add_properties(*r, machine->graph);
    machine->starttime_s = r->starttime_s;
    machine->expiration_s = r->expiration_s;
    return machine;
  }
  machine = machine_of_execution(std::move(*r), input);
  if (!machine) return machine;
  machine->remarks.push_back(other_graph(input.file));
  return machine;
}

Result<Machine> machine_of_status(const MachineInput& input) {
  const auto status = read_sched_status(input.text, input.file);
  if (!status) return std::unexpected(status.error());
  auto machine =
      machine_of(graph_of_r(status->all, input.dominant, {}, device_types(input)), input);
  if (machine && has_graph(status->all.scheduling)) {
    auto graph = read_jgf(status->all.scheduling.text,
                          {.file = input.file, .units = input.beyond_fluxion}, input.dominant);
    if (!graph) return in_file(std::move(graph.error()), input.file);
    if (describes(*graph, status->all)) {
      add_properties(status->all, *graph);
      machine->graph = std::move(*graph);
    } else {
      machine->remarks.push_back(other_graph(input.file));
    }
  }
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
  if (machine) {
    machine->layouts = layouts_of_slurm(*slurm);
    machine->remarks = std::move(slurm->remarks);
    machine->slurm_settings = std::move(slurm->settings);
  }
  return machine;
}

Result<Machine> machine_of_slurm_conf(const MachineInput& input) {
  return machine_of_slurm(read_slurm_conf(input.text, input.file, input.slurm_files), input);
}

Result<Machine> machine_of_slurm_nodes(const MachineInput& input) {
  return machine_of_slurm(read_slurm_nodes(input.text, input.file), input);
}

// In the order in which help texts list them.
constexpr std::array<MachineFormat, 11> kFormats{{
    {.name = "grug", .read = machine_of_grug, .of_fluxion = true},
    {.name = "jgf", .read = machine_of_jgf, .of_fluxion = true},
    {.name = "jgf_shorthand", .read = machine_of_jgf, .of_fluxion = true},
    {.name = "rv1exec", .read = machine_of_r, .of_fluxion = true},
    {.name = "rv1exec_force", .read = machine_of_r, .of_copse = false, .of_fluxion = true},
    {.name = "rv1", .read = machine_of_rv1},
    {.name = "graphml", .read = machine_of_graphml},
    {.name = "hwloc", .read = machine_of_hwloc, .of_fluxion = true, .has_allowlist = true},
    {.name = "sched_status", .read = machine_of_status},
    {.name = "slurm_conf", .read = machine_of_slurm_conf},
    {.name = "slurm_nodes", .read = machine_of_slurm_nodes},
}};

// The format of a text, "" if it is no machine. The reader of GRUG has a message for an empty text, the
// reader of JGF for other JSON.
std::string_view name_of(TextFormat format) {
  switch (format) {
    case TextFormat::empty:
    case TextFormat::grug: return "grug";
    case TextFormat::jgf:
    case TextFormat::json: return "jgf";
    case TextFormat::r: return "rv1exec";
    case TextFormat::r_with_graph: return "rv1";
    case TextFormat::hwloc: return "hwloc";
    case TextFormat::sched_status: return "sched_status";
    case TextFormat::slurm_conf: return "slurm_conf";
    case TextFormat::slurm_nodes: return "slurm_nodes";
    default: return {};
  }
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
  const TextFormat format = text_format(text);
  return format == TextFormat::grug && is_graphml_graph(text) ? "graphml" : name_of(format);
}

Result<const MachineFormat*> find_machine_format(std::string_view name, std::string_view text,
                                                 std::string_view file) {
  if (name.empty()) {
    const TextFormat format = text_format(text);
    name = name_of(format);
    if (format == TextFormat::grug && is_graphml_graph(text)) name = "graphml";
    if (name.empty()) {
      const std::string_view why = why_not_read(format);
      return fail(ErrorCode::unsupported,
                  std::string(!why.empty() ? why
                              : is_job_list(format) || format == TextFormat::slurm_accounting ||
                                      format == TextFormat::r_stream
                                  ? "these are jobs, not a machine"
                                  : "this is not a machine: it is neither XML (GRUG, hwloc), JSON "
                                    "(JGF, R, Slurm's nodes) nor a slurm.conf"),
                  {std::string(file)});
    }
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
  auto machine = (*found)->read(input);
  if (!machine) return machine;
  if (auto ok = set_divisible(machine->graph, input.divisible); !ok) {
    return in_file(ok.error(), input.file);
  }
  return machine;
}

Result<void> set_divisible(ResourceGraph& graph, std::string_view types) {
  for (std::string_view rest = types; !rest.empty();) {
    const std::string_view name = take_part(rest, ',');
    if (name.empty()) continue;
    const TypeId type = graph.find_type(name);
    if (type == kNoType || graph.largest(type) == 0) {
      std::vector<std::string_view> known;
      const Interner& names = graph.names().types;
      for (std::uint32_t t = 0; t < names.size(); ++t) {
        if (graph.largest(TypeId{static_cast<std::uint16_t>(t)}) > 0)
          known.push_back(names.text(t));
      }
      return fail(ErrorCode::not_found, unknown_word("resource type", name, known));
    }
    if (auto ok = graph.set_divisible(type); !ok) return ok;
  }
  return {};
}

Result<ResourceGraph> read_machine(std::string_view text, const MachineText& how) {
  auto machine = read_machine_text({.text = text,
                                    .file = std::string(how.file),
                                    .allowlist = how.allowlist,
                                    .dominant = how.dominant,
                                    .divisible = how.divisible},
                                   how.format);
  if (!machine) return std::unexpected(machine.error());
  return std::move(machine->graph);
}

}  // namespace copse
