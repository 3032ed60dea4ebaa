// SPDX-License-Identifier: Apache-2.0
#include "journal/database.hpp"

#include <sqlite3.h>

#include <utility>

#include <fmt/format.h>

namespace copse::journal {

namespace {

// SQLite's message, with the path of the file.
std::unexpected<Error> sqlite_error(sqlite3* database) {
  const int code = sqlite3_errcode(database) & 0xff;
  const char* path = sqlite3_db_filename(database, "main");
  const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return fail(damaged ? ErrorCode::invalid : ErrorCode::io,
              fmt::format("{}: {} (SQLite error {})", path == nullptr ? "?" : path,
                          sqlite3_errmsg(database), sqlite3_extended_errcode(database)));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::set_bind_error(int code) {
  if (bind_error_ == SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::bind(int index, std::int64_t value) {
  return set_bind_error(sqlite3_bind_int64(statement_.get(), index, value));
}

Statement& Statement::bind_blob(int index, std::string_view bytes) {
  // An empty blob is not NULL.
  const char* at = bytes.empty() ? "" : bytes.data();
  return set_bind_error(
      sqlite3_bind_blob64(statement_.get(), index, at, bytes.size(), SQLITE_STATIC));
}

Statement& Statement::bind_text(int index, std::string_view text) {
  const char* at = text.empty() ? "" : text.data();
  return set_bind_error(
      sqlite3_bind_text64(statement_.get(), index, at, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Result<bool> Statement::step() {
  if (const int code = std::exchange(bind_error_, SQLITE_OK); code != SQLITE_OK) {
    reset();
    return fail(ErrorCode::io, fmt::format("a value can't be bound: {} (SQLite error {})",
                                           sqlite3_errstr(code), code));
  }
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: reset(); return false;
    default: break;
  }
  auto failed = sqlite_error(database_);
  reset();
  return failed;
}

Result<void> Statement::run() {
  for (;;) {
    auto row = step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return {};
  }
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::blob(int column) const {
  const void* at = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (at == nullptr) return {};
  return {static_cast<const char*>(at), static_cast<std::size_t>(size)};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::open(const std::string& path, const std::string& vfs) {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code =
      sqlite3_open_v2(path.c_str(), &opened, flags, vfs.empty() ? nullptr : vfs.c_str());
  Database database(opened);
  if (opened == nullptr) return fail(ErrorCode::io, fmt::format("{}: no memory for SQLite", path));
  sqlite3_extended_result_codes(opened, 1);
  if (code != SQLITE_OK) {
    return fail(ErrorCode::io, fmt::format("{}: {}", path, sqlite3_errmsg(opened)));
  }
  database.checkpoint_at_close(false);
  return database;
}

Result<void> Database::execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return sqlite_error(database_.get());
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
    return sqlite_error(database_.get());
  }
  return Statement(database_.get(), statement);
}

Result<std::optional<std::int64_t>> Database::number(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  auto row = statement->step();
  if (!row) return std::unexpected(row.error());
  if (!*row || statement->is_null(0)) return std::nullopt;
  return statement->integer(0);
}

Result<std::optional<std::string>> Database::text(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  auto row = statement->step();
  if (!row) return std::unexpected(row.error());
  if (!*row || statement->is_null(0)) return std::nullopt;
  return std::string(statement->blob(0));
}

Result<void> Database::checkpoint() {
  if (sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                                nullptr) == SQLITE_OK) {
    return {};
  }
  return sqlite_error(database_.get());
}

bool Database::is_read_only() const { return sqlite3_db_readonly(database_.get(), "main") == 1; }

void Database::checkpoint_at_close(bool wanted) {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wanted ? 0 : 1, nullptr);
}

}  // namespace copse::journal
