// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "host/clock/real_clock.hpp"
#include "tools/copse/command_line/value_check.hpp"

namespace copse {

namespace {

// In the order of OptionRow: "-o,--output,--out" gives "--output", "--out", "-o".
std::vector<std::string> ordered_names(const std::string& names) {
  std::vector<std::string> out = split_at_commas(names);
  std::ranges::stable_partition(out, [](const std::string& name) { return name.size() != 2; });
  return out;
}

bool has_name(const OptionRow& row, std::string_view name) {
  return std::ranges::find(row.names, name) != row.names.end();
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

CommandOption& CommandOption::reads_file() {
  option_->row.kind = ValueKind::input_file;
  return unit("FILE");
}
CommandOption& CommandOption::writes_file(const std::string& otherwise) {
  option_->row.kind = ValueKind::output_file;
  option_->row.otherwise = otherwise;
  return unit("FILE");
}
CommandOption& CommandOption::may_replace(CommandOption other) {
  option_->row.replaces = other.option_->row.names.front();
  return *this;
}
CommandOption& CommandOption::required(bool must) {
  option_->row.required = must;
  return *this;
}
CommandOption& CommandOption::needs(CommandOption other) {
  add_once(option_->row.needs, other.option_->row.names.front());
  return *this;
}
CommandOption& CommandOption::excludes(CommandOption other) {
  add_once(option_->row.excludes, other.option_->row.names.front());
  add_once(other.option_->row.excludes, option_->row.names.front());
  return *this;
}
CommandOption& CommandOption::not_negative() {
  return between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
}
CommandOption& CommandOption::between(std::int64_t least, std::int64_t most) {
  option_->checks.emplace_back(
      [least, most](const std::string& text) { return why_not_number(text, least, most); });
  return *this;
}
CommandOption& CommandOption::between(std::uint64_t least, std::uint64_t most) {
  option_->checks.emplace_back(
      [least, most](const std::string& text) { return why_not_number(text, least, most); });
  return *this;
}
CommandOption& CommandOption::one_of(std::vector<std::string> words) {
  option_->row.kind = ValueKind::word;
  option_->row.words = words;
  option_->checks.emplace_back([words = std::move(words)](const std::string& text) {
    return std::ranges::find(words, text) == words.end() ? unknown_among("value", text, words)
                                                         : std::string();
  });
  return *this;
}
CommandOption& CommandOption::list_of(std::vector<std::string> words) {
  option_->row.words = words;
  option_->row.words_join = true;
  option_->checks.emplace_back(
      [words = std::move(words)](const std::string& text) { return why_not_list_of(text, words); });
  return *this;
}
CommandOption& CommandOption::suggests(std::vector<std::string> words, bool of_list) {
  option_->row.words_join = of_list;
  option_->row.words = std::move(words);
  return *this;
}
CommandOption& CommandOption::one_at_a_time() {
  option_->one_at_a_time = true;
  return *this;
}
CommandOption& CommandOption::of_a_day(const std::string& otherwise) {
  option_->checks.emplace_back(
      [otherwise](const std::string& text) { return why_without_date(text, otherwise); });
  return *this;
}
CommandOption& CommandOption::unit(const std::string& name) {
  option_->row.unit = name;
  return *this;
}
CommandOption& CommandOption::described(const std::string& text) {
  option_->row.about = text;
  return *this;
}
CommandOption& CommandOption::when_given(std::function<void()> then) {
  option_->when_given = std::move(then);
  return *this;
}

CommandLine CommandLine::below(CommandRow row, const std::string& name, RunCommand run) {
  const std::string& above = command_->row.command;
  row.command = above.empty() ? name : above + ' ' + name;
  CommandLine out(*program_, program_->commands.emplace_back(CommandParts{std::move(row)}));
  out.command_->run = std::move(run);
  out.add("-h,--help", ValueKind::none, {}, "show this text");
  return out;
}

CommandLine CommandLine::group(const std::string& name, const std::string& description,
                               const std::string& more) {
  return below({{}, description, more, {}, true}, name, {});
}

CommandLine CommandLine::command(const std::string& name, const std::string& description,
                                 const std::string& examples, RunCommand run) {
  return below({{}, description, examples}, name, std::move(run));
}

void CommandLine::formerly(const std::string& name) { command_->row.former_names.push_back(name); }

OptionParts& CommandLine::add(const std::string& names, ValueKind kind, const std::string& unit,
                              const std::string& about) {
  OptionParts& out = program_->options.emplace_back();
  out.names = names;
  out.row.command = command_->row.command;
  out.row.names = ordered_names(names);
  out.row.unit = unit;
  out.row.about = about;
  out.row.heading = heading_;
  out.row.kind = kind;
  out.row.positional = !names.starts_with('-');
  return out;
}

CommandOption CommandLine::option(const std::string& names, std::string& value,
                                  const std::string& about) {
  OptionParts& out = add(names, ValueKind::text, "TEXT", about);
  out.store = [&value](const std::vector<std::string>& texts) { value = texts.back(); };
  return CommandOption(out);
}

CommandOption CommandLine::option(const std::string& names, std::vector<std::string>& values,
                                  const std::string& about) {
  OptionParts& out = add(names, ValueKind::text, "TEXT", about);
  out.row.repeated = true;
  out.store = [&values](const std::vector<std::string>& texts) { values = texts; };
  return CommandOption(out);
}

CommandOption CommandLine::list(const std::string& names, std::vector<std::string>& values,
                                const std::string& about) {
  OptionParts& out = add(names, ValueKind::text, "TEXT", about);
  out.row.repeated = true;
  out.one_at_a_time = true;
  out.checks.emplace_back([](const std::string& text) { return why_not_list(text); });
  out.store = [&values](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (std::string& word : split_at_commas(text)) values.push_back(std::move(word));
    }
  };
  return CommandOption(out);
}

template <class Number>
CommandOption CommandLine::number(const std::string& names, ValueKind kind, Number& value,
                                  const std::string& about) {
  OptionParts& out = add(names, kind, "NUMBER", about);
  out.checks.emplace_back([](const std::string& text) {
    return why_not_number(text, std::numeric_limits<Number>::lowest(),
                          std::numeric_limits<Number>::max());
  });
  out.store = [&value](const std::vector<std::string>& texts) {
    const std::string& text = texts.back();
    (void)std::from_chars(text.data(), text.data() + text.size(), value);
  };
  return CommandOption(out);
}
CommandOption CommandLine::option(const std::string& names, std::int64_t& value,
                                  const std::string& about) {
  return number(names, ValueKind::whole_number, value, about);
}
CommandOption CommandLine::option(const std::string& names, std::uint64_t& value,
                                  const std::string& about) {
  return number(names, ValueKind::whole_number, value, about);
}
CommandOption CommandLine::option(const std::string& names, double& value,
                                  const std::string& about) {
  return number(names, ValueKind::number, value, about);
}

CommandOption CommandLine::duration(const std::string& names, std::int64_t& value_s,
                                    std::int64_t endless, const std::string& about) {
  OptionParts& out = add(names, ValueKind::time, "DURATION", about);
  out.checks.emplace_back([&value_s, endless](const std::string& text) {
    const auto seconds = parse_duration(text);
    if (!seconds) return seconds.error().text;
    value_s = *seconds == kEndless_s ? endless : *seconds;
    return std::string();
  });
  return CommandOption(out);
}

CommandOption CommandLine::time(const std::string& names, std::optional<std::int64_t>& value_s,
                                const std::string& about) {
  OptionParts& out = add(names, ValueKind::time, "TIME", about);
  out.checks.emplace_back([&value_s](const std::string& text) {
    if (text == "now") {
      value_s = real_time_s();
      return std::string();
    }
    const auto time_s = parse_time(text, utc_of_local_time);
    if (!time_s) return time_s.error().text;
    value_s = *time_s;
    return std::string();
  });
  return CommandOption(out);
}

CommandOption CommandLine::flag(const std::string& names, bool& value, const std::string& about) {
  OptionParts& out = add(names, ValueKind::none, {}, about);
  out.flag = &value;
  return CommandOption(out);
}

CommandOption CommandLine::choice(const std::string& names, std::function<void(int)> set,
                                  const std::vector<std::pair<std::string, int>>& words,
                                  const std::string& about) {
  OptionParts& out = add(names, ValueKind::word, "WORD", about);
  for (const auto& [word, number] : words) out.row.words.push_back(word);
  out.checks.emplace_back([all = out.row.words](const std::string& text) {
    return std::ranges::find(all, lower(text)) == all.end() ? unknown_among("value", text, all)
                                                            : std::string();
  });
  out.store = [set = std::move(set), words](const std::vector<std::string>& texts) {
    const std::string text = lower(texts.back());
    for (const auto& [word, number] : words) {
      if (word == text) set(number);
    }
  };
  return CommandOption(out);
}

void CommandLine::streams(const std::string& in, const std::string& out) {
  if (!in.empty()) command_->streams.push_back({in, "-"});
  if (!out.empty()) command_->streams.push_back({out, "-", true});
}

void CommandLine::after_dashes(std::vector<std::string>& words) {
  command_->after_dashes = &words;
  command_->row.takes_command = true;
}

void CommandLine::heading(const std::string& name) { heading_ = name; }

CommandOption CommandLine::added(const std::string& name) {
  const auto at = std::ranges::find_if(program_->options, [&](const OptionParts& option) {
    return option.row.command == command_->row.command && has_name(option.row, name);
  });
  return CommandOption(*at);
}

void CommandLine::needs_one_of(CommandOption a, CommandOption b, const std::string& what) {
  command_->one_of = {a.option_->row.names.front(), b.option_->row.names.front()};
  command_->missing = what;
}

ProgramParts collect(const ProgramText& text, const std::function<void(CommandLine&)>& add) {
  ProgramParts out{text.name, text.version};
  CommandParts& top =
      out.commands.emplace_back(CommandParts{{{}, text.about, text.details, {}, true}});
  CommandLine line(out, top);
  line.add("-h,--help", ValueKind::none, {}, "show this text");
  line.add("--version", ValueKind::none, {}, "show the version");
  add(line);
  return out;
}

OptionTable ProgramParts::table() const {
  OptionTable out{.program = name};
  for (const CommandParts& command : commands) out.commands.push_back(command.row);
  for (const OptionParts& option : options) out.options.push_back(option.row);
  return out;
}

}  // namespace copse
