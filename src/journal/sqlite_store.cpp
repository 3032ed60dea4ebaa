// SPDX-License-Identifier: Apache-2.0
#include "journal/sqlite_store.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include <fmt/format.h>

#include "journal/record_batch.hpp"
#include "journal/state/log_check.hpp"
#include "journal/state/snapshot_table.hpp"
#include "journal/state/state_remains.hpp"

namespace copse::journal {

namespace {

std::unexpected<Error> propagate(const Error& error) { return std::unexpected(error); }

std::unexpected<Error> damaged(std::string text) {
  return fail(ErrorCode::invalid, std::move(text));
}

// Without a mark, a damaged header is the only sign of lost frames.
Result<void> check_log_of(const std::string& path, const std::string& vfs, bool has_mark) {
  const auto there = VfsFile::exists(path, vfs);
  if (!there) return propagate(there.error());
  if (!*there) return {};
  const auto file = VfsFile::open(path, vfs, VfsFile::Access::read);
  if (!file) return propagate(file.error());
  const auto log = check_log(*file);
  if (!log) return propagate(log.error());
  if (!log->header_valid && log->frames > 0 && !has_mark) {
    return damaged(fmt::format("the header of {} is damaged", path));
  }
  if (!log->damaged) return {};
  return damaged(fmt::format("{} is damaged in frame {} of {}: later commits follow", path,
                             log->valid + 1, log->frames));
}

void report(const Recovery& host, const Error& damage) {
  if (host.damage) host.damage(damage);
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& folder,
                                                       SqliteOptions options) {
  const std::string path = folder + "/state.db";
  const auto old = options.vfs.empty() ? has_state(folder) : VfsFile::exists(path, options.vfs);
  if (!old) return propagate(old.error());
  auto mark = CommitMark::read(folder + "/committed", options.vfs);
  if (!mark) return propagate(mark.error());
  if (*old) {
    auto log = check_log_of(path + "-wal", options.vfs, mark->has_value());
    if (!log) return propagate(log.error());
  }
  if (options.vfs.empty()) {
    if (auto ok = make_private(path); !ok) return propagate(ok.error());
  }
  auto database = Database::open(path, options.vfs);
  if (!database) return propagate(database.error());
  if (auto ok = set_up(*database); !ok) return propagate(ok.error());
  std::unique_ptr<SqliteStore> out(
      new SqliteStore(std::move(*database), folder, std::move(options)));
  out->read_mark_ = *mark;
  if (auto ok = out->open_tables(); !ok) return propagate(ok.error());
  return out;
}

Result<void> SqliteStore::open_tables() {
  const auto format = read_format(*database_);
  if (!format) return propagate(format.error());
  head_.incarnation = new_incarnation();
  if (!*format) {
    // The mark is written after the tables.
    if (read_mark_) return damaged("state.db has no tables, but changes were committed");
    if (auto ok = database_->execute("BEGIN IMMEDIATE"); !ok) return ok;
    if (auto ok = create_tables(*database_); !ok) return ok;
    if (auto ok = write_head(*database_, head_); !ok) return ok;
    if (auto ok = database_->execute("COMMIT"); !ok) return ok;
    return database_->checkpoint();
  }
  format_ = **format;
  if (format_ == 1) {
    head_.chained_from = std::numeric_limits<Sequence>::max();
    return {};
  }
  auto head = read_stored_head(*database_);
  if (!head) return propagate(head.error());
  head_ = std::move(*head);
  return {};
}

FileIdentity SqliteStore::identity() const {
  return options_.vfs.empty() ? identity_of(folder_ + "/state.db") : FileIdentity{};
}

// --- Writing

// The mark comes first: a state in use has one.
Result<void> SqliteStore::begin_use() {
  if (writing_) return {};
  if (options_.vfs.empty()) {
    if (auto ok = make_private(mark_path()); !ok) return ok;
  }
  auto mark = CommitMark::open(mark_path(), options_.vfs);
  if (!mark) return propagate(mark.error());
  mark_ = std::move(*mark);
  file_id_ = identity().id;
  if (auto ok = mark_->write_synced(mark_in_use()); !ok) return ok;
  if (auto ok = database_->execute("BEGIN IMMEDIATE"); !ok) return ok;
  if (auto ok = upgrade(); !ok) return ok;
  if (auto ok = delete_damaged(); !ok) return ok;
  head_.in_use = true;
  head_.end = end_;
  if (auto ok = write_head(*database_, head_); !ok) return ok;
  if (auto ok = database_->execute("COMMIT"); !ok) return ok;
  auto insert = database_->prepare("INSERT INTO journal VALUES(?1, ?2, ?3, ?4, ?5)");
  if (!insert) return propagate(insert.error());
  insert_ = std::move(*insert);
  writing_ = true;
  return checkpoint();
}

Result<void> SqliteStore::upgrade() {
  if (format_ == kStateFormat) return {};
  format_ = kStateFormat;
  head_.chained_from = end_.next;
  if (!intact_.empty()) head_.snapshot = intact_.front();
  return add_columns_of_format_2(*database_);
}

Result<void> SqliteStore::delete_damaged() {
  if (damaged_.empty()) return {};
  auto erase = database_->prepare("DELETE FROM snapshot WHERE next = ?1");
  if (!erase) return propagate(erase.error());
  for (const Sequence next : std::exchange(damaged_, {})) {
    if (auto ok = erase->bind(1, as_integer(next)).run(); !ok) return ok;
  }
  head_.snapshot = intact_.front();
  return {};
}

// While the file is written, its time says nothing.
Mark SqliteStore::mark_in_use() const { return {end_, {file_id_, 0}}; }

Result<void> SqliteStore::append(Sequence first, std::span<const std::string> records) {
  if (auto ok = begin_use(); !ok) return ok;
  assert(first == end_.next);
  const std::string batch = batch_of(first, records);
  const ChainEnd end = chained(end_, records.size(), batch);
  insert_->bind(1, as_integer(first)).bind(2, as_integer(records.size())).bind_blob(3, batch);
  insert_->bind(4, as_integer(end_.value)).bind(5, as_integer(end.value));
  if (auto ok = insert_->run(); !ok) return ok;
  end_ = end;
  if (auto ok = mark_->write(mark_in_use()); !ok) return ok;
  log_bytes_ += batch.size() + 4096;
  return log_bytes_ > options_.log_bytes_max ? checkpoint() : Result<void>();
}

Result<void> SqliteStore::checkpoint() {
  log_bytes_ = 0;
  if (auto ok = database_->checkpoint(); !ok) return ok;
  return mark_ ? mark_->write_synced(mark_in_use()) : Result<void>();
}

Result<void> SqliteStore::maintain() {
  return log_bytes_ > options_.log_bytes_idle_max ? checkpoint() : Result<void>();
}

Result<void> SqliteStore::snapshot(Sequence next, std::string_view state) {
  return write_snapshot(next, state, false);
}

Result<void> SqliteStore::replace(Sequence next, std::string_view state) {
  assert(next == end_.next);
  head_.incarnation = new_incarnation();
  return write_snapshot(next, state, true);
}

Result<void> SqliteStore::write_snapshot(Sequence next, std::string_view state, bool only) {
  if (auto ok = begin_use(); !ok) return ok;
  if (auto ok = database_->execute("BEGIN IMMEDIATE"); !ok) return ok;
  if (only) {
    if (auto ok = database_->execute("DELETE FROM snapshot; DELETE FROM journal"); !ok) return ok;
  }
  if (auto ok = insert_snapshot(*database_, next, state); !ok) return ok;
  if (auto ok = delete_before_snapshot(*database_, next); !ok) return ok;
  head_.snapshot = next;
  head_.end = end_;
  if (auto ok = write_head(*database_, head_); !ok) return ok;
  if (auto ok = database_->execute("COMMIT"); !ok) return ok;
  return checkpoint();
}

Result<void> SqliteStore::close() {
  if (!writing_) return {};
  head_.in_use = false;
  head_.end = end_;
  if (auto ok = write_head(*database_, head_); !ok) return ok;
  if (auto ok = database_->checkpoint(); !ok) return ok;
  close_database();
  return mark_->write_synced({end_, identity()});
}

// Deletes the log, which has nothing more.
void SqliteStore::close_database() {
  insert_.reset();
  database_->checkpoint_at_close(true);
  database_.reset();
}

// --- Reading

Result<std::vector<Sequence>> SqliteStore::snapshots() { return snapshot_numbers(*database_); }

Result<Sequence> SqliteStore::load(const Recovery& host) {
  const auto pages = database_->text("PRAGMA quick_check(1)");
  if (!pages) return propagate(pages.error());
  if (mark_) read_mark_ = mark_in_use();
  if (*pages != "ok") return damaged("state.db is damaged: " + pages->value_or("no answer"));
  const auto from = load_state(host);
  if (!from) return from;
  const auto end = load_records(*from, host);
  if (!end) return propagate(end.error());
  if (auto ok = check_end(*end); !ok) return propagate(ok.error());
  end_ = *end;
  find_copy();
  return end_.next;
}

Result<Sequence> SqliteStore::load_state(const Recovery& host) {
  const auto numbers = snapshots();
  if (!numbers) return propagate(numbers.error());
  std::optional<Error> first_error;
  intact_.clear();
  damaged_.clear();
  for (const Sequence next : *numbers) {
    const auto bytes = read_snapshot(*database_, next, head_.chained_from);
    Result<void> tried = bytes ? Result<void>() : propagate(bytes.error());
    if (tried && intact_.empty()) tried = host.state(next, *bytes);
    if (tried) {
      intact_.push_back(next);
      continue;
    }
    damaged_.push_back(next);
    report(host, tried.error());
    if (!first_error) first_error = tried.error();
  }
  if (intact_.empty() && first_error) return propagate(*first_error);
  const bool missing = head_.snapshot && (numbers->empty() || numbers->front() != *head_.snapshot);
  if (missing) {
    const Error lost{ErrorCode::invalid,
                     fmt::format("the snapshot of change {} is missing", *head_.snapshot),
                     {}};
    if (intact_.empty()) return propagate(lost);
    report(host, lost);
  }
  return intact_.empty() ? 0 : intact_.front();
}

Result<CommitReader> SqliteStore::commits(CommitReader::OnDamage on_damage) {
  auto rows = CommitReader::prepare(*database_);
  if (!rows) return propagate(rows.error());
  const Sequence oldest = intact_.empty() ? 0 : intact_.back();
  return CommitReader(std::move(*rows), oldest, head_.chained_from, std::move(on_damage));
}

Result<ChainEnd> SqliteStore::load_records(Sequence from, const Recovery& host) {
  auto reader = commits([&](Sequence next, const Error& damage) -> Result<void> {
    if (next > from) return propagate(damage);
    report(host, damage);
    return {};
  });
  if (!reader) return propagate(reader.error());
  const auto take = [&](Sequence number, std::string_view record) -> Result<void> {
    if (number >= from) return host.record(number, record);
    if (host.earlier) host.earlier(number, record);
    return {};
  };
  for (;;) {
    const auto commit = reader->next();
    if (!commit) return propagate(commit.error());
    if (!*commit) break;
    const std::optional<ChainEnd>& end = (*commit)->end;
    if (read_mark_ && end && end->next == read_mark_->end.next && *end != read_mark_->end) {
      return damaged(fmt::format("change {} is not the one that was committed", end->next - 1));
    }
    const auto got = read_batch((*commit)->first, (*commit)->batch, take);
    if (!got) return propagate(got.error());
  }
  return end_of(*reader, from, host);
}

// Without a commit that has the end, others know it.
Result<ChainEnd> SqliteStore::end_of(const CommitReader& reader, Sequence from,
                                     const Recovery& host) const {
  if (reader.expected() < from) {
    report(host, {ErrorCode::invalid,
                  fmt::format("changes {} to {} are missing", reader.expected(), from - 1),
                  {}});
  }
  const Sequence next = std::max(reader.expected(), from);
  if (reader.end() && reader.end()->next == next) return *reader.end();
  if (head_.chained_from >= next) return ChainEnd{next, 0};
  if (head_.end.next == next) return head_.end;
  if (read_mark_ && read_mark_->end.next == next) return read_mark_->end;
  return damaged(fmt::format("the commit before change {} is missing", next));
}

Result<void> SqliteStore::check_end(const ChainEnd& end) const {
  const Sequence committed = std::max(read_mark_ ? read_mark_->end.next : 0, head_.end.next);
  if (end.next < committed) {
    return damaged(
        fmt::format("changes {} to {} were committed, and are missing", end.next, committed - 1));
  }
  if (format_ == 1) return {};
  if (head_.in_use && !read_mark_) {
    return damaged(fmt::format("{} is missing or damaged", mark_path()));
  }
  const bool differs = (read_mark_ && end.next == read_mark_->end.next && end != read_mark_->end) ||
                       (!head_.in_use && end != head_.end);
  return differs ? damaged("the last commit of the state is not the one that was written last")
                 : Result<void>();
}

// A new store has no mark. A store that was killed changed its file after the mark.
void SqliteStore::find_copy() {
  if (format_ == 1 || !options_.vfs.empty() || !head_.snapshot) return;
  const FileIdentity now = identity();
  const FileIdentity before = read_mark_ ? read_mark_->database : FileIdentity{};
  copy_ = now.id != before.id || (before.time_ns != 0 && before.time_ns != now.time_ns);
  if (copy_) head_.incarnation = new_incarnation();
}

Result<std::vector<std::string>> SqliteStore::faults() {
  auto check = database_->prepare("PRAGMA integrity_check(20)");
  if (!check) return propagate(check.error());
  std::vector<std::string> out;
  for (;;) {
    const auto row = check->step();
    if (!row) return propagate(row.error());
    if (!*row) return out;
    if (check->blob(0) != "ok") out.emplace_back(check->blob(0));
  }
}

// --- Maintenance

Result<void> SqliteStore::compact() {
  if (auto ok = database_->execute("VACUUM"); !ok) return ok;
  if (auto ok = database_->checkpoint(); !ok) return ok;
  close_database();
  if (!read_mark_ || copy_) return {};
  auto mark = CommitMark::open(mark_path(), options_.vfs);
  if (!mark) return propagate(mark.error());
  const FileIdentity file = head_.in_use ? FileIdentity{identity().id, 0} : identity();
  return mark->write_synced({end_, file});
}

}  // namespace copse::journal
