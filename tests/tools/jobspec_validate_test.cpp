// SPDX-License-Identifier: Apache-2.0
//
// The files of tests/data/jobspecs: valid ones, and others with the message about each of them.
// Sessions (tests/data/sessions/jobspec-validate) have the command line.
#include "tools/jobspec_validate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "copse/request.hpp"
#include "paths.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;

const fs::path kData = fs::path(source_dir()) / "tests/data/jobspecs";

// A file in memory.
class Text {
 public:
  explicit Text(std::string_view text = {}) : file_(std::tmpfile(), std::fclose) {
    std::fwrite(text.data(), 1, text.size(), file_.get());
    std::rewind(file_.get());
  }
  [[nodiscard]] std::FILE* file() const { return file_.get(); }
  [[nodiscard]] std::string read() const {
    std::string out;
    std::rewind(file_.get());
    for (int c = 0; (c = std::fgetc(file_.get())) != EOF;) out += static_cast<char>(c);
    return out;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

struct ValidatorOutcome {
  JobspecVerdict verdict;
  std::string output, errors;
};

ValidatorOutcome validate(const std::vector<std::string>& files, std::string_view input = {},
                          bool quiet = false) {
  const Text in(input), out, errors;
  const JobspecVerdict verdict = validate_jobspecs(
      files, {.quiet = quiet, .input = in.file(), .output = out.file(), .errors = errors.file()});
  return {verdict, out.read(), errors.read()};
}

// All files of a folder but `expected`, in order.
std::vector<fs::path> files_of(const char* folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(kData / folder)) {
    if (entry.path().filename() != "expected") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The lines of `expected` in the folder about a file, with the path of the file.
std::string expected_for(const fs::path& path) {
  std::ifstream file(path.parent_path() / "expected");
  std::string out;
  for (std::string line; std::getline(file, line);) {
    const std::string name = path.filename().string() + ":";
    if (line.starts_with(name)) out += (path.parent_path() / line).string() + "\n";
  }
  return out;
}

TEST(JobspecValidate, ValidFilesAreAcceptedAndStaySo) {
  const auto files = files_of("valid");
  EXPECT_GE(files.size(), 20U);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path);
    const ValidatorOutcome first = validate({path.string()});
    EXPECT_EQ(first.verdict, JobspecVerdict::good);
    EXPECT_EQ(first.errors, "");
    const std::string text = file_text(path);
    const auto documents = [](const std::string& yaml) {
      std::size_t count = yaml.starts_with("---\n") ? 1 : 0;
      for (std::size_t at = 0; (at = yaml.find("\n---\n", at)) != std::string::npos; ++at) ++count;
      return count;
    };
    EXPECT_EQ(documents(first.output), std::max<std::size_t>(documents(text), 1));
    const ValidatorOutcome second = validate({"-"}, first.output);
    EXPECT_EQ(second.verdict, JobspecVerdict::good);
    EXPECT_EQ(second.errors, "");
    EXPECT_EQ(second.output, first.output);
  }
}

void expect_files_refused(const char* folder, JobspecVerdict verdict, std::size_t least) {
  const auto files = files_of(folder);
  EXPECT_GE(files.size(), least);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path);
    const ValidatorOutcome outcome = validate({path.string()});
    EXPECT_EQ(outcome.verdict, verdict);
    EXPECT_EQ(outcome.errors, expected_for(path));
    EXPECT_NE(outcome.errors, "");
  }
  std::ifstream expected(kData / folder / "expected");
  for (std::string line; std::getline(expected, line);) {
    EXPECT_TRUE(fs::exists(kData / folder / line.substr(0, line.find(':')))) << line;
  }
}

TEST(JobspecValidate, EachInvalidFileIsRefusedAtItsPlace) {
  expect_files_refused("invalid", JobspecVerdict::refused, 49);
}

TEST(JobspecValidate, WhatIsNoYamlIsToldApart) {
  expect_files_refused("not-yaml", JobspecVerdict::not_yaml, 7);
}

