// SPDX-License-Identifier: Apache-2.0
//
// The error message for a command line that cannot be run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/options/option_table.hpp"

namespace copse {

// The error of the parser.
struct UsageFault {
  enum class Kind : std::uint8_t {
    missing,   // a required option, argument or command
    mismatch,  // the number of values
    excludes,  // two options that exclude each other
    extra,     // words that belong to nothing
    other,     // with a text for users
  };
  Kind kind = Kind::other;
  std::string text = {};     // of the parser: "--strict requires --running"
  std::string command = {};  // the command that the line names, as far as it is known
  std::vector<std::string> before_command = {};  // unknown words before it
  std::vector<std::string> unknown = {};         // all unknown words
};

// One sentence, which ends with where help is: "(see copse match --help)".
[[nodiscard]] std::string wrong_usage(const OptionTable& table, const UsageFault& fault);

}  // namespace copse
