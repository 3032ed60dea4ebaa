// SPDX-License-Identifier: Apache-2.0
#include "journal/state/state_repair.hpp"

#include <algorithm>
#include <limits>

#include "journal/state/commit_reader.hpp"
#include "journal/state/snapshot_table.hpp"
#include "journal/state/state_tables.hpp"

namespace copse::journal {

namespace {

Result<void> run_with(Database& database, std::string_view sql, Sequence number) {
  auto statement = database.prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  return statement->bind(1, as_integer(number)).run();
}

class Repair {
 public:
  explicit Repair(Database& database) : database_(database) {}

  Result<void> run() {
    const auto format = read_format(database_);
    if (!format) return std::unexpected(format.error());
    if (!*format) return fail(ErrorCode::invalid, "state.db has no tables: restore a backup");
    if (auto ok = choose_chain(**format); !ok) return ok;
    if (auto ok = choose_snapshot(); !ok) return ok;
    if (auto ok = choose_records(); !ok) return ok;
    if (auto ok = delete_rest(); !ok) return ok;
    return write_head(database_, {.incarnation = new_incarnation(),
                                  .end = {out_.next, 0},
                                  .chained_from = out_.next,
                                  .snapshot = out_.snapshot});
  }
  [[nodiscard]] RepairedState& out() { return out_; }

 private:
  Result<void> choose_snapshot() {
    const auto numbers = snapshot_numbers(database_);
    if (!numbers) return std::unexpected(numbers.error());
    bool chosen = false;
    for (const Sequence next : *numbers) {
      const auto bytes = read_snapshot(database_, next, chained_from_);
      if (bytes && !chosen) out_.snapshot = next;
      chosen = chosen || bytes.has_value();
      if (bytes) continue;
      damaged_.push_back(next);
      out_.damage.push_back(bytes.error());
    }
    if (chosen) return {};
    return fail(ErrorCode::invalid, "no snapshot of the state is intact: restore a backup");
  }

  // If the head is damaged, the beginning of the chain is unknown, and records are checked alone.
  Result<void> choose_chain(std::int64_t format) {
    if (format == 1) return add_columns_of_format_2(database_);
    const auto head = read_stored_head(database_);
    if (!head) out_.damage.push_back(head.error());
    if (!head) return forget_chain();
    chained_from_ = head->chained_from;
    return {};
  }

  Result<void> forget_chain() {
    return database_.execute("UPDATE journal SET previous = NULL, chain = NULL");
  }

  Result<void> choose_records() {
    auto rows = CommitReader::prepare(database_);
    if (!rows) return std::unexpected(rows.error());
    std::optional<Sequence> first;
    CommitReader reader(std::move(*rows), out_.snapshot, chained_from_,
                        [&](Sequence next, const Error& damage) -> Result<void> {
                          out_.damage.push_back(damage);
                          if (next > out_.snapshot) return std::unexpected(damage);
                          first.reset();
                          return {};
                        });
    for (;;) {
      const auto commit = reader.next();
      if (!commit || !*commit) break;
      first = first.value_or((*commit)->first);
    }
    out_.next = std::max(reader.expected(), out_.snapshot);
    first_ = first.value_or(out_.next);
    return {};
  }

  Result<void> delete_rest() {
    if (auto ok = run_with(database_, "DELETE FROM journal WHERE first >= ?1", out_.next); !ok) {
      return ok;
    }
    if (auto ok = run_with(database_, "DELETE FROM journal WHERE first < ?1", first_); !ok) {
      return ok;
    }
    for (const Sequence next : damaged_) {
      if (auto ok = run_with(database_, "DELETE FROM snapshot WHERE next = ?1", next); !ok) {
        return ok;
      }
    }
    return forget_chain();  // a new one begins after the kept records
  }

  Database& database_;
  RepairedState out_{};
  Sequence chained_from_ = std::numeric_limits<Sequence>::max();
  std::vector<Sequence> damaged_{};
  Sequence first_ = 0;
};

}  // namespace

Result<RepairedState> repair_state(const std::string& folder) {
  const std::string path = folder + "/state.db";
  const auto mark = CommitMark::read(folder + "/committed", "");
  if (!mark) return std::unexpected(mark.error());
  auto opened = Database::open(path, "");
  if (!opened) return std::unexpected(opened.error());
  std::optional<Database> database(std::move(*opened));
  if (auto ok = set_up(*database); !ok) return std::unexpected(ok.error());
  Repair repair(*database);
  auto done = database->execute("BEGIN IMMEDIATE");
  if (done) done = repair.run();
  if (done) done = database->execute("COMMIT");
  if (done) done = database->checkpoint();
  if (!done) return std::unexpected(done.error());
  database->checkpoint_at_close(true);
  database.reset();
  RepairedState out = std::move(repair.out());
  if (*mark) out.committed = (*mark)->end.next;
  if (auto ok = make_private(folder + "/committed"); !ok) return std::unexpected(ok.error());
  auto file = CommitMark::open(folder + "/committed", "");
  if (!file) return std::unexpected(file.error());
  if (auto ok = file->write_synced({{out.next, 0}, identity_of(path)}); !ok) {
    return std::unexpected(ok.error());
  }
  return out;
}

}  // namespace copse::journal
