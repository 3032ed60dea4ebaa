// SPDX-License-Identifier: Apache-2.0
//
// The options of a program that parses its line with getopt_long, as a constexpr table from which its
// usage, its man page and its completion are made too.
#pragma once

#include <getopt.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/options/option_table.hpp"

namespace copse {

struct GetoptOption {
  char letter;
  const char* name;
  const char* unit = "";  // "": a flag
  const char* about = "";
  ValueKind kind = ValueKind::none;
  const char* words = "";  // its values, separated by blanks
};

// For getopt_long: one of the program's options for each row, and a row of zeros.
[[nodiscard]] std::vector<::option> long_options(std::span<const GetoptOption> options);
// "hL:f:".
[[nodiscard]] std::string short_options(std::span<const GetoptOption> options);
// A row of a usage: "  -L, --load-file=FILE   the machine". The meaning begins at column `left`.
[[nodiscard]] std::string usage_row(const GetoptOption& option, std::string_view about,
                                    std::size_t left, std::size_t right);
[[nodiscard]] OptionRow option_row(const GetoptOption& option);

}  // namespace copse
