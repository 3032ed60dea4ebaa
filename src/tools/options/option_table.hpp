// SPDX-License-Identifier: Apache-2.0
//
// The commands and options of a program as values. --help, error messages, man pages, completions
// and the option tables of docs/ are made from this table, and tests iterate over it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

// The kind of an option's value.
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

// The words between blanks.
[[nodiscard]] std::vector<std::string> split_at_blanks(std::string_view text);

struct OptionRow {
  std::string command;  // "r encode"; "" for the program itself
  // "--ranks", "-r": the long name that --help shows, then former long names, then the short name.
  // An argument has one name, without dashes.
  std::vector<std::string> names;
  std::string unit = {};  // what --help calls the value: "FILE"; "" for a flag
  std::string about = {};
  std::string heading = "Options";  // what --help puts above it
  ValueKind kind = ValueKind::none;
  bool positional = false, required = false, repeated = false;
  std::vector<std::string> words = {};     // values to complete; of a word also the only ones
  std::vector<std::string> meanings = {};  // of the first words, where they have some
  std::vector<std::string> endings = {};   // of files to complete: ".graphml"; none: all files
  bool words_join = false;                 // several of them, separated by commas
  std::string otherwise = {};              // the file if the option is not given; "": none
  std::string replaces = {};               // an option whose file this one may overwrite
  std::vector<std::string> needs = {}, excludes = {};  // names of other options

  // "-L"; "" if there is none.
  [[nodiscard]] std::string_view short_name() const;
  // How --help calls it: "-L, --load-file FILE"; of an argument "REQUEST".
  [[nodiscard]] std::string shown() const;
};

struct CommandRow {
  std::string command;  // "r encode"; "" for the program itself
  std::string about = {};
  std::string details = {};  // sentences behind the options; the examples follow "Examples:"
  std::vector<std::string> former_names = {};
  bool is_group = false;       // one of its commands must be given
  bool takes_command = false;  // after "--": a command of the system
};

struct OptionTable {
  std::string program;
  // In the order in which they were added. Rows keep their addresses.
  std::deque<CommandRow> commands = {};
  std::deque<OptionRow> options = {};

  [[nodiscard]] const CommandRow* find_command(std::string_view command) const;
  [[nodiscard]] const OptionRow* find_option(std::string_view command, std::string_view name) const;
  [[nodiscard]] std::vector<const OptionRow*> options_of(std::string_view command) const;
  // The last words of the commands directly below: of "r" encode, decode, ….
  [[nodiscard]] std::vector<std::string> commands_of(std::string_view group) const;
  // "copse r encode".
  [[nodiscard]] std::string path_of(std::string_view command) const;
};

}  // namespace copse
