// SPDX-License-Identifier: Apache-2.0
//
// Adds the commands of `copse` and their options; parse_line.hpp parses a line with them, and
// option_spec.hpp adds options from a table.
//
// Values are written when the line is parsed: they must exist until then.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/copse/command_line/command_parts.hpp"
#include "tools/options/option_table.hpp"

namespace copse {

// An option or an argument. Copies are the same option.
class CommandOption {
 public:
  explicit CommandOption(OptionParts& option) : option_(&option) {}

  CommandOption& reads_file();  // its value is a FILE
  // The same. `otherwise` is the file if the option is not given: "-" is standard output.
  CommandOption& writes_file(const std::string& otherwise = {});
  // It may name the file of the other option, because it is written after that is read.
  CommandOption& may_replace(CommandOption other);
  CommandOption& required(bool must = true);
  CommandOption& needs(CommandOption other);
  CommandOption& excludes(CommandOption other);
  CommandOption& not_negative();
  CommandOption& between(std::int64_t least, std::int64_t most);
  CommandOption& between(std::uint64_t least, std::uint64_t most);
  CommandOption& one_of(std::vector<std::string> words);
  // Of a text: a list, separated by commas, of these words.
  CommandOption& list_of(std::vector<std::string> words);
  // Usual values, which a shell completes; of a list, its words. Others are allowed.
  CommandOption& suggests(std::vector<std::string> words, bool of_list = false);
  // One value each time that it is given: the word after it is not a second value.
  CommandOption& one_at_a_time();
  // Of a time: "12:00" is refused, because it is not twelve minutes. `otherwise` is what an error
  // proposes instead.
  CommandOption& of_a_day(const std::string& otherwise = "seconds");
  CommandOption& unit(const std::string& name);  // what --help calls its value: "GIB", "NAME"
  CommandOption& described(const std::string& text);
  CommandOption& when_given(std::function<void()> then);

 private:
  friend class CommandLine;
  OptionParts* option_;
};

struct ProgramText;

// The program, a group of commands, or one command.
class CommandLine {
 public:
  // Adds a group. One of its commands must be given; its --help ends with `more`, if there is any.
  [[nodiscard]] CommandLine group(const std::string& name, const std::string& description,
                                  const std::string& more);
  // Adds a command; its --help ends with examples.
  [[nodiscard]] CommandLine command(const std::string& name, const std::string& description,
                                    const std::string& examples, RunCommand run);
  // A former name, which --help does not show.
  void formerly(const std::string& name);
  // Names of what it always reads from standard input and writes to standard output; "": nothing.
  void streams(const std::string& in, const std::string& out);
  // The words after "--" go there unchanged, and are not read as options. REQUIRES a command of the
  // program itself.
  void after_dashes(std::vector<std::string>& words);
  // What --help puts above the options that follow; "Options" at first.
  void heading(const std::string& name);

  // `names` as in "-o,--output"; "file" is an argument. --help shows the first long name: others are
  // former ones.
  CommandOption option(const std::string& names, std::string& value, const std::string& about);
  CommandOption option(const std::string& names, std::vector<std::string>& values,
                       const std::string& about);
  // Words separated by commas, none of them empty; may be given several times.
  CommandOption list(const std::string& names, std::vector<std::string>& values,
                     const std::string& about);
  CommandOption option(const std::string& names, std::int64_t& value, const std::string& about);
  CommandOption option(const std::string& names, std::uint64_t& value, const std::string& about);
  CommandOption option(const std::string& names, double& value, const std::string& about);
  // A length of time, in seconds (base/duration.hpp); `endless` if it is without end.
  CommandOption duration(const std::string& names, std::int64_t& value_s, std::int64_t endless,
                         const std::string& about);
  // A point in time (base/clock_time.hpp), or "now", which is the real one.
  CommandOption time(const std::string& names, std::optional<std::int64_t>& value_s,
                     const std::string& about);
  CommandOption flag(const std::string& names, bool& value, const std::string& about);
  // One of several words, in upper or lower case, each with its value.
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
  // One of them must be given; `what` is their name in an error.
  void needs_one_of(CommandOption a, CommandOption b, const std::string& what);

 private:
  friend ProgramParts collect(const ProgramText& program,
                              const std::function<void(CommandLine&)>& add);

  CommandLine(ProgramParts& program, CommandParts& command)
      : program_(&program), command_(&command) {}
  [[nodiscard]] CommandLine below(CommandRow row, const std::string& name, RunCommand run);
  OptionParts& add(const std::string& names, ValueKind kind, const std::string& unit,
                   const std::string& about);
  template <class Number>
  CommandOption number(const std::string& names, ValueKind kind, Number& value,
                       const std::string& about);
  CommandOption choice(const std::string& names, std::function<void(int)> set,
                       const std::vector<std::pair<std::string, int>>& words,
                       const std::string& about);

  ProgramParts* program_;
  CommandParts* command_;
  std::string heading_ = "Options";
};

// The texts of the program itself.
struct ProgramText {
  const char* name;
  const char* about;
  const char* details;  // below the commands in its --help
  std::string version;
};

// All that `add` adds.
[[nodiscard]] ProgramParts collect(const ProgramText& program,
                                   const std::function<void(CommandLine&)>& add);

}  // namespace copse
