// SPDX-License-Identifier: Apache-2.0
#include "host/load_machine.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "copse/formats.hpp"
#include "files/read_file.hpp"
#include "formats/flux/sched_status.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/machine_text.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/treepool_memory.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "formats/slurm/slurm_nodes.hpp"
#include "host/job_list.hpp"
#include "host/progress.hpp"

namespace copse {

namespace {

constexpr std::size_t kFolderFilesMax = 100'000;

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

Result<Machine> machine_of_slurm(std::string_view text, std::string_view format,
                                 const MachineFile& file) {
  auto machine = format == "slurm_nodes"
                     ? read_slurm_nodes(text, file.path)
                     : read_slurm_conf(text, file.path, files_beside(file.path));
  if (!machine) return std::unexpected(machine.error());
  auto graph = graph_of_slurm(*machine, file.dominant);
  if (!graph) return in_file(graph.error(), file.path);
  Machine out{std::move(*graph)};
  out.remarks = std::move(machine->remarks);
  return out;
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

Result<Machine> machine_of_status(std::string_view text, const MachineFile& file) {
  const auto status = read_sched_status(text, file.path);
  if (!status) return std::unexpected(status.error());
  auto graph = graph_of_r(status->all, file.dominant);
  if (!graph) return in_file(graph.error(), file.path);
  Machine out{std::move(*graph)};
  for (const auto& [r, to] :
       {std::pair{&status->allocated, &out.allocated}, {&status->down, &out.down}}) {
    auto pools = pools_of_r(out.graph, *r, &out.remarks);
    if (!pools) return in_file(pools.error(), file.path);
    *to = std::move(*pools);
  }
  return out;
}

// The topologies of a folder, in the order of their names: those that end in .xml.
Result<Machine> machine_of_folder(const MachineFile& file, Progress& progress) {
  if (!file.format.empty() && file.format != "hwloc") {
    return fail(ErrorCode::unsupported,
                "this is a folder, and only topologies of hwloc are read from one", {file.path});
  }
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator at(file.path, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".xml") paths.push_back(at->path().string());
    if (paths.size() > kFolderFilesMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} files of .xml", kFolderFilesMax),
                  {file.path});
    }
  }
  if (error) return fail(ErrorCode::io, "can't read: " + error.message(), {file.path});
  if (paths.empty()) {
    return fail(ErrorCode::invalid,
                "no file of this folder ends in .xml (one topology of hwloc for each node: lstopo "
                "--of xml)",
                {file.path});
  }
  std::ranges::sort(paths);
  std::vector<std::string> kept;
  std::size_t bytes = 0;
  for (const std::string& path : paths) {
    auto text = read_file(path);
    if (!text) return std::unexpected(text.error());
    bytes += text->size();
    if (bytes > kFileBytesMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} bytes", kFileBytesMax), {file.path});
    }
    kept.push_back(std::move(*text));
    progress.at(kept.size(), 2 * paths.size());
  }
  std::vector<HwlocText> texts;
  texts.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) texts.push_back({kept[i], paths[i]});
  auto graph = read_hwloc_nodes(texts, file.allowlist, file.dominant);
  if (!graph) return in_file(graph.error(), file.path);
  return Machine{std::move(*graph)};
}

Result<Machine> machine_of_text(const std::string& text, const MachineFile& file,
                                Progress& progress) {
  if (file.format.empty() && text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::invalid, "the file is empty; it must describe a machine", {file.path});
  }
  const std::string_view format =
      file.format.empty() ? guess_machine_format(text) : std::string_view(file.format);
  if (format == "rv1exec" || format == "rv1exec_force") return machine_of_r(text, file);
  if (file.format.empty() && looks_like_job_list(text)) {
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
        .readable_past = text.capacity() - text.size(),
        .units = file.jgf_units,
        .progress = [&](std::size_t done, std::size_t all) { progress.at(done, all); }};
    return machine(read_jgf(text, options, file.dominant));
  }
  if (format == "sched_status") return machine_of_status(text, file);
  if (format == "slurm_conf" || format == "slurm_nodes") {
    return machine_of_slurm(text, format, file);
  }
  auto graph = read_machine(text, {.file = file.path,
                                   .format = format,
                                   .allowlist = file.allowlist,
                                   .dominant = file.dominant});
  if (!graph && graph.error().code == ErrorCode::unsupported) {
    return in_file(graph.error(), "--load-format");
  }
  return machine(std::move(graph));
}

}  // namespace

std::unexpected<Error> in_file(Error error, const std::string& file) {
  if (error.place.file.empty()) error.place.file = file;
  return std::unexpected(std::move(error));
}

Result<Machine> load_machine(const MachineFile& file, std::FILE* terminal) {
  const bool is_input = file.dash_is_input && file.path == "-";
  MachineFile named = file;
  if (is_input) named.path = input_name(file.path);
  Progress progress("loading " + named.path, terminal);
  std::error_code error;
  if (std::filesystem::is_directory(file.path, error)) return machine_of_folder(file, progress);
  const auto text = is_input ? read_input(file.path) : read_file(file.path);
  if (!text) return std::unexpected(text.error());
  auto machine = machine_of_text(*text, named, progress);
  const bool hwloc = (file.format.empty() ? guess_machine_format(*text)
                                          : std::string_view(file.format)) == "hwloc";
  if (machine && !file.allowlist.empty() && !hwloc) {
    machine->remarks.emplace_back(
        "--load-allowlist is of no use: only machines of hwloc have types to choose from");
  }
  return machine;
}

}  // namespace copse
