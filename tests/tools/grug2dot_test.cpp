// SPDX-License-Identifier: Apache-2.0
#include "tools/grug2dot/grug2dot.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "formats/grug_text.hpp"
#include "paths.hpp"

namespace copse::grug {
namespace {

const std::string kData = source_dir() + "/tests/data/grug/";

// Runs the tool in an empty folder of its own.
class Grug2dot : public testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::string name = (std::filesystem::temp_directory_path() / "grug2dot-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  int run(std::vector<std::string> words) {
    words.insert(words.begin(), "grug2dot");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    testing::internal::CaptureStderr();
    const int code = grug2dot(static_cast<int>(words.size()), argv.data());
    errors_ = testing::internal::GetCapturedStderr();
    return code;
  }

  std::filesystem::path before_, folder_;
  std::string errors_;
};

TEST_F(Grug2dot, WritesTheStemIntoTheCurrentFolder) {
  EXPECT_EQ(run({kData + "dialect.graphml"}), 0);
  EXPECT_EQ(errors_, "");
  EXPECT_EQ(read_all("dialect.dot"), read_all(kData + "dialect.dot"));
  for (const char* more : {"-m", "--more", "--mo"}) {
    EXPECT_EQ(run({kData + "dialect.graphml", more}), 0);
    EXPECT_EQ(read_all("dialect.dot"), read_all(kData + "dialect_more.dot"));
  }
}

TEST_F(Grug2dot, KeepsAllButTheLastSuffix) {
  std::filesystem::copy_file(kData + "dialect.graphml", "a.b.xml");
  EXPECT_EQ(run({"a.b.xml"}), 0);
  EXPECT_TRUE(std::filesystem::exists("a.b.dot"));
}

TEST_F(Grug2dot, ShowsItsUsageOnStderr) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_NE(errors_.find("Usage: grug2dot [-h|--help] [-m|--more] FILE"), std::string::npos);
  EXPECT_NE(errors_.find("Examples:"), std::string::npos);
  EXPECT_EQ(run({"-h", "nowhere"}), 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"a", "b"}, {"-x", "a"}, {"--more"}}) {
    EXPECT_EQ(run(words), 1);
    EXPECT_NE(errors_.find("Usage:"), std::string::npos);
  }
}

TEST_F(Grug2dot, SaysWhatCannotBeReadOrWritten) {
  EXPECT_EQ(run({"nowhere.graphml"}), 255);
  EXPECT_EQ(errors_,
            "Error in reading nowhere.graphml\n"
            "nowhere.graphml: the file cannot be opened\n");
  EXPECT_EQ(run({"."}), 255);
  EXPECT_EQ(errors_, "Error in reading .\n.: the file cannot be read\n");
  std::ofstream("bad.graphml") << "<graphml>";
  EXPECT_EQ(run({"bad.graphml"}), 255);
  EXPECT_TRUE(errors_.starts_with("Error in reading bad.graphml\nbad.graphml:1:")) << errors_;
  EXPECT_FALSE(std::filesystem::exists("bad.dot"));

  std::filesystem::create_directory("dialect.dot");
  EXPECT_EQ(run({kData + "dialect.graphml"}), 255);
  EXPECT_EQ(errors_, "Error in writing dialect.dot\n");

  const std::string text = read_all(kData + "dialect.graphml");
  std::ofstream("recipe.dot") << text;
  EXPECT_EQ(run({"recipe.dot"}), 255);  // a recipe is not overwritten by its picture
  EXPECT_EQ(read_all("recipe.dot"), text);
}

}  // namespace
}  // namespace copse::grug
