// SPDX-License-Identifier: Apache-2.0
//
// The man pages, completions and tables of options that copse-pages makes: they have all options, groff
// finds nothing wrong with the pages, bash runs the completions, and the tables in docs/ are up to date.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <regex>

#include "paths.hpp"
#include "tools/copse/pages/bash_completion.hpp"
#include "tools/copse/pages/copse_pages.hpp"
#include "tools/copse/pages/man_page.hpp"
#include "tools/copse/pages/option_lists.hpp"
#include "tools/program.hpp"

namespace copse::pages {
namespace {

using Words = std::vector<std::string>;

const std::filesystem::path kSource(source_dir());

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string page_of(const OptionTable& table) {
  const std::string prose = read_all(kSource / "docs/man" / (table.program + ".1.in"));
  const auto page = man_page(table, prose, "November 27, 2026");
  EXPECT_TRUE(page.has_value());
  return page.value_or("");
}

// The word is in the text, and not as a part of a longer one.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const auto part = [&](std::size_t i) {
      return i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '-');
    };
    if (!part(end) && (at == 0 || !part(at - 1))) return true;
  }
  return false;
}

class Programs : public testing::TestWithParam<std::size_t> {
 protected:
  const std::vector<OptionTable> tables_ = all_programs();
  const OptionTable& table_ = tables_[GetParam()];
};

TEST_P(Programs, ManPageHasAllOptionsAndCommands) {
  const std::string page =
      std::regex_replace(page_of(table_), std::regex("Fl (-?[A-Za-z])"), "-$1");
  for (const OptionRow& row : table_.options) {
    const std::string name = row.positional ? row.shown() : row.names.front();
    EXPECT_TRUE(has_word(page, name)) << row.command << ' ' << name;
  }
  for (const CommandRow& row : table_.commands) {
    for (const std::string& word : split_at_blanks(row.command)) {
      EXPECT_TRUE(has_word(page, word)) << row.command;
    }
  }
  EXPECT_EQ(page.find('@'), page.npos) << "a place was not filled";
}

TEST_P(Programs, ManPageIsSane) {
  const Scratch scratch;
  scratch.write("page", page_of(table_));
  const Outcome got = run({.words = {"/bin/sh", "-c",
                                     "command -v groff >/dev/null || exit 77; "
                                     "groff -mandoc -Tutf8 -Kutf8 -ww page"},
                           .input = {},
                           .folder = scratch.path()});
  if (got.status == 77) GTEST_SKIP() << "no groff";
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  EXPECT_GT(std::ranges::count(got.output, '\n'), 20);
}

