// SPDX-License-Identifier: Apache-2.0
#include "journal/state/state_tables.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace copse::journal {

namespace {

// EXCLUSIVE before WAL keeps the index of the log in memory, not in a shared file. EXTRA is FULL,
// and also prevents that a stale rollback journal undoes the creation of the file.
constexpr const char* kSettings =
    "PRAGMA locking_mode=EXCLUSIVE;"
    "PRAGMA synchronous=EXTRA;"
    "PRAGMA wal_autocheckpoint=0;"
    "PRAGMA cell_size_check=ON;"
    "PRAGMA trusted_schema=OFF;";

constexpr const char* kTables =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE journal(first INTEGER PRIMARY KEY, n INTEGER, records BLOB,"
    " previous INTEGER, chain INTEGER);"
    "CREATE TABLE snapshot(next INTEGER, part INTEGER, bytes BLOB, parts INTEGER, sum INTEGER,"
    " PRIMARY KEY(next, part));"
    "INSERT INTO meta VALUES('format', 2);";

constexpr const char* kColumnsOfFormat2 =
    "ALTER TABLE journal ADD COLUMN previous INTEGER;"
    "ALTER TABLE journal ADD COLUMN chain INTEGER;"
    "ALTER TABLE snapshot ADD COLUMN parts INTEGER;"
    "ALTER TABLE snapshot ADD COLUMN sum INTEGER;"
    "UPDATE meta SET value = 2 WHERE key = 'format';";

}  // namespace

Result<void> make_private(const std::string& path) {
  const int made = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (made < 0) {
    return fail(ErrorCode::io, fmt::format("can't open {}: {}", path, std::strerror(errno)));
  }
  ::close(made);
  return {};
}

Result<void> set_up(Database& database) {
  if (auto ok = database.execute(kSettings); !ok) return ok;
  const auto mode = database.text("PRAGMA journal_mode=WAL");
  if (!mode) return std::unexpected(mode.error());
  if (*mode != "wal") {
    return fail(ErrorCode::io, "SQLite can't keep a write-ahead log in this folder");
  }
  // The header of the file says both; a state has neither.
  const auto vacuum = database.number("PRAGMA auto_vacuum");
  if (!vacuum) return std::unexpected(vacuum.error());
  if (vacuum->value_or(0) != 0 || database.is_read_only()) {
    return fail(ErrorCode::invalid, "the header of state.db is damaged");
  }
  return {};
}

Result<void> create_tables(Database& database) { return database.execute(kTables); }

Result<void> add_columns_of_format_2(Database& database) {
  return database.execute(kColumnsOfFormat2);
}

Result<std::optional<std::int64_t>> read_format(Database& database) {
  const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return std::unexpected(tables.error());
  if (tables->value_or(0) == 0) return std::nullopt;
  const auto format = database.number("SELECT value FROM meta WHERE key = 'format'");
  if (!format) return std::unexpected(format.error());
  const std::int64_t out = format->value_or(0);
  if (out >= 1 && out <= kStateFormat) return out;
  return fail(ErrorCode::unsupported,
              fmt::format("the state has format {}; this Copse reads up to {}", out, kStateFormat));
}

Result<StateHead> read_stored_head(Database& database) {
  const auto bytes = database.text("SELECT value FROM meta WHERE key = 'head'");
  if (!bytes) return std::unexpected(bytes.error());
  return read_head(bytes->value_or(""));
}

Result<void> write_head(Database& database, const StateHead& head) {
  const std::string bytes = head_bytes(head);
  auto insert = database.prepare("INSERT OR REPLACE INTO meta VALUES('head', ?1)");
  if (!insert) return std::unexpected(insert.error());
  return insert->bind_blob(1, bytes).run();
}

FileIdentity identity_of(const std::string& path) {
  struct stat file{};
  if (::stat(path.c_str(), &file) != 0) return {};
  return {file.st_ino, static_cast<std::uint64_t>(file.st_ctim.tv_sec) * 1'000'000'000 +
                           static_cast<std::uint64_t>(file.st_ctim.tv_nsec)};
}

}  // namespace copse::journal
