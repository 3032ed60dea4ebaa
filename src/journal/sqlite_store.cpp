// SPDX-License-Identifier: Apache-2.0
#include "journal/sqlite_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "journal/record_batch.hpp"

namespace copse::journal {

namespace {

constexpr std::int64_t kFormat = 1;

// EXCLUSIVE before WAL keeps the index of the log in memory, not in a shared file. EXTRA is FULL,
// and also prevents that a stale rollback journal undoes the creation of the file.
constexpr const char* kSettings =
    "PRAGMA locking_mode=EXCLUSIVE;"
    "PRAGMA synchronous=EXTRA;"
    "PRAGMA wal_autocheckpoint=0;"
    "PRAGMA cell_size_check=ON;"
    "PRAGMA trusted_schema=OFF;";

constexpr const char* kTables =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS journal(first INTEGER PRIMARY KEY, n INTEGER, records BLOB);"
    "CREATE TABLE IF NOT EXISTS snapshot(next INTEGER, part INTEGER, bytes BLOB,"
    " PRIMARY KEY(next, part));"
    "INSERT OR IGNORE INTO meta VALUES('format', 1);"
    "COMMIT;";

std::unexpected<Error> propagate(const Error& error) { return std::unexpected(error); }

// SQLite would create the file readable by other users.
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
  if (!mode) return propagate(mode.error());
  if (*mode != "wal") {
    return fail(ErrorCode::io, "SQLite can't keep a write-ahead log in this folder");
  }
  const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return propagate(tables.error());
  if (tables->value_or(0) == 0) return database.execute(kTables);
  const auto format = database.number("SELECT value FROM meta WHERE key = 'format'");
  if (!format) return propagate(format.error());
  if (format->value_or(0) < 1 || format->value_or(0) > kFormat) {
    return fail(ErrorCode::unsupported,
                fmt::format("the state has format {}; this Copse reads up to {}",
                            format->value_or(0), kFormat));
  }
  return {};
}

std::int64_t as_integer(Sequence number) { return static_cast<std::int64_t>(number); }

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& folder,
                                                       SqliteOptions options) {
  const std::string path = folder + "/state.db";
  if (options.vfs.empty()) {
    if (auto ok = make_private(path); !ok) return propagate(ok.error());
  }
  auto database = Database::open(path, options.vfs);
  if (!database) return propagate(database.error());
  if (auto ok = set_up(*database); !ok) return propagate(ok.error());
  auto insert = database->prepare("INSERT INTO journal VALUES(?1, ?2, ?3)");
  if (!insert) return propagate(insert.error());
  return std::unique_ptr<SqliteStore>(
      new SqliteStore(std::move(*database), std::move(*insert), std::move(options)));
}

Result<void> SqliteStore::append(Sequence first, std::span<const std::string> records) {
  const std::string batch = batch_of(first, records);
  insert_.bind(1, as_integer(first)).bind(2, as_integer(records.size())).bind_blob(3, batch);
  if (auto ok = insert_.run(); !ok) return ok;
  log_bytes_ += batch.size() + 4096;
  return log_bytes_ > options_.log_bytes_max ? checkpoint() : Result<void>();
}

Result<void> SqliteStore::checkpoint() {
  log_bytes_ = 0;
  return database_.checkpoint();
}

Result<void> SqliteStore::maintain() {
  return log_bytes_ > options_.log_bytes_idle_max ? checkpoint() : Result<void>();
}

Result<void> SqliteStore::snapshot(Sequence next, std::string_view state) {
  if (auto ok = database_.execute("BEGIN IMMEDIATE"); !ok) return ok;
  if (auto ok = insert_snapshot(next, state); !ok) return ok;
  if (auto ok = delete_before(next); !ok) return ok;
  if (auto ok = database_.execute("COMMIT"); !ok) return ok;
  return checkpoint();
}

Result<void> SqliteStore::insert_snapshot(Sequence next, std::string_view state) {
  auto insert = database_.prepare("INSERT OR REPLACE INTO snapshot VALUES(?1, ?2, ?3)");
  if (!insert) return propagate(insert.error());
  for (std::int64_t part = 0;; ++part) {
    insert->bind(1, as_integer(next)).bind(2, part).bind_blob(3, state.substr(0, kPartBytes));
    if (auto ok = insert->run(); !ok) return ok;
    state.remove_prefix(std::min(kPartBytes, state.size()));
    if (state.empty()) return {};
  }
}