// What bash completes when the last word is to be completed.
Words completed(const OptionTable& table, const Words& line) {
  const Scratch scratch;
  scratch.write("completion", bash_completion(table));
  scratch.write("machine.graphml", "");
  scratch.write("notes.txt", "");
  const std::string script =
      "compopt() { :; }\n. ./completion\nCOMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n"
      "name=$(complete -p " +
      table.program +
      ") name=${name#*-F } name=${name%% *}\n"
      "\"$name\"\nif ((${#COMPREPLY[@]})); then printf '%s\\n' \"${COMPREPLY[@]}\"; fi\n";
  Words words{"/bin/bash", "-uc", script, "bash", table.program};
  words.insert(words.end(), line.begin(), line.end());
  const Outcome got = run({.words = words, .input = {}, .folder = scratch.path()});
  EXPECT_EQ(got.errors, "");
  EXPECT_EQ(got.status, 0);
  Words out;
  std::string_view rest = got.output;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

TEST_P(Programs, CompletionHasAllOptionsAndCommands) {
  for (const CommandRow& command : table_.commands) {
    Words line = split_at_blanks(command.command);
    line.emplace_back("-");
    Words expected;
    for (const OptionRow* row : table_.options_of(command.command)) {
      if (row->positional) continue;
      expected.push_back(row->names.front());
      if (!row->short_name().empty()) expected.emplace_back(row->short_name());
    }
    if (command.takes_command) expected.emplace_back("--");
    Words got = completed(table_, line);
    std::ranges::sort(expected);
    std::ranges::sort(got);
    EXPECT_EQ(got, expected) << command.command;
    if (!command.is_group) continue;
    line.back() = "";
    got = completed(table_, line);
    for (const std::string& word : table_.commands_of(command.command)) {
      EXPECT_TRUE(std::ranges::find(got, word) != got.end()) << command.command << ' ' << word;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, Programs, testing::Range(std::size_t{0}, std::size_t{4}),
                         [](const testing::TestParamInfo<std::size_t>& which) {
                           std::string name = all_programs()[which.param].program;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

const OptionTable& copse_table() {
  static const OptionTable kTable = all_programs()[0];
  return kTable;
}

TEST(Completion, CompletesValues) {
  const OptionTable& copse = copse_table();
  EXPECT_EQ(completed(copse, {"ma"}), Words{"match"});
  EXPECT_EQ(completed(copse, {"r", "enc"}), Words{"encode"});
  EXPECT_EQ(completed(copse, {"match", "-T", "l"}), Words{"loop-aware"});
  EXPECT_EQ(completed(copse, {"match", "--traverser-policy", "=", "l"}), Words{"loop-aware"});
  EXPECT_EQ(completed(copse, {"match", "-Tl"}), Words{"-Tloop-aware"});
  EXPECT_EQ(completed(copse, {"match", "-f", "grug"}), Words{"grug"});
  EXPECT_EQ(completed(copse, {"plan", "--compare", "easy,cons"}), Words{"easy,conservative"});
  EXPECT_EQ(completed(copse, {"plan", "--trace-fields", "user,qu"}), Words{"user,queue"});
  EXPECT_EQ(completed(copse, {"find", "status=d"}), Words{"status=down"});
  EXPECT_EQ(completed(copse, {"jobs", "--state", "pe"}), Words{"pending"});
  EXPECT_EQ(completed(copse, {"match", "--shape", ""}), Words{});  // any text
  EXPECT_EQ(completed(copse, {"unknown", ""}), Words{});
}

TEST(Completion, TellsFormatsOfCommandsApart) {
  const Words session = completed(copse_table(), {"session", "-F", ""});
  EXPECT_EQ(session, (Words{"rv1", "rv1_nosched", "rv1_shorthand"}));
  const Words match = completed(copse_table(), {"match", "-F", "s"});
  EXPECT_EQ(match, (Words{"short", "simple"}));
  EXPECT_EQ(completed(copse_table(), {"find", "-F", "s"}), Words{"simple"});
}

TEST(Completion, CompletesFiles) {
  const OptionTable& copse = copse_table();
  Words machines = completed(copse, {"match", "-L", "mach"});
  std::ranges::sort(machines);
  EXPECT_EQ(machines, (Words{"machine.graphml", "machines"}));
  EXPECT_EQ(completed(copse, {"match", "machine."}), Words{"machine.graphml"});
  EXPECT_EQ(completed(copse, {"run", "--", "note"}), Words{"notes.txt"});
  const OptionTable grug2dot = all_programs()[2];
  EXPECT_EQ(completed(grug2dot, {"note"}), Words{});
  EXPECT_EQ(completed(grug2dot, {"machine."}), Words{"machine.graphml"});
}

TEST(Completion, CompletesNamesInLowerCase) {
  const OptionTable query = all_programs()[1];
  EXPECT_EQ(completed(query, {"-S", "c+p"}), (Words{"c+pa", "c+pfs1ba", "c+p+iba"}));
  EXPECT_EQ(completed(query, {"-S", "PF"}), Words{"PFS1BA"});
  EXPECT_EQ(completed(query, {"-P", "local"}), Words{"locality"});
}

TEST(OptionLists, OfDocsAreUpToDate) {
  const auto stale = stale_pages(kSource);
  ASSERT_TRUE(stale.has_value()) << stale.error().message();
  for (const auto& [path, text] : *stale) {
    ADD_FAILURE() << path << " is out of date: cmake --build build/… --target option-lists";
  }
}

std::string listed(std::string_view mark) {
  const std::string page =
      "before\n" + std::string(mark) + "\nold\n<!-- end of options -->\nbehind\n";
  const auto made = with_option_lists(all_programs(), page, "page.md");
  return made ? *made : made.error().message();
}

TEST(OptionLists, HaveTheChosenOptions) {
  EXPECT_EQ(listed("<!-- options of grug2dot -->"),
            "before\n<!-- options of grug2dot -->\n\n| option | meaning |\n|---|---|\n"
            "| `-m`, `--more` | show more: subsystem:basename:size at each node, "
            "relation:gen_method:multi_scale at each edge (default: basename and relation) |\n\n"
            "<!-- end of options -->\nbehind\n");
  const std::string links = listed("<!-- options of copse plan: --seed\n--seed: #streams\n-->");
  EXPECT_NE(links.find("| [`--seed NUMBER`](#streams) | for `--generate`: the seed;"), links.npos)
      << links;
  EXPECT_EQ(listed("<!-- options of copse status without copse show -->").find("`--running"),
            std::string::npos);
}

TEST(OptionLists, WrongMarksAreRefused) {
  EXPECT_EQ(listed("<!-- options of copse plann -->"), "page.md:2:1: copse plann is not a command");
  EXPECT_EQ(listed("<!-- options of copse plan: --sed -->"),
            "page.md:2:1: an option or a heading is unknown");
  EXPECT_EQ(listed("<!-- options of copse plan\n--seed\n-->"),
            "page.md:3:1: a link is \"--option: target\"");
}

TEST(ManPage, UnknownPlacesAreRefused) {
  const auto page = man_page(copse_table(), "@PLACE@\n", "today");
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(page.error().text, "@PLACE@ is not a place of a man page");
}

}  // namespace
}  // namespace copse::pages
