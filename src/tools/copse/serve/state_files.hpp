// SPDX-License-Identifier: Apache-2.0
//
// Whether the folder of a state, and the files in it, belong to the user that runs the service: tokens
// that another user could put there would make that user an operator.
#pragma once

#include <string>

#include "copse/error.hpp"

namespace copse {

// The folder and the known files in it belong to this user or to root, no other user can write them, and
// no file is a link. What does not exist is not checked. Errors: invalid; io.
[[nodiscard]] Result<void> check_state_files(const std::string& folder);

}  // namespace copse
