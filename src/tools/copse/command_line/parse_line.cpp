// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line/parse_line.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "tools/copse/command_line/help_text.hpp"
#include "tools/copse/command_line/wrong_usage.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

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
class Parser {
 public:
  explicit Parser(const ProgramParts& program) : program_(program), app_({}, program.name) {
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
  return Parser(program).run(argc, argv);
}

}  // namespace copse
