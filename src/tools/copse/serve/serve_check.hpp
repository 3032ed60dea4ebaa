// SPDX-License-Identifier: Apache-2.0
//
// copse serve --check: whether the service could write its state, and listen at its addresses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "copse/error.hpp"

namespace copse {

using ServeLog = std::function<void(const std::string& line)>;

// The folder of a state is writable, or can be created. A warning is logged if others can read it.
// Errors: invalid (no folder); io.
[[nodiscard]] Result<void> check_state_folder(const std::string& folder, const ServeLog& log);
// The audit log is not a file of the state. Errors: invalid.
[[nodiscard]] Result<void> check_audit_name(const std::string& audit, const std::string& state);
// The audit log can be written. Errors: io.
[[nodiscard]] Result<void> check_audit(const std::string& path);
// A service could listen at this socket and these ports. Errors: those of listening.
[[nodiscard]] Result<void> check_listening(const std::string& socket,
                                           const std::vector<std::string>& ports);

}  // namespace copse
