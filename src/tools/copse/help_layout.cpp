// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/help_layout.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace copse {

namespace {

constexpr std::size_t kOptionColumns = 28, kCommandColumns = 16;  // of the left side

// The columns of a text in UTF-8: "…" and the like are one each.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Text in lines that begin at column `left`; the first one is there already.
std::string wrapped(std::string_view text, std::size_t left) {
  std::string out;
  std::size_t at = left;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t width = columns_of(word);
    if (at > left && at + 1 + width > kHelpColumns) {
      out += '\n' + std::string(left, ' ');
      at = left;
    } else if (at > left) {
      out += ' ';
      ++at;
    }
    out += word;
    at += width;
    begin = end + 1;
  }
  return out;
}

// "  name      what it means".
std::string row(const std::string& name, std::string_view about, std::size_t left) {
  std::string out = "  " + name;
  const std::size_t width = columns_of(out);
  out += width + 2 > left ? '\n' + std::string(left, ' ') : std::string(left - width, ' ');
  return out + wrapped(about, left) + '\n';
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

// Sentences and examples, which stand two columns to the right.
std::string footer_of(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    out += line.starts_with("  ") ? broken(line) : wrapped(line, 0);
    out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

class HelpLayout : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override {
    return row(positional ? upper(option->get_name(true, false)) : names(*option), about(*option),
               kOptionColumns);
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    std::string out = upper(option->get_name(true, false));
    if (option->get_expected_max() >= CLI::detail::expected_max_vector_size) out += "...";
    return option->get_required() ? out : '[' + out + ']';
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return row(command->get_name(), command->get_description(), kCommandColumns);
  }
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string out = Formatter::make_help(command, std::move(name), mode);
    for (std::size_t at; (at = out.find("\n\n\n")) != std::string::npos;) out.erase(at, 1);
    return out;
  }
  std::string make_description(const CLI::App* command) const override {
    return wrapped(command->get_description(), 0) + "\n\n";
  }
  std::string make_footer(const CLI::App* command) const override {
    return footer_of(command->get_footer());
  }

 private:
  // "-L, --load-file FILE".
  static std::string names(const CLI::Option& option) {
    std::string out;
    for (const std::string& name : option.get_snames()) out += '-' + name;
    if (!option.get_lnames().empty()) {
      out += (out.empty() ? "--" : ", --") + option.get_lnames().front();
    }
    const std::string unit = option.get_type_size() == 0 ? "" : option.get_type_name();
    return unit.empty() ? out : out + ' ' + unit;
  }
  static std::string about(const CLI::Option& option) {
    std::string out = option.get_description();
    if (option.get_required() && !option.get_positional()) out += " (required)";
    for (const CLI::Option* other : option.get_needs()) {
      out += fmt::format(" (needs {})", other->get_name());
    }
    return out;
  }
};

}  // namespace

void lay_out_help(CLI::App& app) {
  auto layout = std::make_shared<HelpLayout>();
  layout->label("OPTIONS", "OPTION...");
  layout->label("SUBCOMMAND", "COMMAND");
  layout->label("Positionals", "Arguments");
  app.formatter(layout);
  app.set_help_flag("-h,--help", "show this text");
}

}  // namespace copse
