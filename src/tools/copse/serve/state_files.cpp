// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/state_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include <fmt/format.h>

#include "files/read_file.hpp"

namespace copse {

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
