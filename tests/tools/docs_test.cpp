// SPDX-License-Identifier: Apache-2.0
//
// Runs the commands that README.md and the pages of docs/ show, each page in its order and in one
// folder with `examples`, and compares their output with the page.
//
// In a block ```console a line "$ …" is a command, lines "> …" go on with it, and its output
// follows, standard error last. What "$ export …" says holds for the commands behind it. "..." stands for any lines, "*" for any characters. A block ```xml
// NAME is a file of that name. Seconds that something took are not compared; a page that shows some
// says that they differ "from run to run".
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <regex>
#include <string>
#include <vector>

#include "paths.hpp"
#include "tools/program.hpp"
#include "tools/session_file.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;

const fs::path kSource(source_dir());

struct Shown {
  std::size_t line = 0;
  std::string command, file;  // one of them: run it, or write the output to it
  std::vector<std::string> output;
};

struct Page {
  fs::path path;  // from the source
  std::vector<Shown> shown;
  std::vector<std::size_t> outside;  // lines with commands that no block runs
  bool says_times_differ = false, shows_times = false;
};

void PrintTo(const Page& page, std::ostream* out) { *out << page.path.string(); }

// A line with "*" for the seconds in it.
std::string without_times(const std::string& line) {
  static const std::regex kTime(
      "(ELAPSE=|(?:Match|Load) Time: |\"load_s\": |^load time +|^time +|"
      "^INFO: [0-9]+, [A-Z]+, [0-9]+, [^,]*, )[0-9.e-]+( s, [0-9]+ jobs a second)?");
  return std::regex_replace(line, kTime, "$1*");
}

Page read_page(const fs::path& path) {
  constexpr std::string_view kXml = "```xml ";
  Page page;
  page.path = path;
  std::ifstream text(kSource / path);
  enum class Block { none, console, file, other } block = Block::none;
  std::string line, prose;
  for (std::size_t number = 1; std::getline(text, line); ++number) {
    prose += line + ' ';
    Shown* const last = page.shown.empty() ? nullptr : &page.shown.back();
    if (line.starts_with("```")) {
      block = block != Block::none     ? Block::none
              : line == "```console"   ? Block::console
              : line.starts_with(kXml) ? Block::file
                                       : Block::other;
      if (block == Block::file) page.shown.push_back({number, {}, line.substr(kXml.size()), {}});
    } else if (block == Block::file) {
      last->output.push_back(line);
    } else if (block == Block::console && line.starts_with("$ ")) {
      page.shown.push_back({number, line.substr(2), {}, {}});
    } else if (block == Block::console && last != nullptr) {
      if (last->output.empty() && line.starts_with("> ")) {
        last->command += '\n' + line.substr(2);
      } else {
        last->output.push_back(without_times(line));
        page.shows_times |= last->output.back() != line;
      }
    } else if (block == Block::none && line.starts_with("    $ ")) {
      page.outside.push_back(number);
    }
  }
  page.says_times_differ = prose.find("from run to run") != std::string::npos;
  return page;
}

std::vector<Page> pages() {
  std::vector<Page> out;
  const auto add = [&](const fs::path& path) {
    Page page = read_page(fs::relative(path, kSource));
    if (!page.shown.empty() || !page.outside.empty()) out.push_back(std::move(page));
  };
  add(kSource / "README.md");
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") add(entry.path());
  }
  std::sort(out.begin(), out.end(), [](const Page& a, const Page& b) { return a.path < b.path; });
  return out;
}

class Docs : public testing::TestWithParam<Page> {};

TEST_P(Docs, CommandsAnswerAsShown) {
  const Page& page = GetParam();
  EXPECT_TRUE(page.outside.empty())
      << "put the command of line " << page.outside.front() << " into a console block";
  EXPECT_LE(page.shows_times, page.says_times_differ) << "say that times differ from run to run";
  const Scratch scratch;
  fs::create_directory_symlink(kSource / "examples", scratch.path() / "examples");
  std::string exported;
  for (const Shown& one : page.shown) {
    if (!one.file.empty()) {
      std::ofstream file(scratch.path() / one.file);
      for (const std::string& line : one.output) file << line << '\n';
      continue;
    }
    if (one.command.starts_with("export ")) exported += one.command + '\n';
    const std::string text = "PATH=" + build_dir() + ":$PATH\n" + exported + one.command + '\n';
    const Outcome outcome =
        run({.words = {"/bin/sh", "-c", text}, .input = {}, .folder = scratch.path()});
    EXPECT_EQ(outcome.ended_by, "");
    const std::string answer = outcome.output + outcome.errors;
    EXPECT_TRUE(matches(one.output, answer))
        << page.path.string() << ':' << one.line << ": $ " << one.command << "\nsays from line "
        << first_difference(one.output, answer) << " on:\n"
        << answer;
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, Docs, testing::ValuesIn(pages()), [](const auto& page) {
  std::string name = page.param.path.string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace copse
