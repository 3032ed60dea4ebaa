// SPDX-License-Identifier: Apache-2.0
//
// Completions for bash from the option table of a program: commands, options, the words that their
// values can be, and files. They need nothing but bash.
#pragma once

#include <string>

#include "tools/options/option_table.hpp"

namespace copse::pages {

[[nodiscard]] std::string bash_completion(const OptionTable& table);

}  // namespace copse::pages
