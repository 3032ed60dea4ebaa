// SPDX-License-Identifier: Apache-2.0
//
// SqliteStore: a Store in one SQLite file, DIR/state.db, and its write-ahead log.
//
//   meta      key, value     'format': 1
//   journal   first, n, records: one row a commit (record_batch.hpp)
//   snapshot  next, part, bytes: a state in parts of kPartBytes
//
// The log is synced at each commit (synchronous=EXTRA). There is exactly one connection, which
// locks the file: two could damage it in SQLite 3.7.0 to 3.51.2. The last two states are kept, with
// all records since the older one, so that a damaged state loses nothing.
//
// Cost: a commit is one write and one sync of the log; docs/performance.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "journal/database.hpp"
#include "journal/store.hpp"

namespace copse::journal {

struct SqliteOptions {
  std::string vfs{};                            // as Database::open
  std::uint64_t log_bytes_max = 64u << 20;      // above it, a commit moves the log into the file
  std::uint64_t log_bytes_idle_max = 4u << 20;  // above it, maintain() does
};

class SqliteStore final : public Store {
 public:
  // Opens the store in an existing folder; creates it if missing, readable by its owner only.
  // Errors: io; invalid (not a database, damaged); unsupported (a later version).
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::string& folder,
                                                                 SqliteOptions options = {});

  [[nodiscard]] Result<void> append(Sequence first, std::span<const std::string> records) override;
  [[nodiscard]] Result<void> snapshot(Sequence next, std::string_view state) override;
  [[nodiscard]] Result<void> maintain() override;
  [[nodiscard]] Result<Sequence> load(const Recovery& host) override;
  // The numbers of all stored states; and SQLite's integrity errors, empty if there are none.
  [[nodiscard]] Result<std::vector<Sequence>> snapshots();
  [[nodiscard]] Result<std::vector<std::string>> faults();
  // Returns unused space to the file system. Cost: the whole file is rewritten.
  [[nodiscard]] Result<void> compact();

 private:
  static constexpr std::size_t kPartBytes = std::size_t{1} << 20;

  SqliteStore(Database database, Statement insert, SqliteOptions options)
      : database_(std::move(database)), insert_(std::move(insert)), options_(std::move(options)) {}
  [[nodiscard]] Result<void> checkpoint();
  [[nodiscard]] Result<void> insert_snapshot(Sequence next, std::string_view state);
  [[nodiscard]] Result<void> delete_before(Sequence next);
  [[nodiscard]] Result<std::string> snapshot_bytes(Sequence next);
  void report_earlier(Sequence from, const Recovery& host);
  // Returns the number after the last record. `from`: the number after the loaded state.
  [[nodiscard]] Result<Sequence> load_records(Sequence from, const Recovery& host);

  Database database_;
  Statement insert_;
  SqliteOptions options_;
  std::uint64_t log_bytes_ = 0;  // bytes in the log, approximately
};

}  // namespace copse::journal
