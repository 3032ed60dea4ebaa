// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "tools/copse/copse.hpp"

namespace copse {

CommandOption& CommandOption::required(bool must) {
  option_->required(must);
  return *this;
}
CommandOption& CommandOption::needs(CommandOption other) {
  option_->needs(other.option_);
  return *this;
}
CommandOption& CommandOption::excludes(CommandOption other) {
  option_->excludes(other.option_);
  return *this;
}
CommandOption& CommandOption::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}
CommandOption& CommandOption::between(std::int64_t least, std::int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
CommandOption& CommandOption::between(std::uint64_t least, std::uint64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
CommandOption& CommandOption::one_of(std::vector<std::string> words) {
  option_->check(CLI::IsMember(std::move(words)));
  return *this;
}
CommandOption& CommandOption::separated_by(char separator) {
  option_->delimiter(separator);
  return *this;
}
CommandOption& CommandOption::one_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}
CommandOption& CommandOption::unit(const std::string& name) {
  option_->type_name(name);
  return *this;
}
CommandOption& CommandOption::described(const std::string& text) {
  option_->description(text);
  return *this;
}
CommandOption& CommandOption::when_given(std::function<void()> then) {
  option_->each([then = std::move(then)](const std::string&) { then(); });
  return *this;
}

CommandLine CommandLine::group(const std::string& name, const std::string& description,
                               const std::string& more) {
  CLI::App* added = app_->add_subcommand(name, description);
  added->require_subcommand(1);
  if (!more.empty()) added->footer(more);
  return {*added, *chosen_};
}

CommandLine CommandLine::command(const std::string& name, const std::string& description,
                                 const std::string& examples, Command run) {
  CLI::App* added = app_->add_subcommand(name, description);
  added->footer(examples);
  added->callback([chosen = chosen_, run] { *chosen = run; });
  CommandLine out(*added, *chosen_);
  out.run_ = std::move(run);
  return out;
}

CommandOption CommandLine::option(const std::string& names, std::string& value,
                                  const std::string& about) {
  return CommandOption(app_->add_option(names, value, about));
}
CommandOption CommandLine::option(const std::string& names, std::vector<std::string>& values,
                                  const std::string& about) {
  return CommandOption(app_->add_option(names, values, about));
}
CommandOption CommandLine::option(const std::string& names, std::int64_t& value,
                                  const std::string& about) {
  return CommandOption(app_->add_option(names, value, about));
}
CommandOption CommandLine::option(const std::string& names, std::uint64_t& value,
                                  const std::string& about) {
  return CommandOption(app_->add_option(names, value, about));
}
CommandOption CommandLine::option(const std::string& names, double& value,
                                  const std::string& about) {
  return CommandOption(app_->add_option(names, value, about));
}
CommandOption CommandLine::flag(const std::string& names, bool& value, const std::string& about) {
  return CommandOption(app_->add_flag(names, value, about));
}

CommandOption CommandLine::choice(const std::string& names, std::function<void(int)> set,
                                  const std::vector<std::pair<std::string, int>>& words,
                                  const std::string& about) {
  const std::map<std::string, int> numbers(words.begin(), words.end());
  std::string all;
  for (const auto& [word, number] : words) all += (all.empty() ? "" : ", ") + word;
  const auto number_of = [numbers](const std::string& text) {
    const auto at = numbers.find(CLI::detail::to_lower(text));
    return at == numbers.end() ? -1 : at->second;
  };
  CLI::Option* option = app_->add_option_function<std::string>(
      names, [set = std::move(set), number_of](const std::string& text) { set(number_of(text)); },
      about);
  option->type_name("ENUM");
  option->check([number_of, all](const std::string& text) {
    return number_of(text) < 0 ? text + " is none of " + all : std::string();
  });
  return CommandOption(option);
}

CommandOption CommandLine::added(const std::string& name) {
  return CommandOption(app_->get_option(name));
}

void CommandLine::needs_one_of(CommandOption a, CommandOption b, const std::string& what) {
  app_->callback([a, b, what, chosen = chosen_, run = run_] {
    if (a.option_->count() + b.option_->count() == 0) throw CLI::RequiredError(what);
    *chosen = run;
  });
}

int run_command_line(int argc, const char* const* argv, const std::string& description,
                     const std::string& examples, const std::string& version,
                     const std::function<void(CommandLine&)>& add) {
  CLI::App app(description, "copse");
  app.footer(examples);
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  Command chosen;
  CommandLine line(app, chosen);
  add(line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) != 0) return kUnusable;
    const auto shown = flush_standard_output();  // --help, --version
    return shown ? kDone : unusable(shown.error());
  }
  return chosen ? chosen() : kUnusable;
}

}  // namespace copse
