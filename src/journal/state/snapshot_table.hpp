// SPDX-License-Identifier: Apache-2.0
//
// The table of snapshots: each is a state in parts of at most kSnapshotPartBytes, and each part has
// a sum. Parts of earlier versions have none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "journal/database.hpp"
#include "journal/store.hpp"

namespace copse::journal {

inline constexpr std::size_t kSnapshotPartBytes = std::size_t{1} << 20;

// The numbers of all snapshots, the latest first. Errors: as Statement::step.
[[nodiscard]] Result<std::vector<Sequence>> snapshot_numbers(Database& database);
// The bytes of a snapshot. `summed_from`: snapshots with a larger number must have sums. Errors:
// invalid (damaged); as Statement::step.
[[nodiscard]] Result<std::string> read_snapshot(Database& database, Sequence next,
                                                Sequence summed_from);
[[nodiscard]] Result<void> insert_snapshot(Database& database, Sequence next,
                                           std::string_view state);
// Deletes all snapshots before the one that precedes `next`, and records that only they need.
[[nodiscard]] Result<void> delete_before_snapshot(Database& database, Sequence next);

}  // namespace copse::journal
