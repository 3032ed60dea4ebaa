// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "host/real_clock.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/help_layout.hpp"
#include "tools/copse/wrong_usage.hpp"

namespace copse {

namespace {

// Refuses what is no such number, in words.
template <class Number>
void check_number(CLI::Option& option, Number least, Number most) {
  option.check([least, most](const std::string& text) -> std::string {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end && number >= least && number <= most) return {};
    const bool whole = std::is_integral_v<Number>;
    if (whole && error == std::errc::result_out_of_range && stop == end && text.front() != '-') {
      return fmt::format("{:.64} is too large; the most is {}", text, most);
    }
    std::string out = fmt::format("\"{:.64}\" is not a {}number", text, whole ? "whole " : "");
    if (most < std::numeric_limits<Number>::max()) {
      out += fmt::format(" from {} to {}", least, most);
    } else if (least > std::numeric_limits<Number>::lowest() || std::is_unsigned_v<Number>) {
      out += fmt::format(" of {} or more", least);
    }
    return out;
  });
}

// Without the blanks around them.
std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    std::string word = text.substr(from, to - from);
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    out.push_back(std::move(word));
    from = to + 1;
  }
  return out;
}

std::string missing_word(const std::string& text) {
  return fmt::format("a word is missing beside a comma of \"{:.64}\"", text);
}

std::string shown_name(const CLI::Option& option) {
  return option.get_positional()       ? option.get_name(true, false)
         : option.get_lnames().empty() ? '-' + option.get_snames().front()
                                       : "--" + option.get_lnames().front();
}

// "--summary", "--seed=3", "-L" or "-Lmachine.json": one of the command's options as it would be given.
bool is_option_of(const CLI::App& command, const std::string& text) {
  if (text.size() < 2 || text.front() != '-') return false;
  const bool is_long = text[1] == '-';
  const std::string name = is_long ? text.substr(0, text.find('=')) : text.substr(0, 2);
  return command.get_option_no_throw(name) != nullptr;
}

// The files that the line names for a command, behind those that it uses in any case.
std::vector<FileArgument> files_of(const CLI::App& command, const CommandOption::AllFacts& all,
                                   std::vector<FileArgument> out) {
  for (const CLI::Option* option : command.get_options()) {
    const auto at = all.find(option);
    if (at == all.end()) continue;
    const CommandOption::Facts& facts = at->second;
    const bool written = facts.kind == ValueKind::output_file;
    if (!written && facts.kind != ValueKind::input_file) continue;
    const std::string replaces = facts.replaces == nullptr ? "" : shown_name(*facts.replaces);
    for (const std::string& path : option->results()) {
      out.push_back({shown_name(*option), path, written, replaces});
    }
    if (option->count() == 0 && !facts.otherwise.empty()) {
      out.push_back({shown_name(*option), facts.otherwise, written, replaces});
    }
  }
  return out;
}

}  // namespace

CommandOption& CommandOption::reads_file() {
  (*facts_)[option_].kind = ValueKind::input_file;
  return unit("FILE");
}
CommandOption& CommandOption::writes_file(const std::string& otherwise) {
  Facts& facts = (*facts_)[option_];
  facts.kind = ValueKind::output_file;
  facts.otherwise = otherwise;
  return unit("FILE");
}
CommandOption& CommandOption::may_replace(CommandOption other) {
  (*facts_)[option_].replaces = other.option_;
  return *this;
}
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
  return between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
}
CommandOption& CommandOption::between(std::int64_t least, std::int64_t most) {
  check_number(*option_, least, most);
  return *this;
}
CommandOption& CommandOption::between(std::uint64_t least, std::uint64_t most) {
  check_number(*option_, least, most);
  return *this;
}
CommandOption& CommandOption::one_of(std::vector<std::string> words) {
  (*facts_)[option_].kind = ValueKind::word;
  option_->check([words = std::move(words)](const std::string& text) {
    return std::ranges::find(words, text) == words.end() ? unknown_among("value", text, words)
                                                         : std::string();
  });
  return *this;
}
CommandOption& CommandOption::list_of(std::vector<std::string> words) {
  option_->check([words = std::move(words)](const std::string& text) {
    for (const std::string& word : split_at_commas(text)) {
      if (word.empty()) return missing_word(text);
      if (std::ranges::find(words, word) == words.end()) return unknown_among("word", word, words);
    }
    return std::string();
  });
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
  CLI::App* added = app_->add_subcommand(name, description)->group("Commands");
  added->require_subcommand(1);
  if (!more.empty()) added->footer(more);
  return {*added, *shared_};
}

CommandLine CommandLine::command(const std::string& name, const std::string& description,
                                 const std::string& examples, RunCommand run) {
  CLI::App* added = app_->add_subcommand(name, description)->group("Commands");
  added->footer(examples);
  added->callback([shared = shared_, run] { shared->chosen = run; });
  CommandLine out(*added, *shared_);
  out.run_ = std::move(run);
  return out;
}

