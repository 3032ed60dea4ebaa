// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/pages/man_page.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "text/split.hpp"
#include "tools/copse/command_line/help_text.hpp"

namespace copse::pages {

namespace {

struct Details {
  std::vector<std::string> paragraphs{}, examples{};
};

// Lines that begin with two blanks are examples, others are paragraphs; "Examples:" is left out.
Details split_details(std::string_view text) {
  Details out;
  while (!text.empty()) {
    const std::string_view line = take_part(text, '\n');
    if (line.starts_with("  ")) {
      out.examples.emplace_back(line.substr(2));
    } else if (!line.empty() && line != "Examples:" && line != "Example:") {
      out.paragraphs.emplace_back(line);
    }
  }
  return out;
}

constexpr std::size_t kLineColumns = 78;
constexpr std::size_t kCommandsThatShare = 4;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// A text as an argument of a macro or as a part of a line.
std::string escaped(std::string_view text) {
  return replaced(replaced(std::string(text), "\\", "\\e"), "…", "...");
}

// The dashes of an option are no hyphens.
std::string escaped_word(std::string_view word) {
  const std::string text = escaped(word);
  const std::size_t at = text.find_first_not_of("\"(");
  return at != text.npos && text[at] == '-' ? replaced(text, "-", "\\-") : text;
}

bool ends_sentence(std::string_view word) {
  return (word.ends_with('.') || word.ends_with('?')) && !word.ends_with("..");
}

// Prose in short lines, each sentence on its own.
void append_prose(std::string& out, std::string_view text) {
  std::size_t at = 0;
  for (const std::string& word : split_at_blanks(text)) {
    const std::string shown = escaped_word(word);
    if (at > 0 && at + 1 + shown.size() > kLineColumns) {
      out += '\n';
      at = 0;
    }
    if (at > 0) out += ' ';
    if (at == 0 && (shown.starts_with('.') || shown.starts_with('\''))) out += "\\&";
    out += shown;
    at += shown.size() + 1;
    if (ends_sentence(word)) {
      out += '\n';
      at = 0;
    }
  }
  if (at > 0) out += '\n';
}

// ".It Fl L , Fl -load-file Ar FILE".
void append_option(std::string& out, const OptionRow& row) {
  if (row.positional) {
    out += fmt::format(".It Ar {}{}\n", row.shown(), row.repeated ? " ..." : "");
  } else {
    out += ".It";
    const std::string_view letter = row.short_name();
    if (!letter.empty()) out += fmt::format(" Fl {}", letter.substr(1));
    if (row.names.front() != letter) {
      out += fmt::format("{} Fl {}", letter.empty() ? "" : " ,", row.names.front().substr(1));
    }
    if (!row.unit.empty()) out += " Ar " + escaped(row.unit);
    out += '\n';
  }
  append_prose(out, about_option(row));
}

void append_options(std::string& out, const std::vector<const OptionRow*>& options) {
  if (options.empty()) return;
  out += ".Bl -tag -width Ds\n";
  for (const OptionRow* row : options) append_option(out, *row);
  out += ".El\n";
}

void append_literal(std::string& out, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out += ".Bd -literal -offset indent\n";
  for (const std::string& line : lines) {
    const std::string shown = escaped(line);
    out += (shown.starts_with('.') || shown.starts_with('\'') ? "\\&" : "") + shown + '\n';
  }
  out += ".Ed\n";
}

// The options that many commands share, by the heading of --help.
class SharedOptions {
 public:
  explicit SharedOptions(const OptionTable& table) {
    std::map<std::string, std::vector<const OptionRow*>> same;
    for (const OptionRow& row : table.options) {
      if (!row.positional && row.heading != "Options") same[key_of(row)].push_back(&row);
    }
    for (const OptionRow& row : table.options) {
      const auto at = same.find(key_of(row));
      if (at == same.end() || at->second.size() < kCommandsThatShare) continue;
      shared_.push_back(key_of(row));
      if (at->second.front() == &row) first_.push_back(&row);
    }
    std::ranges::sort(shared_);
  }

  [[nodiscard]] bool has(const OptionRow& row) const {
    return std::ranges::binary_search(shared_, key_of(row));
  }
  // One of each.
  [[nodiscard]] const std::vector<const OptionRow*>& all() const { return first_; }

