// SPDX-License-Identifier: Apache-2.0
//
// The command line of `copse`: its commands, and their options.
//
// CLI11 stands behind this header, in command_line.cpp alone: it takes five seconds to compile.
// Values are written when the line is parsed, so that they must live as long as that.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/copse/file_arguments.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace copse {

using RunCommand = std::function<int()>;  // returns the exit status

// What the value of an option is.
enum class ValueKind : std::uint8_t {
  none,
  text,
  whole_number,
  number,
  time,
  word,
  input_file,
  output_file
};

// An option, or a word without a name. Copies are the same option.
class CommandOption {
 public:
  struct Facts {
    ValueKind kind = ValueKind::none;
    std::string otherwise = {};             // the file if the option is not given; "": none
    const CLI::Option* replaces = nullptr;  // an option whose file it may overwrite
  };
  using AllFacts = std::map<const CLI::Option*, Facts>;

  CommandOption(CLI::Option* option, AllFacts& facts) : option_(option), facts_(&facts) {}

  CommandOption& reads_file();  // its value is a FILE
  // The same. `otherwise` is the file if the option is not given: "-" is standard output.
  CommandOption& writes_file(const std::string& otherwise = {});
  // Its file may be the one that the other reads: it is written when that is read.
  CommandOption& may_replace(CommandOption other);
  CommandOption& required(bool must = true);
  CommandOption& needs(CommandOption other);
  CommandOption& excludes(CommandOption other);
  CommandOption& not_negative();
  CommandOption& between(std::int64_t least, std::int64_t most);
  CommandOption& between(std::uint64_t least, std::uint64_t most);
  CommandOption& one_of(std::vector<std::string> words);
  // Of a text: each word of it, where commas are between them, is one of these.
  CommandOption& list_of(std::vector<std::string> words);
  // One value each time that it is given: what stands behind it is something else.
  CommandOption& one_at_a_time();
  // Of a time: "12:00" is not twelve minutes, and refused; `otherwise` is what may stand there.
  CommandOption& of_a_day(const std::string& otherwise = "seconds");
  CommandOption& unit(const std::string& name);  // what its value is in --help: "GIB", "NAME"
  CommandOption& described(const std::string& text);
  CommandOption& when_given(std::function<void()> then);

 private:
  friend class CommandLine;
  CLI::Option* option_;
  AllFacts* facts_;
};

// An option as the command line has it, for tests of all of them.
struct OptionRow {
  std::string command;             // "r encode"; "" for the program itself
  std::vector<std::string> names;  // "--ranks", "-r": the long one that --help shows first
  std::string unit;                // "FILE"; "" for a flag
  ValueKind kind = ValueKind::none;
  bool positional = false, required = false;
  std::vector<std::string> needs, excludes;  // names of other options
};

struct CommandRow {
  std::string command;
  std::string help;  // what --help shows
  std::vector<std::string> aliases;
  bool is_group = false;
};

struct OptionTable {
  std::vector<CommandRow> commands;
  std::vector<OptionRow> options;
};

// The program, a group of commands, or one command.
class CommandLine {
 public:
  // Adds a group, of which one command must be given; its --help ends with `more`, if there is any.
  [[nodiscard]] CommandLine group(const std::string& name, const std::string& description,
                                  const std::string& more);
  // Adds a command; its --help ends with examples.
  [[nodiscard]] CommandLine command(const std::string& name, const std::string& description,
                                    const std::string& examples, RunCommand run);
  // A name that it had before; --help does not show it.
  void formerly(const std::string& name);
  // What it reads from standard input and writes to standard output, whatever its options say; "":
  // nothing.
  void streams(const std::string& in, const std::string& out);
  // What stands behind "--" goes there as it is, and no option of it is read. REQUIRES a command of
  // the program itself.
  void behind_dashes(std::vector<std::string>& words);
  // What --help puts above the options that follow; "Options" at first.
  void heading(const std::string& name);

  // `names` as in "-o,--output"; "file" is a word without a name. --help shows the first long name:
  // others are those that it had before.
  CommandOption option(const std::string& names, std::string& value, const std::string& about);
  CommandOption option(const std::string& names, std::vector<std::string>& values,
                       const std::string& about);
  // Words with commas between them, none of which is empty; may be given several times.
  CommandOption list(const std::string& names, std::vector<std::string>& values,
                     const std::string& about);
  CommandOption option(const std::string& names, std::int64_t& value, const std::string& about);
  CommandOption option(const std::string& names, std::uint64_t& value, const std::string& about);
  CommandOption option(const std::string& names, double& value, const std::string& about);
  // A length of time, in seconds (base/duration.hpp); without end: `endless`.
  CommandOption duration(const std::string& names, std::int64_t& value_s, std::int64_t endless,
                         const std::string& about);
  // A point in time (base/clock_time.hpp), or "now", which is the real one.
  CommandOption time(const std::string& names, std::optional<std::int64_t>& value_s,
                     const std::string& about);
  CommandOption flag(const std::string& names, bool& value, const std::string& about);
  // One of several words, in upper or lower case, each of which stands for a value.
  template <class Value>
  CommandOption choice(const std::string& names, Value& value,
                       const std::vector<std::pair<std::string, Value>>& words,
                       const std::string& about) {
    std::vector<std::pair<std::string, int>> numbers;
    numbers.reserve(words.size());
    for (const auto& [word, of] : words) numbers.emplace_back(word, static_cast<int>(of));
    return choice(
        names, [&value](int number) { value = static_cast<Value>(number); }, numbers, about);
  }
  // An option that was added before. REQUIRES that there is one of this name.
  [[nodiscard]] CommandOption added(const std::string& name);
  // One of them must be given; `what` is how an error calls them.
  void needs_one_of(CommandOption a, CommandOption b, const std::string& what);

 private:
  friend int run_command_line(int argc, const char* const* argv, const std::string& description,
                              const std::string& examples, const std::string& version,
                              const std::function<void(CommandLine&)>& add);
  friend OptionTable option_table(const std::function<void(CommandLine&)>& add);

  // Of the whole line.
  struct Shared {
    RunCommand chosen{};  // the command that the line names
    CommandOption::AllFacts facts{};
    std::map<const CLI::App*, std::vector<FileArgument>> streams{};    // of commands
    std::map<std::string, std::vector<std::string>*> behind_dashes{};  // likewise, by name
  };

  CommandLine(CLI::App& app, Shared& shared) : app_(&app), shared_(&shared) {}
  static int before_dashes(int argc, const char* const* argv, const Shared& shared);
  CommandOption keep(CLI::Option* option, ValueKind kind);
  template <class Number>
  CommandOption number(const std::string& names, Number& value, const std::string& about);
  CommandOption parsed(const std::string& names, const std::string& unit,
                       std::function<std::string(const std::string&)> set,
                       const std::string& about);
  CommandOption choice(const std::string& names, std::function<void(int)> set,
                       const std::vector<std::pair<std::string, int>>& words,
                       const std::string& about);

  CLI::App* app_;
  Shared* shared_;
  RunCommand run_{};
};

// Lets `add` add all commands, parses the line and runs its command. Bad usage is one line on
// standard error. Returns the exit status. Throws std::bad_alloc only.
int run_command_line(int argc, const char* const* argv, const std::string& description,
                     const std::string& examples, const std::string& version,
                     const std::function<void(CommandLine&)>& add);
// All commands and options that `add` adds.
[[nodiscard]] OptionTable option_table(const std::function<void(CommandLine&)>& add);

}  // namespace copse
