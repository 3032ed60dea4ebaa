// SPDX-License-Identifier: Apache-2.0
#include "journal/state/snapshot_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "journal/state/commit_chain.hpp"

namespace copse::journal {

namespace {

// Whether the row of a part is as it was written.
bool is_intact(const Statement& row, Sequence next, std::uint64_t part, Sequence summed_from) {
  if (row.integer(1) != as_integer(part)) return false;
  if (row.columns() < 5 || row.is_null(4)) return next <= summed_from;
  const auto parts = static_cast<std::uint64_t>(row.integer(3));
  return row.integer(4) == as_integer(snapshot_sum(next, part, parts, row.blob(2)));
}

// How many parts there are, as the row of one says.
std::uint64_t parts_of(const Statement& row, std::uint64_t part) {
  const bool counted = row.columns() > 4 && !row.is_null(4);
  return counted ? static_cast<std::uint64_t>(row.integer(3)) : part + 1;
}

}  // namespace

Result<std::vector<Sequence>> snapshot_numbers(Database& database) {
  auto all = database.prepare("SELECT DISTINCT next FROM snapshot ORDER BY next DESC");
  if (!all) return std::unexpected(all.error());
  std::vector<Sequence> out;
  for (;;) {
    const auto row = all->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return out;
    out.push_back(static_cast<Sequence>(all->integer(0)));
  }
}

Result<std::string> read_snapshot(Database& database, Sequence next, Sequence summed_from) {
  // The table of earlier versions has three columns.
  auto rows = database.prepare("SELECT * FROM snapshot WHERE next = ?1 ORDER BY part");
  if (!rows) return std::unexpected(rows.error());
  rows->bind(1, as_integer(next));
  std::string out;
  std::uint64_t part = 0, parts = 0;
  for (;; ++part) {
    const auto row = rows->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) break;
    const std::uint64_t as_before = parts;
    parts = parts_of(*rows, part);
    const bool summed = rows->columns() > 4 && !rows->is_null(4);
    if (!is_intact(*rows, next, part, summed_from) || (summed && part > 0 && parts != as_before)) {
      return fail(ErrorCode::invalid,
                  fmt::format("the snapshot of change {} is damaged in part {}", next, part));
    }
    out += rows->blob(2);
  }
  if (part == parts && part > 0) return out;
  return fail(
      ErrorCode::invalid,
      fmt::format("the snapshot of change {} lacks parts: it has {} of {}", next, part, parts));
}

Result<void> insert_snapshot(Database& database, Sequence next, std::string_view state) {
  // A state of the same number may have had more parts.
  auto erase = database.prepare("DELETE FROM snapshot WHERE next = ?1");
  if (!erase) return std::unexpected(erase.error());
  if (auto ok = erase->bind(1, as_integer(next)).run(); !ok) return ok;
  auto insert = database.prepare("INSERT INTO snapshot VALUES(?1, ?2, ?3, ?4, ?5)");
  if (!insert) return std::unexpected(insert.error());
  const std::uint64_t parts =
      std::max<std::uint64_t>(1, (state.size() + kSnapshotPartBytes - 1) / kSnapshotPartBytes);
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::string_view bytes = state.substr(0, kSnapshotPartBytes);
    insert->bind(1, as_integer(next)).bind(2, as_integer(part)).bind_blob(3, bytes);
    insert->bind(4, as_integer(parts)).bind(5, as_integer(snapshot_sum(next, part, parts, bytes)));
    if (auto ok = insert->run(); !ok) return ok;
    state.remove_prefix(bytes.size());
  }
  return {};
}

Result<void> delete_before_snapshot(Database& database, Sequence next) {
  auto before = database.prepare("SELECT max(next) FROM snapshot WHERE next < ?1");
  if (!before) return std::unexpected(before.error());
  const auto row = before->bind(1, as_integer(next)).step();
  if (!row) return std::unexpected(row.error());
  if (!*row || before->is_null(0)) return {};
  const std::int64_t kept = before->integer(0);
  before->reset();
  for (const char* sql : {"DELETE FROM snapshot WHERE next < ?1",
                          "DELETE FROM journal WHERE first + n <= ?1 AND first < ?1"}) {
    auto erase = database.prepare(sql);
    if (!erase) return std::unexpected(erase.error());
    if (auto ok = erase->bind(1, kept).run(); !ok) return ok;
  }
  return {};
}

}  // namespace copse::journal
