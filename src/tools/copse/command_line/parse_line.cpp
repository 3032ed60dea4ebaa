// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line/parse_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/copse/command_line/help_text.hpp"
#include "tools/copse/command_line/value_check.hpp"
#include "tools/copse/copse.hpp"
#include "tools/options/option_table.hpp"

namespace copse {

namespace {

// The error of the parser.
struct UsageFault {
  enum class Kind : std::uint8_t {
    missing,   // a required option, argument or command
    mismatch,  // the number of values
    excludes,  // two options that exclude each other
    extra,     // words that belong to nothing
    other,     // with a text for users
  };
  Kind kind = Kind::other;
  std::string text = {};     // of the parser: "--strict requires --running"
  std::string command = {};  // the command that the line names, as far as it is known
  std::vector<std::string> before_command = {};  // unknown words before it
  std::vector<std::string> unknown = {};         // all unknown words
};

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

std::string before_its_command(const std::string& word, const std::string& command) {
  return fmt::format("\"{:.64}\" is before the command {}; its options go after it", word,
                     command.substr(command.rfind(' ') + 1));
}

// An unknown word goes before the faults that it has caused.
std::string sentence(const OptionTable& table, const UsageFault& fault) {
  using Kind = UsageFault::Kind;
  if (!fault.command.empty() && !fault.before_command.empty()) {
    const std::string& word = fault.before_command.front();
    if (!word.starts_with('-')) return unknown_command(word, table.commands_of({}));
    return before_its_command(word, fault.command);
  }
  const std::vector<std::string> commands = table.commands_of(fault.command);
  for (const std::string& word : fault.unknown) {
    if (word.size() > 1 && word.front() == '-') {
      const std::string name = word.substr(0, word.find('='));
      const std::vector<std::string> known = long_names_of(table, fault.command);
      // "copse reservation --server S list"
      const bool of_group =
          fault.command.contains(' ') && std::ranges::find(known, name) != known.end();
      return of_group ? before_its_command(word, fault.command)
                      : unknown_among("option", name, known);
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

// One sentence, which ends with where help is: "(see copse match --help)".
std::string wrong_usage(const OptionTable& table, const UsageFault& fault) {
  return fmt::format("{} (see {} --help)", sentence(table, fault), table.path_of(fault.command));
}

const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* at = &app;
  for (auto below = at->get_subcommands(); !below.empty(); below = at->get_subcommands()) {
    at = below.back();
  }
  return *at;
}

// "r encode"; "" for the program itself.
std::string command_of(const CLI::App& app) {
  const CLI::App* above = app.get_parent();
  if (above == nullptr) return {};
  const std::string before = command_of(*above);
  return before.empty() ? app.get_name() : before + ' ' + app.get_name();
}

// "--summary", "--seed=3", "-L" or "-Lmachine.json": an option of the command as it would be given.
bool is_option_of(const CLI::App& command, const std::string& text) {
  if (text.size() < 2 || text.front() != '-') return false;
  const bool is_long = text[1] == '-';
  const std::string name = is_long ? text.substr(0, text.find('=')) : text.substr(0, 2);
  return command.get_option_no_throw(name) != nullptr;
}

// A value that is empty, or that is an option whose own value is missing.
std::string why_no_value(const CLI::App& app, const OptionRow& row, const std::string& text) {
  if (text.empty()) return "the value is empty";
  if (!is_option_of(app, text)) return {};
  const bool file = row.kind == ValueKind::input_file || row.kind == ValueKind::output_file;
  return fmt::format("the value is missing, because \"{:.64}\" is an option{}", text,
                     file ? fmt::format("; a file is ./{:.64}", text) : "");
}

// --help, from the table.
class Help : public CLI::FormatterBase {
 public:
  explicit Help(const ProgramParts& program) : program_(program) {}
  std::string make_help(const CLI::App* app, std::string /*name*/,
                        CLI::AppFormatMode /*mode*/) const override {
    return help_text(program_.table(), command_of(*app));
  }

 private:
  const ProgramParts& program_;
};

// The commands and options as CLI11 has them, and what it found.
class LineParser {
 public:
  explicit LineParser(const ProgramParts& program) : program_(program), app_({}, program.name) {
    app_.formatter(std::make_shared<Help>(program));
    for (const CommandParts& command : program.commands) add(command);
    for (const OptionParts& option : program.options) add(option);
    for (const OptionParts& option : program.options) relate(option);
    for (const CommandParts& command : program.commands) require_one(command);
  }

  int run(int argc, const char* const* argv) {
    try {
      app_.parse(before_dashes(argc, argv), argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() != 0) {
        return unusable({ErrorCode::invalid, wrong_usage(program_.table(), fault_of(error)), {}});
      }
      (void)app_.exit(error);
      const auto shown = flush_standard_output();  // --help, --version
      return shown ? kDone : unusable(shown.error());
    }
    const std::string named = command_of(innermost(app_));
    for (const CommandParts& command : program_.commands) {
      if (command.row.command != named) continue;
      if (const auto why = why_not_together(files_of(command)); !why.empty()) {
        return unusable({ErrorCode::invalid, why, {}});
      }
      if (command.run) return command.run();
    }
    return kUnusable;
  }

 private:
  void add(const CommandParts& command) {
    const std::string& path = command.row.command;
    const std::size_t blank = path.rfind(' ');
    CLI::App* above = blank == path.npos ? &app_ : apps_.at(path.substr(0, blank));
    CLI::App* app = path.empty()
                        ? &app_
                        : above->add_subcommand(path.substr(blank == path.npos ? 0 : blank + 1));
    if (command.row.is_group) app->require_subcommand(1);
    for (const std::string& name : command.row.former_names) app->alias(name);
    apps_[path] = app;
  }

  void add(const OptionParts& option) {
    CLI::App& app = *apps_.at(option.row.command);
    CLI::Option* added = option.row.names.front() == "--help" ? app.set_help_flag(option.names)
                         : option.flag != nullptr ? app.add_flag(option.names, *option.flag)
                         : option.row.names.front() == "--version"
                             ? app.set_version_flag(option.names, program_.version)
                             : add_valued(app, option);
    if (option.row.required) added->required();
    options_[&option] = added;
  }

  static CLI::Option* add_valued(CLI::App& app, const OptionParts& option) {
    const auto store = [&option](const std::vector<std::string>& texts) {
      if (option.when_given) option.when_given();
      if (option.store) option.store(texts);
    };
    CLI::Option* out = option.row.repeated
                           ? app.add_option_function<std::vector<std::string>>(option.names, store)
                           : app.add_option_function<std::string>(
                                 option.names, [store](const std::string& text) { store({text}); });
    if (option.one_at_a_time) out->allow_extra_args(false);
    out->check(
        [&app, &option](const std::string& text) { return why_no_value(app, option.row, text); });
    for (const ValueCheck& check : option.checks) out->check(check);
    return out;
  }

  void relate(const OptionParts& option) {
    CLI::App& app = *apps_.at(option.row.command);
    CLI::Option* const own = options_.at(&option);
    for (const std::string& name : option.row.needs) own->needs(app.get_option(name));
    for (const std::string& name : option.row.excludes) own->excludes(app.get_option(name));
  }

  void require_one(const CommandParts& command) {
    if (command.missing.empty()) return;
    CLI::App* app = apps_.at(command.row.command);
    const CLI::Option* a = app->get_option(command.one_of.first);
    const CLI::Option* b = app->get_option(command.one_of.second);
    app->callback([a, b, &command] {
      if (a->count() + b->count() == 0) throw CLI::RequiredError(command.missing);
    });
  }

  // The number of words before "--", if the command takes those after it; they are stored then.
  [[nodiscard]] int before_dashes(int argc, const char* const* argv) const {
    for (const CommandParts& command : program_.commands) {
      if (argc < 2 || command.after_dashes == nullptr || command.row.command != argv[1]) continue;
      for (int i = 2; i < argc; ++i) {
        if (std::string_view(argv[i]) != "--") continue;
        command.after_dashes->assign(argv + i + 1, argv + argc);
        return i;
      }
    }
    return argc;
  }

  // The files that the line names for a command, after those that it always uses.
  [[nodiscard]] std::vector<FileArgument> files_of(const CommandParts& command) const {
    std::vector<FileArgument> out = command.streams;
    for (const OptionParts& option : program_.options) {
      const OptionRow& row = option.row;
      const bool written = row.kind == ValueKind::output_file;
      if (row.command != command.row.command || (!written && row.kind != ValueKind::input_file)) {
        continue;
      }
      const CLI::Option& given = *options_.at(&option);
      for (const std::string& path : given.results()) {
        out.push_back({row.names.front(), path, written, row.replaces});
      }
      if (given.count() == 0 && !row.otherwise.empty()) {
        out.push_back({row.names.front(), row.otherwise, written, row.replaces});
      }
    }
    return out;
  }

  [[nodiscard]] UsageFault fault_of(const CLI::ParseError& error) const {
    using Kind = UsageFault::Kind;
    const std::string name = error.get_name();
    const Kind kind = name == "RequiredError"                                    ? Kind::missing
                      : name == "ArgumentMismatch"                               ? Kind::mismatch
                      : name == "ExcludesError"                                  ? Kind::excludes
                      : dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ? Kind::extra
                                                                                 : Kind::other;
    return {kind, error.what(), command_of(innermost(app_)), app_.remaining(false),
            app_.remaining(true)};
  }

  const ProgramParts& program_;
  CLI::App app_;
  std::map<std::string, CLI::App*> apps_{};  // by command
  std::map<const OptionParts*, CLI::Option*> options_{};
};

}  // namespace

int run_command_line(int argc, const char* const* argv, const ProgramParts& program) {
  return LineParser(program).run(argc, argv);
}

}  // namespace copse
