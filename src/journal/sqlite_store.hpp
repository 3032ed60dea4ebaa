// SPDX-License-Identifier: Apache-2.0
//
// SqliteStore: a Store in one SQLite file, DIR/state.db, and its write-ahead log.
//
//   meta      key, value     'format': 1
//   journal   first, n, records: one row a commit (record_batch.hpp)
//   snapshot  next, part, bytes: a state in parts of kPartBytes
//
// The log is synced at each commit (synchronous=EXTRA). There is exactly one connection, which locks
// the file: two could damage it in SQLite 3.7.0 to 3.51.2. The last two states are kept, and the
// records since the older one, so that a damaged state does not lose anything.
//
// Cost: a commit is one write of the log and one sync of it; docs/performance.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "journal/database.hpp"
#include "journal/store.hpp"

namespace copse::journal {

struct SqliteOptions {
  std::string vfs{};                        // as Database::open
  std::uint64_t log_bytes_max = 64u << 20;  // beyond it a commit moves the log into the file
  std::uint64_t log_bytes_tidy = 4u << 20;  // beyond it tidy() does
};

class SqliteStore final : public Store {
 public:
  // The store in a folder that exists; made if it is not there, readable by its owner only.
  // Errors: io; invalid (no database, damaged); unsupported (of a later version).
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::string& folder,
                                                                 SqliteOptions options = {});

  [[nodiscard]] Result<void> append(Sequence first, std::span<const std::string> records) override;
  [[nodiscard]] Result<void> snapshot(Sequence next, std::string_view state) override;
  [[nodiscard]] Result<void> tidy() override;
  [[nodiscard]] Result<Sequence> load(const Recovery& host) override;
  // All states that are kept, and whether the file is whole, in SQLite's words; empty: it is.
  [[nodiscard]] Result<std::vector<Sequence>> snapshots();
  [[nodiscard]] Result<std::vector<std::string>> faults();
  // Gives back space that nothing uses. Cost: the whole file is written anew.
  [[nodiscard]] Result<void> compact();

 private:
  static constexpr std::size_t kPartBytes = std::size_t{1} << 20;

  SqliteStore(Database database, Statement insert, SqliteOptions options)
      : database_(std::move(database)), insert_(std::move(insert)), options_(std::move(options)) {}
  [[nodiscard]] Result<void> checkpoint();
  [[nodiscard]] Result<void> insert_snapshot(Sequence next, std::string_view state);
  [[nodiscard]] Result<void> forget_before(Sequence next);
  [[nodiscard]] Result<std::string> snapshot_bytes(Sequence next);
  void tell_earlier(Sequence from, const Recovery& host);
  // The number after the last record. `from`: the number after the state that was loaded.
  [[nodiscard]] Result<Sequence> load_records(Sequence from, const Recovery& host);

  Database database_;
  Statement insert_;
  SqliteOptions options_;
  std::uint64_t log_bytes_ = 0;  // about as much is in the log
};

}  // namespace copse::journal
