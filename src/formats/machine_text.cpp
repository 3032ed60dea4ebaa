// SPDX-License-Identifier: Apache-2.0
#include "formats/machine_text.hpp"

#include <array>
#include <string>

#include "base/nearest_word.hpp"
#include "copse/formats.hpp"
#include "formats/flux/sched_status.hpp"
#include "formats/grug/grug.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "formats/slurm/slurm_nodes.hpp"

namespace copse {

std::string_view guess_machine_format(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "grug";
  if (head[first] == '<') return head.find("<topology") != head.npos ? "hwloc" : "grug";
  if (head[first] != '{' && head[first] != '[') {
    return looks_like_slurm_conf(text) ? "slurm_conf" : "";
  }
  const auto has = [&](std::string_view word) { return head.find(word) != head.npos; };
  if (looks_like_sched_status(text)) return "sched_status";
  if (has("\"R_lite\"") || has("\"execution\"")) return "rv1exec";
  // In a JGF "graph" comes before "nodes". In Slurm's answer "meta" comes first or last.
  const bool slurm = has("\"slurm\"") || has("\"Slurm\"") || has("\"nodes\"");
  return slurm && !has("\"graph\"") ? "slurm_nodes" : "jgf";
}

namespace {

Result<ResourceGraph> graph_of(const Result<SlurmMachine>& machine, const MachineText& how) {
  if (!machine) return std::unexpected(machine.error());
  auto graph = graph_of_slurm(*machine, how.dominant);
  if (!graph && graph.error().place.file.empty()) graph.error().place.file = how.file;
  return graph;
}

}  // namespace

Result<ResourceGraph> read_machine(std::string_view text, const MachineText& how) {
  const std::string_view format = how.format.empty() ? guess_machine_format(text) : how.format;
  if (format == "grug") return read_grug(text, how.file, how.dominant);
  if (format == "hwloc") return read_hwloc(text, how.file, how.allowlist, how.dominant);
  if (format == "jgf" || format == "jgf_shorthand") {
    return read_jgf(text, {.file = how.file}, how.dominant);
  }
  if (format == "rv1exec" || format == "rv1exec_force") {
    const auto r = read_r(text, how.file);
    if (!r) return std::unexpected(r.error());
    return graph_of_r(*r, how.dominant);
  }
  if (format == "sched_status") {
    const auto status = read_sched_status(text, how.file);
    if (!status) return std::unexpected(status.error());
    return graph_of_r(status->all, how.dominant);
  }
  if (format == "slurm_conf") return graph_of(read_slurm_conf(text, how.file), how);
  if (format == "slurm_nodes") return graph_of(read_slurm_nodes(text, how.file), how);
  const SourceLocation place{std::string(how.file)};
  if (format.empty()) {
    return fail(
        ErrorCode::unsupported,
        "this is not a machine: it is neither XML (GRUG, hwloc), JSON (JGF, R, Slurm's nodes) "
        "nor a slurm.conf",
        place);
  }
  constexpr std::array<std::string_view, 9> kFormats{
      "grug",  "jgf",          "jgf_shorthand", "rv1exec",    "rv1exec_force",
      "hwloc", "sched_status", "slurm_conf",    "slurm_nodes"};
  return fail(ErrorCode::unsupported, unknown_word("format", format, kFormats));
}

}  // namespace copse
