// SPDX-License-Identifier: Apache-2.0
//
// Cases for tests of all options of all commands: lines that work, a folder with the files that they
// name, and the properties of a refusal.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tools/copse/command_line/command_line.hpp"
#include "tools/program.hpp"

namespace copse {

// For messages of tests.
void PrintTo(const CommandRow& row, std::ostream* out);

// Of all commands.
[[nodiscard]] const OptionTable& copse_options();
// Those that are no groups of others.
[[nodiscard]] std::vector<CommandRow> commands_that_run();

// A command line that works: values by name of the option or argument.
using GoodLine = std::map<std::string, std::string>;
inline constexpr const char* kFlagGiven = "(given)";  // as a value: there is none

// Of each command, with all files that it can write. A new command needs one here.
[[nodiscard]] const std::map<std::string, GoodLine>& good_lines();
// Such a line with the options that this one needs, and without those that it excludes.
[[nodiscard]] GoodLine line_for(const OptionRow& row);
// A value that the option takes, with which it may be added to a line.
[[nodiscard]] std::string good_value(const OptionRow& row);
// The words of a line.
[[nodiscard]] std::vector<std::string> words_of(const std::string& command, const GoodLine& line);
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

// Where the lines work.
class CommandFolder {
 public:
  CommandFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return scratch_.path(); }
  // Files that were made or changed since the folder was made; it has them as before then.
  [[nodiscard]] std::vector<std::string> take_changes() const;

 private:
  // Names and texts of all files, without those behind links.
  [[nodiscard]] std::map<std::string, std::string> files() const;

  Scratch scratch_;
  std::map<std::string, std::string> before_;
};

struct WrongValue {
  std::string what, value;
};

// One line on standard error, exit status 2, nothing on standard output, no file made or changed; or,
// for the few values that are documented as right or judged, their exit status.
void expect_refused(const CommandFolder& folder, const OptionRow& row,
                    const std::vector<std::string>& words, const WrongValue& wrong);

// The tests of one command.
class CommandTest : public testing::TestWithParam<CommandRow> {
 protected:
  [[nodiscard]] static std::vector<OptionRow> options();
};

// "copse_r_encode".
[[nodiscard]] std::string name_of_test(const testing::TestParamInfo<CommandRow>& command);

}  // namespace copse
