// SPDX-License-Identifier: Apache-2.0
//
// Runs every session file of tests/data/sessions against the programs of the build.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "paths.hpp"
#include "tools/program.hpp"
#include "tools/session_file.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;

fs::path sessions() { return fs::path(source_dir()) / "tests/data/sessions"; }

std::vector<std::string> session_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(sessions())) {
    if (entry.path().extension() != ".session") continue;
    names.push_back(fs::relative(entry.path(), sessions()).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string session_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The text in the form of a session file, so that it can be read, checked and copied.
std::string as_block(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += '|' + std::string(text.substr(0, end)) + '\n';
    if (end == std::string_view::npos) return out + "(without a newline)\n";
    text.remove_prefix(end + 1);
  }
  return out;
}

void expect_block(const std::string& what, const std::vector<std::string>& patterns,
                  std::string_view text) {
  EXPECT_TRUE(matches(patterns, text))
      << what << " differs from line " << first_difference(patterns, text) << " on; it is:\n"
      << as_block(text);
}

void run_once(const SessionFile& session, const std::vector<std::string>& more) {
  const Scratch scratch;
  for (const auto& [name, text] : session.files) scratch.write(name, text);
  Command command{
      .words = {program(session.program)}, .input = session.input, .folder = scratch.path()};
  command.words.insert(command.words.end(), session.args.begin(), session.args.end());
  command.words.insert(command.words.end(), more.begin(), more.end());
  std::string shown;
  for (const std::string& w : command.words) shown += w + ' ';
  SCOPED_TRACE(shown);

  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.ended_by, "");
  EXPECT_EQ(outcome.status, session.status);
  expect_block("standard output", session.output, outcome.output);
  expect_block("standard error", session.errors, outcome.errors);
  for (const auto& [name, patterns] : session.made) {
    expect_block("the file " + name, patterns, scratch.read(name));
  }
}

class RecordedSession : public testing::TestWithParam<std::string> {};

TEST_P(RecordedSession, AnswersAsWritten) {
  const fs::path path = sessions() / GetParam();
  const auto session = parse_session(session_text(path), path.string());
  ASSERT_TRUE(session) << session.error().message();
  EXPECT_NE(session->about, "") << "say what the session shows";
  for (const auto& more : session->each) run_once(*session, more);
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedSession, testing::ValuesIn(session_names()),
                         [](const auto& session) {
                           std::string name = session.param.substr(0, session.param.find('.'));
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

TEST(SessionFile, PatternsCanFail) {
  EXPECT_TRUE(matches({}, ""));
  EXPECT_FALSE(matches({}, "a\n"));
  EXPECT_FALSE(matches({"a"}, ""));
  EXPECT_FALSE(matches({"a"}, "a"));  // no newline
  EXPECT_TRUE(matches({"a", ""}, "a\n\n"));
  EXPECT_FALSE(matches({"a"}, "a\n\n"));
  EXPECT_TRUE(matches({"t=*s", "b"}, "t=1s\nb\n"));
  EXPECT_FALSE(matches({"t=*s", "b"}, "t=1\nb\n"));
  EXPECT_TRUE(matches({"...", "b"}, "b\n"));
  EXPECT_TRUE(matches({"...", "b", "..."}, "a\nb\nc\n"));
  EXPECT_FALSE(matches({"...", "b"}, "a\nb\nc\n"));
  EXPECT_TRUE(matches({"...", "b", "c"}, "b\nb\nc\n"));
  EXPECT_EQ(first_difference({"a", "b"}, "a\nc\nd\n"), 2U);
  EXPECT_EQ(first_difference({"a", "b"}, "a\n"), 2U);
}

TEST(SessionFile, Parses) {
  const auto s = parse_session(
      "What it shows.\n\nargs: -P \"policy=low x\" \"\"\neach: -p a\neach: -p b\n"
      "file j.yaml:\n|a: 1\n||b\nstdin:\n2|m\n|\nstdout:\n3|...\nout r:\n|x \nexit: 7\n",
      "s");
  ASSERT_TRUE(s) << s.error().message();
  EXPECT_EQ(s->about, "What it shows.\n\n");
  EXPECT_EQ(s->args, (std::vector<std::string>{"-P", "policy=low x", ""}));
  EXPECT_EQ(s->each, (std::vector<std::vector<std::string>>{{"-p", "a"}, {"-p", "b"}}));
  EXPECT_EQ(s->files.at("j.yaml"), "a: 1\n|b\n");
  EXPECT_EQ(s->input, "m\nm\n\n");
  EXPECT_EQ(s->output, (std::vector<std::string>{"...", "...", "..."}));
  EXPECT_EQ(s->made.at("r"), (std::vector<std::string>{"x "}));
  EXPECT_EQ(s->status, 7);
}

TEST(SessionFile, RefusesWhatItCannotRead) {
  EXPECT_FALSE(parse_session("only words\n", "s"));
  EXPECT_EQ(parse_session("args: x\nstdo:\n|x\n", "s").error().place.line, 2U);
  EXPECT_EQ(parse_session("args: x\n|x\n", "s").error().place.line, 2U);
  EXPECT_EQ(parse_session("stdin:\n99999999|x\n", "s").error().place.line, 2U);
}

}  // namespace
}  // namespace copse
