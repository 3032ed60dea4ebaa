// SPDX-License-Identifier: Apache-2.0
//
// The text that a session stores in a save, next to the engine: the form of R, and TreePool's
// scheduling key.
#pragma once

#include <string>
#include <string_view>

#include "session/session.hpp"

namespace copse {

[[nodiscard]] std::string host_text(const SessionOptions& options);
// Applies it to the options; "" (a save of another host) changes nothing. Errors: invalid.
[[nodiscard]] Result<void> read_host_text(std::string_view text, SessionOptions& options);

}  // namespace copse
