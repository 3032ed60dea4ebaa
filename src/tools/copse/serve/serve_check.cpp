// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/serve_check.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "files/read_file.hpp"
#include "request/constraint.hpp"
#include "server/listen.hpp"
#include "server/socket_file.hpp"
#include "session/status/machine_status.hpp"
#include "text/counted.hpp"

namespace copse {

namespace {

// Some folders, such as /proc, refuse files even from root. The file that is created is removed.
Result<void> try_to_make_below(const std::filesystem::path& there,
                               const std::filesystem::path& wanted) {
  const std::filesystem::path first = there / *wanted.lexically_relative(there).begin();
  if (::mkdir(first.c_str(), 0700) != 0) {
    return fail(ErrorCode::io, fmt::format("can't make {}: {}", first.string(), reason_of(errno)));
  }
  (void)::rmdir(first.c_str());
  return {};
}

}  // namespace

Result<void> check_audit_name(const std::string& audit, const std::string& state) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path path = fs::weakly_canonical(audit, none);
  for (const char* name :
       {"state.db", "state.db-wal", "state.db-shm", "reserve", "lock", "tokens"}) {
    if (audit.empty() || path != fs::weakly_canonical(state, none) / name) continue;
    return fail(ErrorCode::invalid,
                fmt::format("--audit {} is a file of the state: name another", audit));
  }
  return {};
}

Result<void> check_audit(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty() || path == "-") return {};
  std::error_code none;
  const bool there = fs::exists(path, none);
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const bool writable =
      there ? !fs::is_directory(path, none) && ::access(path.c_str(), W_OK) == 0
            : fs::is_directory(folder, none) && ::access(folder.c_str(), W_OK | X_OK) == 0;
  if (writable) return {};
  return fail(ErrorCode::io,
              fmt::format("can't write {}: {}", path,
                          there                            ? "it is not a writable file"
                          : fs::is_directory(folder, none) ? "its folder is not writable"
                                                           : "its folder does not exist"));
}

Result<void> check_state_folder(const std::string& folder, const ServeLog& log) {
  namespace fs = std::filesystem;
  std::error_code none;
  fs::path at = fs::absolute(folder, none);
  const bool there = fs::exists(at, none);
  while (!fs::exists(at, none) && at != at.parent_path()) at = at.parent_path();
  if (!fs::is_directory(at, none)) {
    return fail(ErrorCode::invalid, fmt::format("{} is not a folder", at.string()));
  }
  if (::access(at.c_str(), W_OK | X_OK) != 0) {
    return fail(ErrorCode::io, fmt::format("can't write in {}: {}", at.string(), reason_of(errno)));
  }
  if (!there) {
    if (auto ok = try_to_make_below(at, fs::absolute(folder, none)); !ok) return ok;
  }
  const auto others = fs::perms::group_all | fs::perms::others_all;
  if (!there || (fs::status(at, none).permissions() & others) == fs::perms::none) return {};
  log(fmt::format("other users can read {}: chmod 700 makes it private", folder));
  return {};
}

Result<void> check_listening(const std::string& socket, const std::vector<std::string>& ports) {
  for (const std::string& where : ports) {
    const auto made = server::listen_on_tcp(where);
    if (!made) return std::unexpected(made.error());
    (void)::close(made->socket);
  }
  std::error_code none;
  if (!std::filesystem::exists(socket, none)) return {};
  const auto taken = server::SocketFile::take(socket);
  return taken ? Result<void>() : std::unexpected(taken.error());
}

// --- The report

namespace {

// A line, whose first column is empty if it is that of the line before.
class Columns {
 public:
  void add(std::string_view what, std::string_view text) {
    constexpr std::size_t kWidth = 8;
    out_ += fmt::format("{:<{}} {}\n", what == last_ ? "" : what, kWidth, text);
    last_ = what;
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_, last_;
};

std::size_t nodes_of(const ResourceGraph& graph, const Constraint& wanted) {
  const TypeId node = graph.find_type("node");
  if (node == kNoType) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(graph.of_type(node), [&](PoolId p) {
    return graph.in_tree(p) && holds(wanted, {graph.name(p), graph.rank(p), graph.properties(p)});
  }));
}

void add_machine(const Engine& engine, Columns& lines) {
  const MachineStatus status = status_of(engine);
  std::size_t nodes = 0;
  for (const std::size_t one : status.nodes) nodes += one;
  lines.add("nodes", std::to_string(nodes));
  for (std::size_t type = 0; type < status.types.size(); ++type) {
    std::int64_t units = 0;
    for (const MachineStatus::Part& part : status.parts) units += part.units[type];
    const std::string& name = status.types[type];
    const std::string plural = name == "core" || name == "gpu" ? name + "s" : name;
    lines.add(plural, fmt::format("{}{}{}", units, status.unit_of[type].empty() ? "" : " ",
                                  status.unit_of[type]));
  }
  for (const LayerView& layer : engine.layers(engine.now())) {
    const std::string count =
        layer.total == kUnlimitedCount ? "no limit" : std::to_string(layer.total);
    lines.add("layers", fmt::format("{}: {} on {}", layer.resource, count, layer.nodes));
  }
}

}  // namespace

std::string check_report(const Engine& engine, const queue::QueueConfig& queues,
                         const std::string& file) {
  Columns lines;
  add_machine(engine, lines);
  for (const queue::QueueSpec& queue : queues.queues) {
    std::string text = queue.name.empty() ? "one, without a name" : queue.name;
    text += ": ";
    text += queue.parent ? "waits in " + *queue.parent : queue.discipline.name;
    text += ", " + counted(nodes_of(engine.graph(), queue.constraint), "node");
    lines.add("queues", text);
  }
  for (const std::string& key : queues.of_the_machine) {
    lines.add("ignored", fmt::format("{} in {}", key, file));
  }
  for (const std::string& table : queues.tables_of_flux) {
    lines.add("ignored", fmt::format("the table {} in {}", table, file));
  }
  return lines.take();
}

}  // namespace copse
