// SPDX-License-Identifier: Apache-2.0
//
// Parses a command line and runs its command. parse_line.cpp alone includes CLI11, which takes five
// seconds to compile.
#pragma once

#include "tools/copse/command_line/command_parts.hpp"

namespace copse {

// Bad usage is one line on standard error. Returns the exit status. Throws std::bad_alloc only.
[[nodiscard]] int run_command_line(int argc, const char* const* argv, const ProgramParts& program);

}  // namespace copse
