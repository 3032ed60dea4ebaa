// SPDX-License-Identifier: Apache-2.0
//
// copse serve --check: whether the service could keep its state and listen, where it is to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "copse/error.hpp"

namespace copse {

using ServeLog = std::function<void(const std::string& line)>;

// The folder of a state can be written in, or be made. That others can look into it is a warning.
// Errors: invalid (no folder); io.
[[nodiscard]] Result<void> check_state_folder(const std::string& folder, const ServeLog& log);
// The log of changes is no file of the state. Errors: invalid.
[[nodiscard]] Result<void> check_audit_name(const std::string& audit, const std::string& state);
// Lines can be written to the log of changes. Errors: io.
[[nodiscard]] Result<void> check_audit(const std::string& path);
// A service could listen at this socket and these ports. Errors: those of listening there.
[[nodiscard]] Result<void> check_listening(const std::string& socket,
                                           const std::vector<std::string>& ports);

}  // namespace copse
