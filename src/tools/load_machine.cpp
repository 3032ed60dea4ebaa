// SPDX-License-Identifier: Apache-2.0
#include "tools/load_machine.hpp"

#include <filesystem>
#include <string_view>

#include "copse/formats.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/machine_text.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/treepool_memory.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "tools/cluster_list.hpp"
#include "tools/progress.hpp"
#include "tools/read_file.hpp"

namespace copse {

namespace {

// Files beside slurm.conf, named in it or known by name.
SlurmFiles files_beside(const std::string& path) {
  return [folder = std::filesystem::path(path).parent_path()](
             const std::string& name) -> Result<std::optional<std::string>> {
    const std::filesystem::path beside = folder / name;
    std::error_code error;
    if (!std::filesystem::exists(beside, error) && !error) return std::nullopt;
    auto text = read_file(beside.string());
    if (!text) return std::unexpected(text.error());
    return std::move(*text);
  };
}

Result<ResourceGraph> graph_of(const Result<SlurmMachine>& machine, const MachineFile& file) {
  if (!machine) return std::unexpected(machine.error());
  auto graph = graph_of_slurm(*machine, file.dominant);
  if (!graph) return in_file(graph.error(), file.path);
  return graph;
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
  const std::string_view format =
      file.format.empty() ? guess_machine_format(*text) : std::string_view(file.format);
  if (format == "rv1exec" || format == "rv1exec_force") return machine_of_r(*text, file);
  if (file.format.empty() && looks_like_cluster_list(*text)) {
    return fail(ErrorCode::unsupported, "this is a list of jobs; give it to --running",
                {file.path});
  }
  const auto machine = [](Result<ResourceGraph> graph) -> Result<Machine> {
    if (!graph) return std::unexpected(graph.error());
    return Machine{std::move(*graph)};
  };
  if (format == "jgf" || format == "jgf_shorthand") {
    const JgfTextOptions options{
        .file = file.path,
        .readable_past = text->capacity() - text->size(),
        .units = file.jgf_units,
        .progress = [&](std::size_t done, std::size_t all) { progress.at(done, all); }};
    return machine(read_jgf(*text, options, file.dominant));
  }
  if (format == "slurm_conf") {
    return machine(graph_of(read_slurm_conf(*text, file.path, files_beside(file.path)), file));
  }
  return machine(read_machine(*text, {.file = file.path,
                                      .format = format,
                                      .allowlist = file.allowlist,
                                      .dominant = file.dominant}));
}

}  // namespace copse