// Keeps the state `next`, the state before it, and all records since the latter.
Result<void> SqliteStore::delete_before(Sequence next) {
  auto before = database_.prepare("SELECT max(next) FROM snapshot WHERE next < ?1");
  if (!before) return propagate(before.error());
  const auto row = before->bind(1, as_integer(next)).step();
  if (!row) return propagate(row.error());
  if (!*row || before->is_null(0)) return {};
  const std::int64_t kept = before->integer(0);
  before->reset();
  for (const char* sql : {"DELETE FROM snapshot WHERE next < ?1",
                          "DELETE FROM journal WHERE first + n <= ?1 AND first < ?1"}) {
    auto erase = database_.prepare(sql);
    if (!erase) return propagate(erase.error());
    if (auto ok = erase->bind(1, kept).run(); !ok) return ok;
  }
  return {};
}

Result<std::vector<Sequence>> SqliteStore::snapshots() {
  auto all = database_.prepare("SELECT DISTINCT next FROM snapshot ORDER BY next DESC");
  if (!all) return propagate(all.error());
  std::vector<Sequence> out;
  for (;;) {
    const auto row = all->step();
    if (!row) return propagate(row.error());
    if (!*row) return out;
    out.push_back(static_cast<Sequence>(all->integer(0)));
  }
}

Result<std::string> SqliteStore::snapshot_bytes(Sequence next) {
  auto parts = database_.prepare("SELECT bytes FROM snapshot WHERE next = ?1 ORDER BY part");
  if (!parts) return propagate(parts.error());
  parts->bind(1, as_integer(next));
  std::string out;
  for (;;) {
    const auto row = parts->step();
    if (!row) return propagate(row.error());
    if (!*row) return out;
    out += parts->blob(0);
  }
}

Result<Sequence> SqliteStore::load(const Recovery& host) {
  const auto kept = snapshots();
  if (!kept) return propagate(kept.error());
  Result<void> loaded;
  Sequence from = 0;
  for (const Sequence next : *kept) {
    const auto bytes = snapshot_bytes(next);
    auto tried = bytes ? host.state(next, *bytes) : Result<void>(propagate(bytes.error()));
    from = next;
    if (next == kept->front() || tried)
      loaded = tried;  // of several errors, report that of the latest state
    if (tried) break;
  }
  if (!loaded) return propagate(loaded.error());
  if (host.earlier) report_earlier(from, host);
  return load_records(from, host);
}

// Best effort: unreadable records are skipped.
void SqliteStore::report_earlier(Sequence from, const Recovery& host) {
  auto rows =
      database_.prepare("SELECT first, records FROM journal WHERE first < ?1 ORDER BY first");
  if (!rows) return;
  rows->bind(1, as_integer(from));
  for (;;) {
    const auto row = rows->step();
    if (!row || !*row) return;
    const auto first = static_cast<Sequence>(rows->integer(0));
    (void)read_batch(first, rows->blob(1),
                     [&](Sequence number, std::string_view record) -> Result<void> {
                       if (number < from) host.earlier(number, record);
                       return {};
                     });
  }
}

Result<Sequence> SqliteStore::load_records(Sequence from, const Recovery& host) {
  auto rows = database_.prepare(
      "SELECT first, n, records FROM journal WHERE first >="
      " coalesce((SELECT max(first) FROM journal WHERE first <= ?1), 0) ORDER BY first");
  if (!rows) return propagate(rows.error());
  rows->bind(1, as_integer(from));
  Sequence next = from;
  for (;;) {
    const auto row = rows->step();
    if (!row) return propagate(row.error());
    if (!*row) return next;
    const auto first = static_cast<Sequence>(rows->integer(0));
    if (first > next) {
      return fail(ErrorCode::invalid, fmt::format("records {} to {} are missing", next, first - 1));
    }
    const auto got =
        read_batch(first, rows->blob(2), [&](Sequence number, std::string_view record) {
          return number < from ? Result<void>() : host.record(number, record);
        });
    if (!got) return propagate(got.error());
    if (as_integer(*got) != rows->integer(1) || (first < next && next != from)) {
      return fail(ErrorCode::invalid, fmt::format("the commit of record {} is damaged", first));
    }
    next = std::max(next, first + *got);
  }
}

Result<std::vector<std::string>> SqliteStore::faults() {
  auto check = database_.prepare("PRAGMA integrity_check(20)");
  if (!check) return propagate(check.error());
  std::vector<std::string> out;
  for (;;) {
    const auto row = check->step();
    if (!row) return propagate(row.error());
    if (!*row) return out;
    if (check->blob(0) != "ok") out.emplace_back(check->blob(0));
  }
}

Result<void> SqliteStore::compact() {
  if (auto ok = database_.execute("VACUUM"); !ok) return ok;
  return checkpoint();
}

}  // namespace copse::journal
