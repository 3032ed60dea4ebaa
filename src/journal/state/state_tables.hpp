// SPDX-License-Identifier: Apache-2.0
//
// The database of a state as a file: its settings, its tables, their format, and its head.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "journal/database.hpp"
#include "journal/state/commit_mark.hpp"
#include "journal/state/state_head.hpp"

namespace copse::journal {

inline constexpr std::int64_t kStateFormat = 2;

// Creates a file, if missing, that only its owner can read. SQLite would let others read it.
// Errors: io.
[[nodiscard]] Result<void> make_private(const std::string& path);
// Locks the database for this connection, and sets how it writes. Errors: io; invalid (damaged).
[[nodiscard]] Result<void> set_up(Database& database);
// Creates the tables of the latest format. REQUIRES an empty database in a transaction.
[[nodiscard]] Result<void> create_tables(Database& database);
// Changes the tables of format 1 to those of format 2. REQUIRES a transaction.
[[nodiscard]] Result<void> add_columns_of_format_2(Database& database);
// The format of the tables; nullopt: there are no tables. Errors: unsupported (a later one).
[[nodiscard]] Result<std::optional<std::int64_t>> read_format(Database& database);
// REQUIRES format 2. Errors: invalid (damaged or missing).
[[nodiscard]] Result<StateHead> read_stored_head(Database& database);
[[nodiscard]] Result<void> write_head(Database& database, const StateHead& head);
// {}: there is no such file.
[[nodiscard]] FileIdentity identity_of(const std::string& path);

}  // namespace copse::journal
