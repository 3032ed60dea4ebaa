// SPDX-License-Identifier: Apache-2.0
//
// The commands of docs/plan.md do what it says: each "$ command" of its console blocks is run in a
// folder with `examples`, and the lines below it are what it answers on both streams, standard
// output first. The line that says how long it took is not compared.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/program.hpp"
#include "tools/session_file.hpp"

namespace copse {
namespace {

struct Shown {
  std::string command;
  std::vector<std::string> answer;
};

std::vector<Shown> commands_of(const std::filesystem::path& page) {
  std::ifstream file(page);
  std::vector<Shown> out;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      out.push_back({line.substr(2), {}});
    } else if (inside && !out.empty()) {
      out.back().answer.push_back(line.starts_with("time  ") ? "time  *" : line);
    }
  }
  return out;
}

TEST(PlanDoc, CommandsAnswerAsShown) {
  namespace fs = std::filesystem;
  const auto commands = commands_of(fs::path(COPSE_SOURCE_DIR) / "docs/plan.md");
  ASSERT_GE(commands.size(), 5U);
  const Scratch scratch;
  fs::create_directory_symlink(fs::path(COPSE_SOURCE_DIR) / "examples",
                               scratch.path() / "examples");
  const std::string path = fs::path(program("copse")).parent_path().string();
  for (const Shown& shown : commands) {
    SCOPED_TRACE(shown.command);
    const Outcome outcome =
        run({.words = {"/bin/sh", "-c", "PATH=" + path + ":$PATH; " + shown.command},
             .input = {},
             .folder = scratch.path()});
    EXPECT_EQ(outcome.ended_by, "");
    const std::string answer = outcome.output + outcome.errors;
    EXPECT_TRUE(matches(shown.answer, answer))
        << "differs from line " << first_difference(shown.answer, answer) << " on:\n"
        << answer;
  }
}

}  // namespace
}  // namespace copse
