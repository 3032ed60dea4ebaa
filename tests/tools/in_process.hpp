// SPDX-License-Identifier: Apache-2.0
//
// Runs `copse` without a process of its own, for tests that run it thousands of times.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/program.hpp"

namespace copse {

// The same as run() with the program `copse` before `words`, an empty standard input, and neither
// time limit nor bound on memory.
[[nodiscard]] Outcome run_copse(const std::vector<std::string>& words,
                                const std::filesystem::path& folder);

}  // namespace copse
