// SPDX-License-Identifier: Apache-2.0
//
// tests/first-hour.md: every line has tests, and there is each test that it names.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "paths.hpp"

namespace copse {

namespace {

namespace fs = std::filesystem;

std::string all_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "Suite.Name" of all test files, and names of tests that CMake adds.
std::set<std::string> names_of_tests() {
  const fs::path tests = fs::path(source_dir()) / "tests";
  const std::regex macro(R"(TEST(?:_P|_F)?\((\w+),\s*(\w+)\))"), own(R"(add_test\(NAME ([\w.]+))");
  std::set<std::string> out;
  const auto add = [&](const std::string& text, const std::regex& what) {
    for (std::sregex_iterator at(text.begin(), text.end(), what), end; at != end; ++at) {
      out.insert(at->size() > 2 ? (*at)[1].str() + '.' + (*at)[2].str() : (*at)[1].str());
    }
  };
  for (const auto& entry : fs::recursive_directory_iterator(tests)) {
    if (entry.path().extension() == ".cpp") add(all_of(entry.path()), macro);
  }
  add(all_of(tests / "CMakeLists.txt"), own);
  return out;
}

TEST(FirstHour, EveryLineHasTestsThatExist) {
  const fs::path root = source_dir();
  const std::set<std::string> known = names_of_tests();
  const std::regex name("`([^`]+)`");
  std::istringstream page(all_of(root / "tests/first-hour.md"));
  std::string part;
  std::map<std::string, int> lines;  // by part: how many, and they are numbered
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) part = line.substr(3);
    if (!line.starts_with("| ") || line.starts_with("| line") || line.starts_with("| before") ||
        line.starts_with("| what ")) {
      continue;
    }
    SCOPED_TRACE(line);
    ++lines[part];
    if (part == "Wrong" || part == "Missing") {
      EXPECT_TRUE(line.starts_with("| " + std::to_string(lines[part]) + " |"));
    }
    const std::string tests = line.substr(line.rfind('|', line.size() - 2));
    int named = 0;
    for (std::sregex_iterator at(tests.begin(), tests.end(), name), end; at != end; ++at, ++named) {
      const std::string test = (*at)[1];
      const bool session = test.find('/') != std::string::npos;
      EXPECT_TRUE(session ? fs::exists(root / "tests/data/sessions" / (test + ".session"))
                          : known.contains(test))
          << "there is no test " << test;
    }
    EXPECT_GT(named, 0);
  }
  EXPECT_EQ(lines["Wrong"], 12);
  EXPECT_EQ(lines["Missing"], 9);
}

}  // namespace
}  // namespace copse
