// SPDX-License-Identifier: Apache-2.0
//
// copse-pages, a program of the build that is not installed: writes the man pages and completions of
// all programs, and the tables of options in docs/.
//
//   copse-pages SOURCE OUTPUT DATE   writes OUTPUT/man/PROGRAM.1 and OUTPUT/completions/PROGRAM
//   copse-pages --docs SOURCE        updates the tables in SOURCE/docs
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "copse/error.hpp"
#include "tools/options/option_table.hpp"

namespace copse::pages {

// All programs: copse and those that replace Fluxion's.
[[nodiscard]] std::vector<OptionTable> all_programs();

// The corrected texts of the pages of docs/ with an outdated table of options. Errors: io; those of
// with_option_lists.
[[nodiscard]] Result<std::map<std::filesystem::path, std::string>> stale_pages(
    const std::filesystem::path& source);

// Returns the exit status.
int copse_pages(int argc, const char* const* argv);

}  // namespace copse::pages
