// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/pages/option_lists.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "text/split.hpp"
#include "tools/copse/command_line/help_text.hpp"

namespace copse::pages {

namespace {

constexpr std::string_view kMark = "<!-- options of ";
constexpr std::string_view kCommentEnd = "-->";
constexpr std::string_view kListEnd = "<!-- end of options -->";

// A mark, read.
struct List {
  const OptionTable* program = nullptr;
  std::string command{};
  std::vector<std::string> only{};  // headings or options; empty: all
  std::vector<const OptionRow*> without{};
  std::map<std::string, std::string> links{};  // by option
};

std::string shown_names(const OptionRow& row) {
  std::string out;
  const std::string_view letter = row.short_name();
  if (!letter.empty()) out += fmt::format("`{}`, ", letter);
  return out + fmt::format("`{}{}`", row.names.front(), row.unit.empty() ? "" : ' ' + row.unit);
}

// A bar would end the cell.
std::string in_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

// Options and variables as code.
std::string shown_about(const OptionRow& row) {
  std::string out;
  for (const std::string& word : split_at_blanks(about_option(row))) {
    if (!out.empty()) out += ' ';
    const std::size_t begin = std::min(word.find_first_not_of("(\""), word.size());
    const std::size_t end = word.find_last_not_of(",.;:)\"") + 1;
    const bool code = end > begin + 1 && (word[begin] == '-' || word[begin] == '$');
    out += code ? fmt::format("{}`{}`{}", word.substr(0, begin), word.substr(begin, end - begin),
                              word.substr(end))
                : word;
  }
  return out;
}

std::string table_of(const List& list) {
  std::string out = "\n| option | meaning |\n|---|---|\n";
  for (const OptionRow* row : list.program->options_of(list.command)) {
    const std::string& name = row->names.front();
    if (row->positional || name == "--help") continue;
    const auto is_same = [&](const OptionRow* other) { return other->names.front() == name; };
    const auto is_meant = [&](const std::string& word) {
      return word == name || word == row->heading;
    };
    if (std::ranges::any_of(list.without, is_same)) continue;
    if (!list.only.empty() && std::ranges::none_of(list.only, is_meant)) continue;
    const auto link = list.links.find(name);
    const std::string names = in_cell(shown_names(*row));
    out +=
        fmt::format("| {} | {} |\n",
                    link == list.links.end() ? names : fmt::format("[{}]({})", names, link->second),
                    in_cell(shown_about(*row)));
  }
  return out + '\n';
}

class Page {
 public:
  Page(std::span<const OptionTable> programs, std::string_view text, std::string_view file)
      : programs_(programs), rest_(text), file_(file) {}

  Result<std::string> with_lists() {
    std::string out;
    while (!rest_.empty()) {
      const std::string_view line = take_line();
      out.append(line) += '\n';
      if (!line.starts_with(kMark)) continue;
      auto list = read_mark(line.substr(kMark.size()), out);
      if (!list) return std::unexpected(list.error());
      out += table_of(*list);
      std::string_view old = take_line();
      while (old != kListEnd && !rest_.empty()) old = take_line();
      if (old != kListEnd) return wrong("a list of options has no end");
      out.append(kListEnd) += '\n';
    }
    return out;
  }

 private:
  std::string_view take_line() {
    ++line_;
    return take_part(rest_, '\n');
  }

  [[nodiscard]] std::unexpected<Error> wrong(std::string text) const {
    return fail(ErrorCode::invalid, std::move(text), {std::string(file_), line_, 1});
  }

  // "copse plan" of the table of its program.
  Result<void> find_command(std::string_view path, List& out) const {
    for (const OptionTable& program : programs_) {
      for (const CommandRow& command : program.commands) {
        if (program.path_of(command.command) != path) continue;
        out.program = &program;
        out.command = command.command;
        return {};
      }
    }
    return wrong(fmt::format("{} is not a command", path));
  }

  // Reads up to the end of the mark, which goes to `out` too.
  Result<List> read_mark(std::string_view line, std::string& out) {
    List list;
    const bool has_links = !line.ends_with(kCommentEnd);
    if (!has_links) line.remove_suffix(kCommentEnd.size());
    while (line.ends_with(' ')) line.remove_suffix(1);
    constexpr std::string_view kWithout = " without ";
    if (const std::size_t at = line.find(kWithout); at != line.npos) {
      List other;
      if (auto ok = find_command(line.substr(at + kWithout.size()), other); !ok) {
        return std::unexpected(ok.error());
      }
      list.without = other.program->options_of(other.command);
      line = line.substr(0, at);
    }
    const std::size_t colon = line.find(": ");
    if (auto ok = find_command(line.substr(0, colon), list); !ok)
      return std::unexpected(ok.error());
    if (colon != line.npos) list.only = split_at_blanks(line.substr(colon + 2));
    while (has_links) {
      const std::string_view link = take_line();
      out.append(link) += '\n';
      if (link == kCommentEnd) break;
      const std::size_t at = link.find(": ");
      if (at == link.npos || rest_.empty()) return wrong("a link is \"--option: target\"");
      list.links[std::string(link.substr(0, at))] = link.substr(at + 2);
    }
    return check(list) ? Result<List>(std::move(list)) : wrong("an option or a heading is unknown");
  }

  [[nodiscard]] static bool check(const List& list) {
    const auto options = list.program->options_of(list.command);
    const auto known = [&](const std::string& word) {
      return std::ranges::any_of(options, [&](const OptionRow* row) {
        return row->names.front() == word || row->heading == word;
      });
    };
    return std::ranges::all_of(list.only, known) &&
           std::ranges::all_of(list.links, [&](const auto& link) { return known(link.first); });
  }

  std::span<const OptionTable> programs_;
  std::string_view rest_, file_;
  std::uint32_t line_ = 0;
};

}  // namespace

Result<std::string> with_option_lists(std::span<const OptionTable> programs, std::string_view page,
                                      std::string_view file) {
  return Page(programs, page, file).with_lists();
}

}  // namespace copse::pages
