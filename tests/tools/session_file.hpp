// SPDX-License-Identifier: Apache-2.0
//
// Session files: the input of a program, and its expected output. tests/data/sessions/README.md
// describes them for authors.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"

namespace copse {

struct SessionFile {
  std::string about;  // the text before the first section
  std::string program = "resource-query";
  std::vector<std::string> args;
  std::vector<std::vector<std::string>> each;  // further arguments: one run for each; never empty
  std::map<std::string, std::string> files;    // written before the run
  std::string input;
  std::vector<std::string> output, errors;               // patterns
  std::map<std::string, std::vector<std::string>> made;  // files after the run: patterns
  int status = 0;
};

// Errors: invalid, with the line.
[[nodiscard]] Result<SessionFile> parse_session(std::string_view text, const std::string& file);

// Whether the text matches the patterns: "*" stands for any characters of a line, "..." alone
// for any number of lines. Every line ends in a newline.
[[nodiscard]] bool matches(const std::vector<std::string>& patterns, std::string_view text);

// The first line of the text, counted from 1, up to which no reading of the patterns holds.
[[nodiscard]] std::size_t first_difference(const std::vector<std::string>& patterns,
                                           std::string_view text);

}  // namespace copse
