// SPDX-License-Identifier: Apache-2.0
#include "tools/load_machine.hpp"

#include <array>
#include <string_view>

#include "base/nearest_word.hpp"
#include "formats/grug/grug.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/treepool_memory.hpp"
#include "tools/progress.hpp"
#include "tools/read_file.hpp"

namespace copse {

namespace {

// A format for a file that is given without one: by how its text begins, and for JSON by its keys;
// "" if it is none.
std::string guess_format(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "grug";
  if (head[first] == '<') return head.find("<topology") != head.npos ? "hwloc" : "grug";
  if (head[first] != '{' && head[first] != '[') return {};
  return head.find("\"R_lite\"") != head.npos || head.find("\"execution\"") != head.npos ? "rv1exec"
                                                                                         : "jgf";
}

Result<Machine> machine_of_r(std::string_view text, const MachineFile& file) {
  RLimits limits;
  if (file.treepool) limits.layouts.emplace();
  auto r = read_r(text, file.path, limits);
  if (!r) return std::unexpected(r.error());
  const bool treepool = file.treepool && r->scheduling.treepool;
  if (treepool && file.piece_gib > 0) {
    if (auto ok = count_memory(*r, file.piece_gib); !ok) return in_file(ok.error(), file.path);
  }
  auto graph = graph_of_r(*r, file.dominant);
  if (!graph) return in_file(graph.error(), file.path);
  Machine out{std::move(*graph)};
  if (treepool) out.scheduling = std::move(r->scheduling);
  out.layouts = std::move(r->layouts);
  return out;
}

}  // namespace

std::unexpected<Error> in_file(Error error, const std::string& file) {
  if (error.place.file.empty()) error.place.file = file;
  return std::unexpected(std::move(error));
}

Result<Machine> load_machine(const MachineFile& file, std::FILE* terminal) {
  Progress progress("loading " + file.path, terminal);
  const auto text = read_file(file.path);
  if (!text) return std::unexpected(text.error());
  const std::string format = file.format.empty() ? guess_format(*text) : file.format;
  if (format.empty()) {
    return fail(ErrorCode::unsupported,
                "this is no machine: it is neither XML (GRUG, hwloc) nor JSON (JGF, R)",
                {file.path});
  }
  const auto machine = [](Result<ResourceGraph> graph) -> Result<Machine> {
    if (!graph) return std::unexpected(graph.error());
    return Machine{std::move(*graph)};
  };
  if (format == "grug") return machine(read_grug(*text, file.path, file.dominant));
  if (format == "hwloc") {
    return machine(read_hwloc(*text, file.path, file.allowlist, file.dominant));
  }
  if (format == "jgf" || format == "jgf_shorthand") {
    const JgfTextOptions options{
        .file = file.path,
        .readable_past = text->capacity() - text->size(),
        .units = file.jgf_units,
        .progress = [&](std::size_t done, std::size_t all) { progress.at(done, all); }};
    return machine(read_jgf(*text, options, file.dominant));
  }
  if (format == "rv1exec" || format == "rv1exec_force") return machine_of_r(*text, file);
  constexpr std::array<std::string_view, 6> kFormats{"grug",    "jgf",           "jgf_shorthand",
                                                     "rv1exec", "rv1exec_force", "hwloc"};
  return fail(ErrorCode::unsupported, unknown_word("format", format, kFormats));
}

}  // namespace copse
