// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line/wrong_usage.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/copse/command_line/value_check.hpp"

namespace copse {

namespace {

std::vector<std::string> long_names_of(const OptionTable& table, std::string_view command) {
  std::vector<std::string> out;
  for (const OptionRow* row : table.options_of(command)) {
    std::ranges::copy_if(row->names, std::back_inserter(out),
                         [](const std::string& name) { return name.starts_with("--"); });
  }
  return out;
}

// "help" is not a misspelt "hold".
std::string unknown_command(const std::string& word, const std::vector<std::string>& known) {
  if (word != "help") return unknown_among("command", word, known);
  return fmt::format("unknown command \"help\"; there are {}", fmt::join(known, ", "));
}

// "--load-file: At Most 1 required but received 2", "--load-file: 1 required FILE missing",
// "--quiet was given a disallowed flag override".
std::string of_mismatch(const std::string& text) {
  const std::string option = text.substr(0, text.find_first_of(": "));
  if (text.find(" At Most ") != text.npos) return option + " is given more than once";
  return option + (text.ends_with(" missing") ? " needs a value" : " takes no value");
}

// "ids is required": an argument has the name that the usage has.
std::string of_missing(const OptionTable& table, const UsageFault& fault) {
  for (const OptionRow* row : table.options_of(fault.command)) {
    if (!row->positional || fault.text != row->names.front() + " is required") continue;
    return fmt::format("{} is missing: {}", row->shown(), row->about);
  }
  return fault.text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

// An unknown word goes before the faults that it has caused.
std::string sentence(const OptionTable& table, const UsageFault& fault) {
  using Kind = UsageFault::Kind;
  if (!fault.command.empty() && !fault.before_command.empty()) {
    const std::string& word = fault.before_command.front();
    if (!word.starts_with('-')) return unknown_command(word, table.commands_of({}));
    const std::string command = fault.command.substr(fault.command.rfind(' ') + 1);
    return fmt::format("\"{:.64}\" is before the command {}; its options go after it", word,
                       command);
  }
  const std::vector<std::string> commands = table.commands_of(fault.command);
  for (const std::string& word : fault.unknown) {
    if (word.size() > 1 && word.front() == '-') {
      return unknown_among("option", word.substr(0, word.find('=')),
                           long_names_of(table, fault.command));
    }
    if (!commands.empty()) return unknown_command(word, commands);
  }
  if (fault.kind == Kind::missing && !commands.empty()) {
    return fmt::format("a command is missing; there are {}", fmt::join(commands, ", "));
  }
  if (fault.kind == Kind::extra && !fault.unknown.empty()) {
    return fmt::format("\"{:.64}\" is one argument too many", fault.unknown.front());
  }
  switch (fault.kind) {
    case Kind::mismatch: return of_mismatch(fault.text);
    case Kind::missing: return of_missing(table, fault);
    case Kind::excludes: return replaced(fault.text, " excludes ", " cannot be combined with ");
    default: return fault.text;
  }
}

}  // namespace

std::string wrong_usage(const OptionTable& table, const UsageFault& fault) {
  return fmt::format("{} (see {} --help)", sentence(table, fault), table.path_of(fault.command));
}

}  // namespace copse