 private:
  static std::string key_of(const OptionRow& row) {
    return fmt::format("{}\n{}\n{}", row.heading, row.shown(), about_option(row));
  }
  std::vector<std::string> shared_{};
  std::vector<const OptionRow*> first_{};
};

// ".Cm r encode": a word alone may be the name of a macro.
std::string command_words(std::string_view command) {
  std::string out;
  for (const std::string& word : split_at_blanks(command)) {
    out += (out.empty() ? "" : " ") + std::string(word.size() <= 2 ? "\\&" : "") + word;
  }
  return out;
}

void append_usage(std::string& out, const OptionTable& table, const CommandRow& command) {
  out += fmt::format(".Nm {}\n", table.program);
  if (!command.command.empty()) out += fmt::format(".Cm {}\n", command_words(command.command));
  out += ".Op Ar option ...\n";
  for (const OptionRow* row : table.options_of(command.command)) {
    if (!row->positional) continue;
    const std::string name = row->shown() + (row->repeated ? " ..." : "");
    out += row->required ? fmt::format(".Ar {}\n", name) : fmt::format(".Op Ar {}\n", name);
  }
  if (command.takes_command) out += ".Li --\n.Ar command ...\n";
}

std::string synopsis(const OptionTable& table) {
  std::string out;
  for (const CommandRow& command : table.commands) {
    if (!command.is_group) append_usage(out, table, command);
  }
  return out;
}

void append_command(std::string& out, const OptionTable& table, const CommandRow& command,
                    const SharedOptions& shared) {
  out += fmt::format(".Ss {}\n", command_words(command.command));
  append_prose(out, command.about.ends_with('?') ? command.about : command.about + '.');
  const Details details = split_details(command.details);
  for (const std::string& paragraph : details.paragraphs) {
    out += ".Pp\n";
    append_prose(out, paragraph);
  }
  std::vector<const OptionRow*> own;
  std::vector<std::string> headings;
  for (const OptionRow* row : table.options_of(command.command)) {
    if (row->names.front() == "--help") continue;
    if (!shared.has(*row)) {
      own.push_back(row);
    } else if (std::ranges::find(headings, row->heading) == headings.end()) {
      headings.push_back(row->heading);
    }
  }
  if (!own.empty()) out += ".Pp\n";
  append_options(out, own);
  if (!headings.empty()) out += ".Pp\n";
  for (const std::string& heading : headings) {
    std::string name = heading;
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    out += fmt::format("It also has the options of the {}, see\n.Sx OPTIONS .\n", name);
  }
  if (!details.examples.empty()) out += ".Pp\n";
  append_literal(out, details.examples);
}

std::string commands(const OptionTable& table) {
  const SharedOptions shared(table);
  std::string out;
  for (const CommandRow& command : table.commands) {
    if (!command.is_group) append_command(out, table, command, shared);
  }
  return out;
}

std::string options(const OptionTable& table) {
  std::string out;
  if (!table.commands.front().is_group) {
    append_options(out, table.options_of({}));
    return out;
  }
  const SharedOptions shared(table);
  std::vector<std::string> headings;
  for (const OptionRow* row : shared.all()) {
    if (std::ranges::find(headings, row->heading) != headings.end()) continue;
    headings.push_back(row->heading);
    out += fmt::format(".Ss {}\n", row->heading);
    std::vector<const OptionRow*> of_heading;
    std::ranges::copy_if(shared.all(), std::back_inserter(of_heading),
                         [&](const OptionRow* other) { return other->heading == row->heading; });
    append_options(out, of_heading);
  }
  return out;
}

std::string examples(const OptionTable& table) {
  std::string out;
  append_literal(out, split_details(table.commands.front().details).examples);
  return out;
}

// The words of the option at a place "@WORDS --match-policy@", with their meanings; "": there are none.
std::string words_at(const OptionTable& table, std::string_view line) {
  constexpr std::string_view kPlace = "@WORDS ";
  if (!line.starts_with(kPlace) || !line.ends_with('@')) return {};
  line.remove_prefix(kPlace.size());
  line.remove_suffix(1);
  const OptionRow* row = table.find_option({}, line);
  if (row == nullptr || row->meanings.empty()) return {};
  std::string out = ".Bl -tag -width firstnodex\n";
  for (std::size_t i = 0; i < row->meanings.size(); ++i) {
    out += fmt::format(".It Cm {}\n", row->words[i]);
    append_prose(out, row->meanings[i]);
  }
  return out + ".El\n";
}

}  // namespace

Result<std::string> man_page(const OptionTable& table, std::string_view prose,
                             std::string_view date) {
  std::string out;
  while (!prose.empty()) {
    const std::string line = replaced(std::string(take_part(prose, '\n')), "@DATE@", date);
    if (line == "@SYNOPSIS@") {
      out += synopsis(table);
    } else if (line == "@COMMANDS@") {
      out += commands(table);
    } else if (line == "@OPTIONS@") {
      out += options(table);
    } else if (line == "@EXAMPLES@") {
      out += examples(table);
    } else if (const std::string words = words_at(table, line); !words.empty()) {
      out += words;
    } else if (line.starts_with('@')) {
      return fail(ErrorCode::invalid, fmt::format("{} is not a place of a man page", line));
    } else {
      out += line + '\n';
    }
  }
  return out;
}

}  // namespace copse::pages
