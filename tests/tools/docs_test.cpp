// SPDX-License-Identifier: Apache-2.0
//
// Runs the commands that a page of docs/ shows, in its order and in one folder, and compares what
// they answer with what the page says. In a block ```console a line "$ …" is a command, lines "> …"
// go on with it, and what follows is its output, standard error last; "..." stands for any lines,
// "*" for any characters.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tools/program.hpp"
#include "tools/session_file.hpp"

namespace copse {
namespace {

struct Shown {
  std::size_t line = 0;
  std::string command;
  std::vector<std::string> output;
};

std::vector<Shown> commands_of(const std::filesystem::path& page) {
  std::vector<Shown> out;
  std::ifstream file(page);
  std::string line;
  bool inside = false;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      out.push_back({number, line.substr(2), {}});
    } else if (inside && !out.empty() && out.back().output.empty() && line.starts_with("> ")) {
      out.back().command += '\n' + line.substr(2);
    } else if (inside && !out.empty()) {
      out.back().output.push_back(line);
    }
  }
  return out;
}

void run_page(const std::string& name) {
  const std::filesystem::path source(COPSE_SOURCE_DIR);
  const Scratch scratch;
  std::filesystem::create_directory_symlink(source / "examples", scratch.path() / "examples");
  const auto shown = commands_of(source / "docs" / name);
  ASSERT_FALSE(shown.empty());
  for (const Shown& one : shown) {
    const std::string text = "PATH=" COPSE_BINARY_DIR ":$PATH\n" + one.command + '\n';
    const Outcome outcome =
        run({.words = {"/bin/sh", "-c", text}, .input = {}, .folder = scratch.path()});
    EXPECT_EQ(outcome.ended_by, "");
    EXPECT_TRUE(matches(one.output, outcome.output + outcome.errors))
        << name << ':' << one.line << ": $ " << one.command << "\nsays:\n"
        << outcome.output << outcome.errors;
  }
}

TEST(Docs, CommandsOfRAnswerAsShown) { run_page("r.md"); }
TEST(Docs, CommandsOfSessionAnswerAsShown) { run_page("session.md"); }
TEST(Docs, CommandsOfHierarchicalResourcesAnswerAsShown) { run_page("hierarchical-resources.md"); }

}  // namespace
}  // namespace copse