void CommandLine::formerly(const std::string& name) { app_->alias(name); }

CommandOption CommandLine::keep(CLI::Option* option, ValueKind kind) {
  shared_->facts[option].kind = kind;
  if (kind != ValueKind::none) {
    option->check([app = app_, &facts = shared_->facts[option]](const std::string& text) {
      if (text.empty()) return std::string("the value is empty");
      if (!is_option_of(*app, text)) return std::string();
      const bool file = facts.kind == ValueKind::input_file || facts.kind == ValueKind::output_file;
      return fmt::format("the value is missing, for \"{:.64}\" is an option{}", text,
                         file ? fmt::format("; a file is ./{:.64}", text) : "");
    });
  }
  return {option, shared_->facts};
}

CommandOption CommandLine::option(const std::string& names, std::string& value,
                                  const std::string& about) {
  return keep(app_->add_option(names, value, about), ValueKind::text);
}
CommandOption CommandLine::option(const std::string& names, std::vector<std::string>& values,
                                  const std::string& about) {
  return keep(app_->add_option(names, values, about), ValueKind::text);
}
CommandOption CommandLine::list(const std::string& names, std::vector<std::string>& values,
                                const std::string& about) {
  CLI::Option* option = app_->add_option_function<std::vector<std::string>>(
      names,
      [&values](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
          for (std::string& word : split_at_commas(text)) values.push_back(std::move(word));
        }
      },
      about);
  option->allow_extra_args(false);
  CommandOption kept = keep(option, ValueKind::text);
  option->check([](const std::string& text) {
    const auto words = split_at_commas(text);
    return std::ranges::find(words, "") == words.end() ? std::string() : missing_word(text);
  });
  return kept;
}
template <class Number>
CommandOption CommandLine::number(const std::string& names, Number& value,
                                  const std::string& about) {
  CLI::Option* option = app_->add_option(names, value, about);
  CommandOption kept =
      keep(option, std::is_integral_v<Number> ? ValueKind::whole_number : ValueKind::number);
  check_number(*option, std::numeric_limits<Number>::lowest(), std::numeric_limits<Number>::max());
  return kept;
}
CommandOption CommandLine::option(const std::string& names, std::int64_t& value,
                                  const std::string& about) {
  return number(names, value, about);
}
CommandOption CommandLine::option(const std::string& names, std::uint64_t& value,
                                  const std::string& about) {
  return number(names, value, about);
}
CommandOption CommandLine::option(const std::string& names, double& value,
                                  const std::string& about) {
  return number(names, value, about);
}
CommandOption CommandLine::parsed(const std::string& names, const std::string& unit,
                                  std::function<std::string(const std::string&)> set,
                                  const std::string& about) {
  CLI::Option* option =
      app_->add_option_function<std::string>(names, [](const std::string&) {}, about);
  option->type_name(unit);
  CommandOption kept = keep(option, ValueKind::time);
  option->check([set = std::move(set)](const std::string& text) { return set(text); });
  return kept;
}
CommandOption CommandLine::duration(const std::string& names, std::int64_t& value_s,
                                    std::int64_t endless, const std::string& about) {
  return parsed(
      names, "DURATION",
      [&value_s, endless](const std::string& text) {
        const auto seconds = parse_duration(text);
        if (!seconds) return seconds.error().text;
        value_s = *seconds == kEndless_s ? endless : *seconds;
        return std::string();
      },
      about);
}
CommandOption CommandLine::time(const std::string& names, std::optional<std::int64_t>& value_s,
                                const std::string& about) {
  return parsed(
      names, "TIME",
      [&value_s](const std::string& text) {
        if (text == "now") {
          value_s = real_time_s();
          return std::string();
        }
        const auto time_s = parse_time(text, utc_of_local_time);
        if (!time_s) return time_s.error().text;
        value_s = *time_s;
        return std::string();
      },
      about);
}
CommandOption& CommandOption::of_a_day(const std::string& otherwise) {
  option_->check([otherwise](const std::string& text) {
    const bool bare = text.contains(':') && text.find_first_not_of("0123456789:.") == text.npos;
    return bare ? fmt::format("\"{:.64}\" has no date: write 2026-11-22T12:00, or {}", text,
                              otherwise)
                : std::string();
  });
  return *this;
}
CommandOption CommandLine::flag(const std::string& names, bool& value, const std::string& about) {
  return keep(app_->add_flag(names, value, about), ValueKind::none);
}

