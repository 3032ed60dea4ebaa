// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/wrong_usage.hpp"

#include <algorithm>
#include <cctype>

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest_word.hpp"

namespace copse {

const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* at = &app;
  for (auto below = at->get_subcommands(); !below.empty(); below = at->get_subcommands()) {
    at = below.back();
  }
  return *at;
}

namespace {

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* command : app.get_subcommands({})) out.push_back(command->get_name());
  return out;
}

// Whoever asks for help has not misspelt "hold".
std::string unknown_command(const std::string& word, const std::vector<std::string>& known) {
  if (word != "help") return unknown_among("command", word, known);
  return fmt::format("unknown command \"help\"; there are {}", fmt::join(known, ", "));
}

// What is wrong with a line. A word that nobody knows goes before all that it has caused.
std::string sentence(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  if (&command != &app && !app.remaining(false).empty()) {
    const std::string word = app.remaining(false).front();
    if (word.starts_with('-')) {
      return fmt::format("\"{:.64}\" stands before the command {}; its options go after it", word,
                         command.get_name());
    }
    return unknown_command(word, names_of_commands(app));
  }
  const std::vector<std::string> commands = names_of_commands(command);
  for (const std::string& word : app.remaining(true)) {
    if (word.size() > 1 && word.front() == '-') {
      return unknown_among("option", word.substr(0, word.find('=')), names_of_options(command));
    }
    if (!commands.empty()) return unknown_command(word, commands);
  }
  if (error.get_name() == "RequiredError" && !commands.empty()) {
    return "a command is missing; there are " + fmt::format("{}", fmt::join(commands, ", "));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> words = app.remaining(true);
    if (!words.empty()) return fmt::format("\"{:.64}\" is one word too many", words.front());
  }
  std::string text = error.what();
  if (error.get_name() == "ArgumentMismatch") {
    // "--load-file: At Most 1 required but received 2", "--load-file: 1 required FILE missing",
    // "--quiet was given a disallowed flag override"
    const std::string option = text.substr(0, text.find_first_of(": "));
    if (text.find(" At Most ") != text.npos) return option + " is given more than once";
    return option + (text.ends_with(" missing") ? " needs a value" : " takes no value");
  }
  if (error.get_name() == "RequiredError") {
    // "ids is required": an argument is called as the usage calls it
    for (const CLI::Option* option : command.get_options()) {
      if (!option->get_positional() || text != option->get_name() + " is required") continue;
      std::string shown = option->get_name();
      std::ranges::transform(shown, shown.begin(),
                             [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      return fmt::format("{} is missing: {}", shown, option->get_description());
    }
  }
  if (error.get_name() == "RequiresError") {
    const std::string_view needs = " requires ";
    text.replace(text.find(needs), needs.size(), " is of no use without ");
  }
  if (error.get_name() == "ExcludesError") {
    const std::string_view excludes = " excludes ";
    text.replace(text.find(excludes), excludes.size(), " cannot be given together with ");
  }
  return text;
}

}  // namespace

std::string unknown_among(std::string_view what, std::string_view word,
                          const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return unknown_word(what, word, views);
}

std::string path_of(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  return (above == nullptr ? "" : path_of(*above) + ' ') + command.get_name();
}

std::string wrong_usage(const CLI::App& app, const CLI::ParseError& error) {
  return fmt::format("{} (see {} --help)", sentence(app, error), path_of(innermost(app)));
}

}  // namespace copse
