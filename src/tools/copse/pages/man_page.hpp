// SPDX-License-Identifier: Apache-2.0
//
// Man pages (mdoc) from the option table of a program and a page of prose with places for it.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "tools/options/option_table.hpp"

namespace copse::pages {

// A line of `prose` that is one of these words is replaced:
//   @DATE@      (anywhere in a line) `date`
//   @SYNOPSIS@  the usage of each command
//   @COMMANDS@  a section for each command: its meaning, details, options and examples
//   @OPTIONS@   the options of a program without commands; else those that many commands share
//   @EXAMPLES@  the examples of the program
//   @WORDS --match-policy@  the values of an option of the program, with their meanings
// Errors: invalid (another word between @, an unknown option).
[[nodiscard]] Result<std::string> man_page(const OptionTable& table, std::string_view prose,
                                           std::string_view date);

}  // namespace copse::pages