CommandOption CommandLine::choice(const std::string& names, std::function<void(int)> set,
                                  const std::vector<std::pair<std::string, int>>& words,
                                  const std::string& about) {
  const std::map<std::string, int> numbers(words.begin(), words.end());
  std::vector<std::string> all;
  all.reserve(words.size());
  for (const auto& [word, number] : words) all.push_back(word);
  const auto number_of = [numbers](const std::string& text) {
    const auto at = numbers.find(CLI::detail::to_lower(text));
    return at == numbers.end() ? -1 : at->second;
  };
  CLI::Option* option = app_->add_option_function<std::string>(
      names, [set = std::move(set), number_of](const std::string& text) { set(number_of(text)); },
      about);
  option->type_name("ENUM");
  CommandOption kept = keep(option, ValueKind::word);
  option->check([number_of, all](const std::string& text) {
    return number_of(text) < 0 ? unknown_among("value", text, all) : std::string();
  });
  return kept;
}

void CommandLine::streams(const std::string& in, const std::string& out) {
  std::vector<FileArgument>& own = shared_->streams[app_];
  if (!in.empty()) own.push_back({in, "-"});
  if (!out.empty()) own.push_back({out, "-", true});
}

void CommandLine::behind_dashes(std::vector<std::string>& words) {
  shared_->behind_dashes[app_->get_name()] = &words;
}

void CommandLine::heading(const std::string& name) { app_->option_defaults()->group(name); }

CommandOption CommandLine::added(const std::string& name) {
  return {app_->get_option(name), shared_->facts};
}

void CommandLine::needs_one_of(CommandOption a, CommandOption b, const std::string& what) {
  app_->callback([a, b, what, shared = shared_, run = run_] {
    if (a.option_->count() + b.option_->count() == 0) throw CLI::RequiredError(what);
    shared->chosen = run;
  });
}

// How many words are left when what stands behind "--" is taken, where the command wants it.
int CommandLine::before_dashes(int argc, const char* const* argv, const Shared& shared) {
  const auto at = argc < 2 ? shared.behind_dashes.end() : shared.behind_dashes.find(argv[1]);
  if (at == shared.behind_dashes.end()) return argc;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    at->second->assign(argv + i + 1, argv + argc);
    return i;
  }
  return argc;
}

int run_command_line(int argc, const char* const* argv, const std::string& description,
                     const std::string& examples, const std::string& version,
                     const std::function<void(CommandLine&)>& add) {
  CLI::App app(description, "copse");
  app.footer(examples);
  app.set_version_flag("--version", version, "show the version");
  app.require_subcommand(1);
  lay_out_help(app);
  CommandLine::Shared shared;
  CommandLine line(app, shared);
  add(line);
  try {
    app.parse(CommandLine::before_dashes(argc, argv, shared), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      return unusable({ErrorCode::invalid, wrong_usage(app, error), {}});
    }
    (void)app.exit(error);
    const auto shown = flush_standard_output();  // --help, --version
    return shown ? kDone : unusable(shown.error());
  }
  const CLI::App& command = innermost(app);
  if (const auto why = why_not_together(files_of(command, shared.facts, shared.streams[&command]));
      !why.empty()) {
    return unusable({ErrorCode::invalid, why, {}});
  }
  return shared.chosen ? shared.chosen() : kUnusable;
}

namespace {

OptionRow row_of(const std::string& command, const CLI::Option& option,
                 const CommandOption::AllFacts& facts) {
  OptionRow out;
  out.command = command;
  out.names.push_back(shown_name(option));
  for (const std::string& name : option.get_lnames()) {
    if ("--" + name != out.names.front()) out.names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) out.names.push_back('-' + name);
  const auto known = facts.find(&option);
  if (known != facts.end()) out.kind = known->second.kind;
  if (out.kind != ValueKind::none) out.unit = option.get_type_name();
  out.positional = option.get_positional();
  out.required = option.get_required();
  for (const CLI::Option* other : option.get_needs()) out.needs.push_back(shown_name(*other));
  for (const CLI::Option* other : option.get_excludes()) out.excludes.push_back(shown_name(*other));
  return out;
}

// Of an app and all below it.
void list(const CLI::App& app, const std::string& command, const CommandOption::AllFacts& facts,
          OptionTable& out) {
  const auto below = app.get_subcommands({});
  out.commands.push_back({command, app.help(path_of(app)), app.get_aliases(), !below.empty()});
  for (const CLI::Option* option : app.get_options()) {
    out.options.push_back(row_of(command, *option, facts));
  }
  for (const CLI::App* sub : below) {
    list(*sub, command + (command.empty() ? "" : " ") + sub->get_name(), facts, out);
  }
}

}  // namespace

OptionTable option_table(const std::function<void(CommandLine&)>& add) {
  CLI::App app({}, "copse");
  lay_out_help(app);
  CommandLine::Shared shared;
  CommandLine line(app, shared);
  add(line);
  OptionTable out;
  list(app, {}, shared.facts, out);
  return out;
}

}  // namespace copse
