// SPDX-License-Identifier: Apache-2.0
//
// The parts of a program that CommandLine collects for the parser: the rows of its option table, and the
// functions that check and store values.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/copse/command_line/file_arguments.hpp"
#include "tools/options/option_table.hpp"

namespace copse {

using RunCommand = std::function<int()>;  // returns the exit status
// Returns why the value is refused; "": it is not.
using ValueCheck = std::function<std::string(const std::string&)>;

struct OptionParts {
  OptionRow row;
  std::string names;  // "-o,--output"
  std::vector<ValueCheck> checks = {};
  std::function<void(const std::vector<std::string>&)> store = {};  // of checked values
  bool* flag = nullptr;        // of a flag; neither: --help or --version
  bool one_at_a_time = false;  // of a repeated one: the word after its value is not another value
  std::function<void()> when_given = {};
};

struct CommandParts {
  CommandRow row;
  RunCommand run = {};
  std::vector<FileArgument> streams = {};            // that it always reads or writes
  std::vector<std::string>* after_dashes = nullptr;  // where the words after "--" go
  std::pair<std::string, std::string> one_of = {};   // two options; one must be given
  std::string missing = {};                          // the name of the two in an error
};

struct ProgramParts {
  std::string name, version;
  // In the order in which they were added. Both keep their addresses.
  std::deque<CommandParts> commands = {};
  std::deque<OptionParts> options = {};

  [[nodiscard]] OptionTable table() const;
};

}  // namespace copse
