// SPDX-License-Identifier: Apache-2.0
//
// Tells a folder without a state from one whose state.db was lost: only a service that has run
// leaves the other files.
#pragma once

#include <string>

#include "copse/error.hpp"

namespace copse::journal {

// Whether the folder has a state. Errors: invalid: state.db is missing or empty, but other files of
// a state are there; io.
[[nodiscard]] Result<bool> has_state(const std::string& folder);

}  // namespace copse::journal
