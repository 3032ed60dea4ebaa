// SPDX-License-Identifier: Apache-2.0
//
// What a session keeps in a save beside the engine: the format of its answers, and the key of
// TreePool that they carry.
#pragma once

#include <string>
#include <string_view>

#include "session/session.hpp"

namespace copse {

[[nodiscard]] std::string host_text(const SessionOptions& options);
// Puts it into the options; of a save that no session made ("") they stay. Errors: invalid.
[[nodiscard]] Result<void> read_host_text(std::string_view text, SessionOptions& options);

}  // namespace copse
