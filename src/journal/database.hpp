// SPDX-License-Identifier: Apache-2.0
//
// Database and Statement: SQLite as values that own what they opened, with Results for errors.
//
// A Statement is prepared once and run many times. Texts and blobs that it binds must live until it
// is done; columns are good until its next step.
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

class Statement {
 public:
  Statement& bind(int place, std::int64_t value);  // places count from 1
  Statement& bind_blob(int place, std::string_view bytes);
  Statement& bind_text(int place, std::string_view text);
  // True: there is a row. Ready to be bound and run again after false, an error, or done(). A value
  // that could not be bound is an error of the next step: nothing is run without it.
  [[nodiscard]] Result<bool> step();
  // Runs it to its end.
  [[nodiscard]] Result<void> run();
  void done();  // resets it

  [[nodiscard]] std::int64_t integer(int column) const;  // columns count from 0
  [[nodiscard]] std::string_view blob(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}

  Statement& note(int code);

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int not_bound_ = 0;  // the first error of bind()
};

class Database {
 public:
  // A file, made if it is not there. `vfs`: a file system that was registered with SQLite; "": the
  // usual one. Errors: io, with the path.
  [[nodiscard]] static Result<Database> open(const std::string& path, const std::string& vfs);

  // Statements without a result. Errors: io; invalid (the file is no database, or damaged).
  [[nodiscard]] Result<void> execute(const std::string& sql);
  [[nodiscard]] Result<Statement> prepare(std::string_view sql);
  // The one value of the one row of a query; nullopt: there is no row. Errors: as execute().
  [[nodiscard]] Result<std::optional<std::int64_t>> number(std::string_view sql);
  [[nodiscard]] Result<std::optional<std::string>> text(std::string_view sql);
  // Moves what the write-ahead log has into the file. Errors: io.
  [[nodiscard]] Result<void> checkpoint();

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace copse::journal
