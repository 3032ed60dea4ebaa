// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/state_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "files/read_file.hpp"
#include "journal/state/state_remains.hpp"

namespace copse {

namespace {

// The specification ignores paths that are not absolute.
std::string folder_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

Result<std::string> default_state_folder() {
  if (const std::string state = folder_of("XDG_STATE_HOME"); !state.empty()) {
    return state + "/copse";
  }
  if (const std::string home = folder_of("HOME"); !home.empty()) {
    return home + "/.local/state/copse";
  }
  return fail(ErrorCode::not_found,
              "neither XDG_STATE_HOME nor HOME is set: name the folder of the state with --state");
}

std::string default_socket(const std::string& state_folder) {
  const std::string runtime = folder_of("XDG_RUNTIME_DIR");
  return runtime.empty() ? state_folder + "/copse.sock" : runtime + "/copse/copse.sock";
}

Result<void> make_private_folder(const std::string& path) {
  const std::filesystem::path folder(path);
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return {};
  if (folder.has_parent_path() && folder.parent_path() != folder) {
    if (auto ok = make_private_folder(folder.parent_path().string()); !ok) return ok;
  }
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  return fail(ErrorCode::io, fmt::format("can't make {}: {}", path, reason_of(errno)));
}

Error with_remedy(Error error, const std::string& state) {
  const auto old = journal::has_state(state);
  if (error.code != ErrorCode::invalid || !old || !*old) return error;
  error.text +=
      fmt::format(": restore a backup, or go on with what is intact: copse state repair {}", state);
  return error;
}

FirstStart::FirstStart(std::string state) : state_(std::move(state)) {
  // Files of a lost state stay, too.
  const auto old = journal::has_state(state_);
  old_ = !old || *old;
}

Result<void> FirstStart::make_folder(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  std::vector<std::string> missing;  // the innermost first
  for (fs::path at = fs::absolute(path, none); !fs::exists(at, none); at = at.parent_path()) {
    if (at.has_filename()) missing.push_back(at.string());
    if (at == at.parent_path()) break;
  }
  auto ok = make_private_folder(path);
  made_.insert(made_.end(), missing.rbegin(), missing.rend());
  return ok;
}

// No request was answered yet. A folder with files of others stays.
FirstStart::~FirstStart() {
  namespace fs = std::filesystem;
  if (done_) return;
  std::error_code none;
  for (const char* name : {"state.db", "state.db-wal", "committed", "reserve", "lock"}) {
    if (!old_) fs::remove(state_ + "/" + name, none);
  }
  const std::string audit = state_ + "/audit.log";
  if (!old_ && fs::exists(audit, none) && fs::file_size(audit, none) == 0) fs::remove(audit, none);
  for (auto at = made_.rbegin(); at != made_.rend(); ++at) fs::remove(*at, none);
}

// --- Its files

namespace {

constexpr std::array<std::string_view, 8> kFiles{"state.db",   "state.db-wal", "state.db-shm",
                                                 "reserve",    "lock",         "tokens",
                                                 "tokens.new", "audit.log"};
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

std::unexpected<Error> refused(const std::string& path, std::string_view why) {
  return fail(ErrorCode::invalid, fmt::format("{} {}", path, why));
}

Result<void> check_owner(const std::string& path, const struct stat& facts) {
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0) {
    return refused(
        path, fmt::format("belongs to uid {}: name a folder of this user (--state)", facts.st_uid));
  }
  if ((facts.st_mode & kWritableByOthers) == 0) return {};
  return refused(path, "may be written by others: chmod go-w it, and check what is in it");
}

Result<void> check_file(const std::string& path) {
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return {};
    return fail(ErrorCode::io, fmt::format("can't look at {}: {}", path, reason_of(errno)));
  }
  if (S_ISLNK(facts.st_mode)) return refused(path, "is a link: put the file itself there");
  if (!S_ISREG(facts.st_mode)) return refused(path, "is not a file: remove it");
  return check_owner(path, facts);
}

}  // namespace

Result<void> check_state_files(const std::string& folder) {
  struct stat facts{};
  if (::stat(folder.c_str(), &facts) != 0) {
    if (errno == ENOENT) return {};
    return fail(ErrorCode::io, fmt::format("can't look at {}: {}", folder, reason_of(errno)));
  }
  if (auto ok = check_owner(folder, facts); !ok) return ok;
  for (const std::string_view name : kFiles) {
    if (auto ok = check_file(fmt::format("{}/{}", folder, name)); !ok) return ok;
  }
  return {};
}

}  // namespace copse
