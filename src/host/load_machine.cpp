// SPDX-License-Identifier: Apache-2.0
#include "host/load_machine.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "files/read_file.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/text_format.hpp"
#include "host/progress.hpp"

namespace copse {

SlurmFiles files_in_folder_of(const std::string& path) {
  return [folder = std::filesystem::path(path).parent_path()](
             const std::string& name) -> Result<std::optional<std::string>> {
    const std::filesystem::path at = folder / name;
    std::error_code error;
    if (!std::filesystem::exists(at, error) && !error) return std::nullopt;
    auto text = read_file(at.string());
    if (!text) return std::unexpected(text.error());
    return std::move(*text);
  };
}

namespace {

constexpr std::size_t kFolderFilesMax = 100'000;

// The topologies of a folder, in the order of their names: files that end in .xml.
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
  auto graph = read_hwloc_nodes(texts, {file.allowlist, file.dominant, file.beyond_fluxion});
  if (!graph) return in_file(graph.error(), file.path);
  return Machine{std::move(*graph)};
}

Result<Machine> machine_of_text(const std::string& text, const MachineFile& file,
                                Progress& progress) {
  if (file.format.empty() && text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::invalid, "the file is empty; it must describe a machine", {file.path});
  }
  if (file.format.empty() && is_job_list(text_format(text))) {
    return fail(ErrorCode::unsupported, "this is a list of jobs; give it to --running",
                {file.path});
  }
  const auto format = find_machine_format(file.format, text, file.path);
  if (!format) return in_file(format.error(), "--load-format");
  auto machine = (*format)->read(
      {.text = text,
       .file = file.path,
       .allowlist = file.allowlist,
       .dominant = file.dominant,
       .readable_past = text.capacity() - text.size(),
       .beyond_fluxion = file.beyond_fluxion,
       .treepool = file.treepool,
       .piece_gib = file.piece_gib,
       .jobs = true,
       .slurm_files = files_in_folder_of(file.path),
       .progress = [&](std::size_t done, std::size_t all) { progress.at(done, all); }});
  if (machine && !file.allowlist.empty() && !(*format)->has_allowlist) {
    machine->remarks.emplace_back(
        "--load-allowlist has no effect: it applies only to hwloc machines");
  }
  return machine;
}

}  // namespace

Result<Machine> load_machine(const MachineFile& file, std::FILE* terminal) {
  const bool is_input = file.dash_is_input && file.path == "-";
  MachineFile named = file;
  if (is_input) named.path = input_name(file.path);
  Progress progress("loading " + named.path, terminal);
  std::error_code error;
  const auto read = [&]() -> Result<Machine> {
    if (std::filesystem::is_directory(file.path, error)) return machine_of_folder(file, progress);
    const auto text = is_input ? read_input(file.path) : read_file(file.path);
    if (!text) return std::unexpected(text.error());
    return machine_of_text(*text, named, progress);
  };
  auto machine = read();
  if (!machine) return machine;
  if (auto ok = set_divisible(machine->graph, file.divisible); !ok) {
    return in_file(ok.error(), "--divisible");
  }
  return machine;
}

void bound_by_times(const Machine& machine, EngineOptions& options) {
  const auto seconds = [](double s) { return static_cast<std::int64_t>(std::min(s, 0x1p53)); };
  const std::int64_t from = seconds(std::ceil(machine.starttime_s));
  const std::int64_t until = seconds(std::floor(machine.expiration_s));
  if (from == 0 && until == 0) return;
  const std::int64_t zero = from >= kRealTime_s && options.now == 0 ? from : 0;
  options.valid_from = std::max<std::int64_t>(from - zero, 0);
  options.valid_until = until > 0 ? std::max<std::int64_t>(until - zero, 1) : 0;
}

}  // namespace copse
