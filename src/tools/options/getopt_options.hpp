// SPDX-License-Identifier: Apache-2.0
//
// The options of a program that parses its line with getopt_long, as a constexpr table from which its
// usage, its man page and its completion are made too.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

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

// Calls take(letter, value) for each option of a line, with '?' for one that is unknown; ::optind is then
// the number of the first argument. False as soon as `take` returns false. One thread only: getopt_long
// has global state.
[[nodiscard]] bool read_options(int argc, char* const* argv, std::span<const GetoptOption> options,
                                const std::function<bool(int letter, const char* value)>& take);
// A row of a usage: "  -L, --load-file=FILE   the machine". The meaning begins at column `left`.
[[nodiscard]] std::string usage_row(const GetoptOption& option, std::string_view about,
                                    std::size_t left, std::size_t right);
[[nodiscard]] OptionRow option_row(const GetoptOption& option);

}  // namespace copse
