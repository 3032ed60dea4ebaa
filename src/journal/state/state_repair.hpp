// SPDX-License-Identifier: Apache-2.0
//
// Repairs a damaged state: keeps its latest intact snapshot and all records up to the first damage,
// and deletes the rest. Nothing else deletes committed changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "journal/store.hpp"

namespace copse::journal {

struct RepairedState {
  Sequence snapshot = 0;  // that was kept
  Sequence next = 0;      // the number after the last kept record
  std::optional<Sequence>
      committed{};  // the number after the last one that was committed, if known
  std::vector<Error> damage{};
};

// The state gets a new incarnation. REQUIRES that the caller holds its FolderLock. Errors: invalid
// (there is no intact snapshot, or SQLite can't read the file); unsupported; io.
[[nodiscard]] Result<RepairedState> repair_state(const std::string& folder);

}  // namespace copse::journal
