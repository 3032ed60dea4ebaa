// SPDX-License-Identifier: Apache-2.0
//
// SqliteStore: a Store in one SQLite file, DIR/state.db, and its write-ahead log.
//
//   meta      key, value     'format': 2; 'head': state_head.hpp
//   journal   first, n, records, previous, chain: one row a commit (record_batch.hpp,
//             commit_chain.hpp)
//   snapshot  next, part, bytes, parts, sum: a state in parts (snapshot_table.hpp)
//
// The log is synced at each commit (synchronous=EXTRA). There is exactly one connection, which
// locks the file: two could damage it in SQLite 3.7.0 to 3.51.2. The last two states are kept, with
// all records since the older one, so that a damaged state loses nothing.
//
// load() detects damage in four ways: SQLite's quick check of its pages; sums of snapshots and
// records; the chain of commits; and the end of the chain, which is also in DIR/committed
// (commit_mark.hpp). open() looks at the log before SQLite does (log_check.hpp). Damage that loses
// nothing is reported, any other is refused.
//
// A state of format 1 has no head, chain, sums or mark. The first write makes it format 2.
//
// Cost: a commit is one write and one sync of the log, and one write that is not synced;
// docs/performance.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "journal/database.hpp"
#include "journal/state/commit_mark.hpp"
#include "journal/state/commit_reader.hpp"
#include "journal/state/state_head.hpp"
#include "journal/state/state_tables.hpp"
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
  // Errors: io; invalid (not a database, damaged, state.db is lost); unsupported (a later version).
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::string& folder,
                                                                 SqliteOptions options = {});

  // REQUIRES load() before the first write, unless the store is new.
  [[nodiscard]] Result<void> append(Sequence first, std::span<const std::string> records) override;
  [[nodiscard]] Result<void> snapshot(Sequence next, std::string_view state) override;
  [[nodiscard]] Result<void> replace(Sequence next, std::string_view state) override;
  [[nodiscard]] Result<void> maintain() override;
  [[nodiscard]] Result<Sequence> load(const Recovery& host) override;
  [[nodiscard]] Result<void> close() override;
  [[nodiscard]] std::string incarnation() const override { return head_.incarnation; }

  // After load(): whether the state is a copy of the one that was last written here.
  [[nodiscard]] bool is_copy() const { return copy_; }
  // The numbers of all stored states; and SQLite's integrity errors, empty if there are none.
  [[nodiscard]] Result<std::vector<Sequence>> snapshots();
  [[nodiscard]] Result<std::vector<std::string>> faults();
  // Returns unused space to the file system, and closes the store. Cost: the whole file is
  // rewritten.
  [[nodiscard]] Result<void> compact();

 private:
  SqliteStore(Database database, std::string folder, SqliteOptions options)
      : database_(std::move(database)), folder_(std::move(folder)), options_(std::move(options)) {}
  [[nodiscard]] std::string mark_path() const { return folder_ + "/committed"; }
  [[nodiscard]] FileIdentity identity() const;
  [[nodiscard]] Mark mark_in_use() const;
  [[nodiscard]] Result<void> open_tables();
  [[nodiscard]] Result<void> begin_use();
  [[nodiscard]] Result<void> upgrade();
  [[nodiscard]] Result<void> delete_damaged();
  [[nodiscard]] Result<void> write_snapshot(Sequence next, std::string_view state, bool only);
  [[nodiscard]] Result<void> checkpoint();
  void close_database();
  [[nodiscard]] Result<Sequence> load_state(const Recovery& host);
  [[nodiscard]] Result<CommitReader> commits(CommitReader::OnDamage on_damage);
  // Returns the end of the chain. `from`: the number after the loaded state.
  [[nodiscard]] Result<ChainEnd> load_records(Sequence from, const Recovery& host);
  [[nodiscard]] Result<ChainEnd> end_of(const CommitReader& reader, Sequence from,
                                        const Recovery& host) const;
  [[nodiscard]] Result<void> check_end(const ChainEnd& end) const;
  void find_copy();

  std::optional<Database> database_;
  std::optional<Statement> insert_{};
  std::string folder_;
  SqliteOptions options_;
  std::int64_t format_ = kStateFormat;
  StateHead head_{};
  std::optional<Mark> read_mark_{};
  std::optional<CommitMark> mark_{};
  bool copy_ = false, writing_ = false;
  std::uint64_t file_id_ = 0;  // of the database, while it is written
  ChainEnd end_{};
  std::vector<Sequence> intact_{}, damaged_{};  // snapshots, as load() found them
  std::uint64_t log_bytes_ = 0;                 // bytes in the log, approximately
};

}  // namespace copse::journal
