// SPDX-License-Identifier: Apache-2.0
#include "tools/options/option_table.hpp"

#include <algorithm>
#include <cctype>

#include "text/split.hpp"

namespace copse {

std::vector<std::string> split_at_blanks(std::string_view text) {
  const auto words = split(text, ' ');
  return {words.begin(), words.end()};
}

std::string_view OptionRow::short_name() const {
  return !positional && names.back().size() == 2 ? std::string_view(names.back()) : "";
}

std::string OptionRow::shown() const {
  if (positional) {
    std::string out = names.front();
    std::ranges::transform(out, out.begin(), [](unsigned char c) {
      return c == '_' ? '-' : static_cast<char>(std::toupper(c));
    });
    return out;
  }
  std::string out(short_name());
  if (names.front() != out) out += (out.empty() ? "" : ", ") + names.front();
  return unit.empty() ? out : out + ' ' + unit;
}

const CommandRow* OptionTable::find_command(std::string_view command) const {
  const auto at = std::ranges::find(commands, command, &CommandRow::command);
  return at == commands.end() ? nullptr : &*at;
}

const OptionRow* OptionTable::find_option(std::string_view command, std::string_view name) const {
  const auto at = std::ranges::find_if(options, [&](const OptionRow& row) {
    return row.command == command && std::ranges::find(row.names, name) != row.names.end();
  });
  return at == options.end() ? nullptr : &*at;
}

std::vector<const OptionRow*> OptionTable::options_of(std::string_view command) const {
  std::vector<const OptionRow*> out;
  for (const OptionRow& row : options) {
    if (row.command == command) out.push_back(&row);
  }
  return out;
}

std::vector<std::string> OptionTable::commands_of(std::string_view group) const {
  const std::string begin = group.empty() ? "" : std::string(group) + ' ';
  std::vector<std::string> out;
  for (const CommandRow& row : commands) {
    if (row.command.size() <= begin.size() || !row.command.starts_with(begin)) continue;
    std::string word = row.command.substr(begin.size());
    if (word.find(' ') == word.npos) out.push_back(std::move(word));
  }
  return out;
}

std::string OptionTable::path_of(std::string_view command) const {
  return command.empty() ? program : program + ' ' + std::string(command);
}

}  // namespace copse
