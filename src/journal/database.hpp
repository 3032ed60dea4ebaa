// SPDX-License-Identifier: Apache-2.0
//
// Database and Statement: SQLite handles that own what they opened and return Results.
//
// A Statement is prepared once and run many times. Texts and blobs bound to it must outlive the
// run; columns are valid until its next step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "copse/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace copse::journal {

// A number of 64 bits as SQLite stores it.
[[nodiscard]] constexpr std::int64_t as_integer(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

class Statement {
 public:
  Statement& bind(int index, std::int64_t value);  // indexes count from 1
  Statement& bind_blob(int index, std::string_view bytes);
  Statement& bind_text(int index, std::string_view text);
  // True: there is a row. False: the end. After the end, an error or reset(), the statement can be
  // bound and run again. A value that could not be bound is an error of the next step; nothing is
  // executed without it.
  [[nodiscard]] Result<bool> step();
  // Steps until the end.
  [[nodiscard]] Result<void> run();
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;  // columns count from 0
  [[nodiscard]] std::string_view blob(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] int columns() const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}

  Statement& set_bind_error(int code);

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_error_ = 0;  // the first error of bind()
};

class Database {
 public:
  // A file, created if missing. `vfs`: a file system registered with SQLite; "": the default.
  // Errors: io, with the path.
  [[nodiscard]] static Result<Database> open(const std::string& path, const std::string& vfs);

  // Executes statements without a result. Errors: io; invalid (the file is not a database, or is
  // damaged).
  [[nodiscard]] Result<void> execute(const std::string& sql);
  [[nodiscard]] Result<Statement> prepare(std::string_view sql);
  // The value of a query with one row and one column; nullopt: no row. Errors: as execute().
  [[nodiscard]] Result<std::optional<std::int64_t>> number(std::string_view sql);
  [[nodiscard]] Result<std::optional<std::string>> text(std::string_view sql);
  // Moves the write-ahead log into the file. Errors: io.
  [[nodiscard]] Result<void> checkpoint();
  // Whether the file can't be written, for instance because it says so in its header.
  [[nodiscard]] bool is_read_only() const;
  // Whether closing moves the log into the file and deletes it. Initially not: SQLite takes damage
  // of a log for its end, and would delete what follows.
  void checkpoint_at_close(bool wanted);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace copse::journal
