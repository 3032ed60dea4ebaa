// SPDX-License-Identifier: Apache-2.0
//
// Checks a write-ahead log of SQLite before SQLite opens it: SQLite takes the first damaged frame
// for the end of the log, and would drop all later commits silently.
//
// A torn end is the rest of one transaction, whose commit did not complete. If frames of the same
// log follow the first damaged frame, and go on after a commit frame, then a later transaction was
// written. So the damaged one had been synced: that is damage.
//
// The format: https://www.sqlite.org/fileformat2.html, section 4. REQUIRES that no transaction of
// this log was rolled back, as a store never does.
#pragma once

#include <cstdint>

#include "copse/error.hpp"
#include "journal/state/vfs_file.hpp"

namespace copse::journal {

struct LogCheck {
  std::uint64_t frames = 0;  // that fit into the file
  std::uint64_t valid = 0;   // before the first damaged or older one
  bool header_valid = false;
  bool damaged = false;  // a commit is damaged, and a later one follows
};

// Cost: reads the file once. Errors: io.
[[nodiscard]] Result<LogCheck> check_log(const VfsFile& file);

}  // namespace copse::journal
