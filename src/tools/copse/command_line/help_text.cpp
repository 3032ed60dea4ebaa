// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line/help_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "text/split.hpp"
#include "tools/options/wrap_text.hpp"

namespace copse {

namespace {

constexpr std::size_t kOptionColumns = 28, kCommandColumns = 16;  // of the left side

std::string row(const std::string& name, std::string_view about, std::size_t left) {
  return help_row(name, about, left, kHelpColumns);
}

// A command in lines that a shell joins again. Quoted words stay whole.
std::string broken(std::string_view command) {
  std::string out;
  while (columns_of(command) > kHelpColumns) {
    std::size_t blank = 0;
    char quote = 0;
    for (std::size_t i = 4; i + 2 <= kHelpColumns && i < command.size(); ++i) {
      if (quote == 0 && command[i] == ' ') blank = i;
      if (quote == 0 ? command[i] == '\'' || command[i] == '"' : command[i] == quote) {
        quote = quote == 0 ? command[i] : 0;
      }
    }
    if (blank == 0) break;
    out += fmt::format("{} \\\n", command.substr(0, blank));
    command.remove_prefix(blank + 1);
    out += "      ";
  }
  return out.append(command);
}

// Sentences, and examples, which begin with two blanks.
std::string details_of(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = take_part(text, '\n');
    out += line.starts_with("  ") ? broken(line) : wrap_text(line, 0, kHelpColumns);
    out += '\n';
  }
  return out;
}

// The headings of options in the order in which they first occur.
std::vector<std::string> headings_of(const std::vector<const OptionRow*>& options) {
  std::vector<std::string> out;
  for (const OptionRow* row : options) {
    if (!row->positional && std::ranges::find(out, row->heading) == out.end()) {
      out.push_back(row->heading);
    }
  }
  return out;
}

}  // namespace

std::string about_option(const OptionRow& row) {
  std::string out = row.about;
  if (row.required && !row.positional) out += " (required)";
  for (const std::string& other : row.needs) {
    if (row.about.find(other) == row.about.npos) out += fmt::format(" (needs {})", other);
  }
  return out;
}

std::string usage_of(const OptionTable& table, std::string_view command) {
  std::string out = table.path_of(command) + " [OPTION...]";
  for (const OptionRow* row : table.options_of(command)) {
    if (!row->positional) continue;
    const std::string name = row->shown() + (row->repeated ? "..." : "");
    out += row->required ? ' ' + name : fmt::format(" [{}]", name);
  }
  const CommandRow& known = *table.find_command(command);
  if (known.takes_command) out += " -- COMMAND...";
  return known.is_group ? out + " COMMAND" : out;
}

std::string help_text(const OptionTable& table, std::string_view command) {
  const CommandRow& known = *table.find_command(command);
  std::string out =
      wrap_text(known.about, 0, kHelpColumns) + "\n\nUsage: " + usage_of(table, command) + '\n';
  const auto options = table.options_of(command);
  std::string arguments;
  for (const OptionRow* option : options) {
    if (option->positional)
      arguments += row(option->shown(), about_option(*option), kOptionColumns);
  }
  if (!arguments.empty()) out += "\nArguments:\n" + arguments;
  for (const std::string& heading : headings_of(options)) {
    out += fmt::format("\n{}:\n", heading);
    for (const OptionRow* option : options) {
      if (option->positional || option->heading != heading) continue;
      out += row(option->shown(), about_option(*option), kOptionColumns);
    }
  }
  if (known.is_group) {
    out += "\nCommands:\n";
    const std::string begin = command.empty() ? "" : std::string(command) + ' ';
    for (const std::string& word : table.commands_of(command)) {
      out += row(word, table.find_command(begin + word)->about, kCommandColumns);
    }
  }
  return out + '\n' + details_of(known.details);
}

}  // namespace copse
