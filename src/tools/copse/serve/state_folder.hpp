// SPDX-License-Identifier: Apache-2.0
//
// Where the state and the socket of `copse serve` are, if nothing else is said: where the XDG Base
// Directory Specification puts them.
#pragma once

#include <string>

#include "copse/error.hpp"

namespace copse {

// $XDG_STATE_HOME/copse, or $HOME/.local/state/copse. Errors: not_found (neither is set).
[[nodiscard]] Result<std::string> default_state_folder();
// $XDG_RUNTIME_DIR/copse/copse.sock; without it, copse.sock in the folder of the state.
[[nodiscard]] std::string default_socket(const std::string& state_folder);
// Makes the folder, and those above it, for its owner only. Errors: io.
[[nodiscard]] Result<void> make_private_folder(const std::string& path);

}  // namespace copse
