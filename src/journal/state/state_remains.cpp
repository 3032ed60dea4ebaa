// SPDX-License-Identifier: Apache-2.0
#include "journal/state/state_remains.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace copse::journal {

namespace {

// nullopt: there is no such file.
Result<std::optional<std::uint64_t>> bytes_of(const std::string& path) {
  struct stat file{};
  if (::stat(path.c_str(), &file) == 0) return static_cast<std::uint64_t>(file.st_size);
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  return fail(ErrorCode::io, fmt::format("can't look at {}: {}", path, std::strerror(errno)));
}

}  // namespace

// A first start that was killed may leave an empty state.db, lock, and tokens that were added
// before it. It makes the others only once state.db is complete.
Result<bool> has_state(const std::string& folder) {
  const auto database = bytes_of(folder + "/state.db");
  if (!database) return std::unexpected(database.error());
  if (database->value_or(0) > 0) return true;
  for (const char* name : {"state.db-wal", "committed", "reserve", "audit.log"}) {
    const auto bytes = bytes_of(folder + "/" + name);
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->value_or(0) == 0) continue;
    return fail(ErrorCode::invalid,
                fmt::format("{}/state.db is {}, but {} is there: restore a backup, or move all "
                            "files away to begin a new state",
                            folder, *database ? "empty" : "missing", name));
  }
  return false;
}

}  // namespace copse::journal