// A match refuses the same files, with the same sentence first, but for streams.
TEST(JobspecValidate, AcceptsWhatAMatchAccepts) {
  for (const char* folder : {"valid", "invalid", "not-yaml"}) {
    for (const fs::path& path : files_of(folder)) {
      if (path.string().find("document") != std::string::npos) continue;
      const auto request = parse_jobspec(file_text(path), path.string());
      EXPECT_EQ(request.has_value(), std::string_view(folder) == "valid") << path;
      const std::string expected = expected_for(path);
      if (!request && path.filename() != "alias-then-more.yaml" &&
          path.filename() != "json-lines.json") {
        EXPECT_EQ(request.error().message() + "\n", expected);
      }
    }
  }
}

const std::string kGoodJobspec = "version: 1\nresources: []\ntasks: []\nattributes:\n";

TEST(JobspecValidate, TheWorstVerdictCountsAndTheRestGoesOn) {
  const std::string good = (kData / "valid/least.yaml").string();
  const std::string bad = (kData / "invalid/version-0.yaml").string();
  const std::string broken = (kData / "not-yaml/tab.yaml").string();
  const std::string once = validate({good}).output;
  EXPECT_EQ(validate({bad, good}).verdict, JobspecVerdict::refused);
  EXPECT_EQ(validate({bad, good}).output, once);
  EXPECT_EQ(validate({"/nowhere/at/all", bad, good}).verdict, JobspecVerdict::unreadable);
  EXPECT_EQ(validate({broken, "/nowhere/at/all", bad, good}).verdict, JobspecVerdict::not_yaml);
  EXPECT_EQ(validate({broken, "/nowhere/at/all", bad, good, good}).output, once + once);
  EXPECT_EQ(validate({"/nowhere/at/all"}).errors,
            "/nowhere/at/all: the file cannot be opened: No such file or directory\n");
  EXPECT_EQ(validate({kData.string()}).errors,
            kData.string() + ": the file cannot be read: Is a directory\n");
}

TEST(JobspecValidate, StandardInput) {
  EXPECT_EQ(validate({}, kGoodJobspec).output, validate({"-"}, kGoodJobspec).output);
  EXPECT_EQ(validate({}, "x").errors, "<stdin>:1:1: Top level of jobspec is not a mapping\n");
  const ValidatorOutcome twice = validate({"-", "-"}, kGoodJobspec);
  EXPECT_EQ(twice.verdict, JobspecVerdict::unreadable);
  EXPECT_EQ(twice.errors, "<stdin>: standard input can be read only once\n");
}

TEST(JobspecValidate, QuietWritesErrorsOnly) {
  const ValidatorOutcome quiet = validate({}, kGoodJobspec + "---\n[]\n", true);
  EXPECT_EQ(quiet.output, "");
  EXPECT_EQ(quiet.errors, "<stdin>:6:1: Top level of jobspec is not a mapping\n");
}

TEST(JobspecValidate, ATextThatIsTooLong) {
  const ValidatorOutcome outcome = validate({}, std::string((16u << 20) + 1, '\n'));
  EXPECT_EQ(outcome.verdict, JobspecVerdict::not_yaml);
  EXPECT_EQ(outcome.errors, "<stdin>: the text is longer than 16777216 bytes\n");
}

TEST(JobspecValidate, AnOutputThatIsFull) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> full(std::fopen("/dev/full", "w"), std::fclose);
  if (!full) GTEST_SKIP() << "no /dev/full";
  const Text in(kGoodJobspec), errors;
  const auto verdict =
      validate_jobspecs({}, {.input = in.file(), .output = full.get(), .errors = errors.file()});
  EXPECT_EQ(verdict, JobspecVerdict::unreadable);
  EXPECT_EQ(errors.read(), "<stdout>: the jobspecs cannot be written: No space left on device\n");
}

}  // namespace
}  // namespace copse
