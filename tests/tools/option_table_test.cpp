// SPDX-License-Identifier: Apache-2.0
//
// Every option of every command, as the command line itself lists them, with values that are wrong:
// one line on standard error, exit status 2, nothing on standard output, no file made or changed.
// Also what --help, the completion and the manual page owe to each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <regex>
#include <set>

#include "tools/copse/copse.hpp"
#include "tools/copse/help_layout.hpp"
#include "tools/in_process.hpp"

namespace copse {

// For messages of tests.
void PrintTo(const CommandRow& row, std::ostream* out) { *out << "copse " << row.command; }

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const OptionTable& table() {
  static const OptionTable kTable = option_table(add_commands);
  return kTable;
}

constexpr const char* kFlag = "(given)";  // as a value: there is none

// A command line that works: values by name of the option or argument.
using Line = std::map<std::string, std::string>;

// Of each command, with all files that it can write. A new command needs one here.
const std::map<std::string, Line>& good_lines() {
  static const std::string kDesk = "machines/desk.graphml";
  static const std::map<std::string, Line> kLines{
      {"match", {{"--load-file", kDesk}, {"request", "job.yaml"}}},
      {"info", {{"--load-file", kDesk}}},
      {"convert", {{"--load-file", kDesk}, {"--to", "jgf"}, {"--output", "made"}}},
      {"show", {{"--load-file", kDesk}, {"--output", "made"}}},
      {"status", {{"--load-file", kDesk}}},
      {"find", {{"--load-file", kDesk}, {"expression", "status=up"}}},
      {"plan",
       {{"--load-file", kDesk},
        {"jobs", "jobs.jsonl"},
        {"--output", "made"},
        {"--gantt", "made2"},
        {"--trace", "made3"}}},
      {"jobspec validate", {{"file", "job.yaml"}}},
      {"jobspec expand", {{"shape", "slot=1/core"}}},
      {"r encode", {{"--ranks", "0-1"}, {"--hosts", "n[0-1]"}}},
      {"r from-hwloc", {{"file", "data/hwloc/two-sockets.xml"}}},
      {"r parse-config", {{"path", "resource.toml"}}},
      {"r decode", {{"file", "r.json"}}},
      {"r info", {{"file", "r.json"}}},
      {"r verify", {{"file", "two.json"}}},
      {"r validate", {{"file", "r.json"}}},
      {"r append", {{"file", "r.json"}}},
      {"r diff", {{"file", "two.json"}}},
      {"r intersect", {{"file", "two.json"}}},
      {"r remap", {{"file", "r.json"}}},
      {"r rerank", {{"hostlist", "n[1,0]"}, {"--input", "r.json"}}},
      {"r normalize", {{"file", "r.json"}}},
      {"r set-property", {{"property", "fast"}, {"--input", "r.json"}}},
      {"session", {{"--load-file", kDesk}, {"--save", "made"}, {"--effects", "made2"}}},
      {"replay", {{"file", "effects"}, {"--save", "made"}}},
      {"supply",
       {{"--load-file", "hres/cluster.json"},
        {"--hres", "hres/resources.yaml"},
        {"--output", "made"}}},
  };
  return kLines;
}

// Good values of options that others need.
const Line& good_values() {
  static const Line kValues{{"--shape", "slot=1/core"}, {"--generate", "3"}, {"--explain", kFlag}};
  return kValues;
}

// --- The folder

constexpr const char* kR =
    R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0-3"}}],)"
    R"( "starttime": 0, "expiration": 0, "nodelist": ["n[0-1]"]}})";

class Folder {
 public:
  Folder() {
    fs::create_directory_symlink(fs::path(COPSE_SOURCE_DIR) / "examples/hres",
                                 scratch_.path() / "hres");
    fs::create_directory(scratch_.path() / "folder");
    scratch_.write("job.yaml",
                   "version: 9999\nresources:\n  - type: slot\n    count: 1\n"
                   "    label: a\n    with:\n      - type: core\n        count: 1\n"
                   "attributes:\n  system:\n    duration: 60\ntasks:\n"
                   "  - command: [a]\n    slot: a\n    count:\n      per_slot: 1\n");
    scratch_.write("jobs.jsonl", "{\"shape\": \"slot=1/core\", \"duration\": 60}\n");
    scratch_.write("r.json", kR + std::string("\n"));
    scratch_.write("two.json", kR + std::string("\n") + kR + "\n");
    scratch_.write("resource.toml",
                   "[resource]\n[[resource.config]]\nhosts = \"n[0-1]\"\n"
                   "cores = \"0-3\"\n");
    scratch_.write("bytes", std::string("\x7f\0ELF\xff\xfe\x01\n\0\x1b[31m", 16));
    scratch_.write("other.json", "[{\"a\": [1, 2.5, null]}]\n");
    scratch_.write("prose", "This is a letter: no machine, no request.\n");
    scratch_.write("empty", "");
    (void)run({.words = {program("copse"), "session", "-L", "machines/desk.graphml", "--effects",
                         "effects"},
               .input = "{\"op\": \"alloc\", \"id\": 1, \"shape\": \"slot=1/core\"}\n",
               .folder = scratch_.path()});
    before_ = files();
  }

  [[nodiscard]] const fs::path& path() const { return scratch_.path(); }

  // Names and texts of all files, without those behind links.
  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      if (entry.is_symlink()) continue;
      const std::string name = fs::relative(entry.path(), path()).string();
      out[name] = entry.is_directory() ? "a folder" : scratch_.read(name);
    }
    return out;
  }
  // What is made or changed; it goes.
  [[nodiscard]] Words take_changes() const {
    Words out;
    const auto now = files();
    for (const auto& [name, text] : now) {
      const auto at = before_.find(name);
      if (at != before_.end() && at->second == text) continue;
      out.push_back(name);
      at == before_.end() ? (void)fs::remove_all(path() / name) : scratch_.write(name, at->second);
    }
    for (const auto& [name, text] : before_) {
      if (!now.contains(name)) out.push_back(name + " is gone");
    }
    return out;
  }

 private:
  Scratch scratch_;
  std::map<std::string, std::string> before_;
};

Words split(const std::string& text) {
  Words out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// The words of a line. "--option=value" keeps a value that begins with "-".
Words words_of(const std::string& command, const Line& line) {
  Words out = split(command), arguments;
  for (const auto& [name, value] : line) {
    if (name.starts_with("-")) {
      out.push_back(name);
      if (value != kFlag) out.push_back(value);
    } else {
      arguments.push_back(value);
    }
  }
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

// --- Wrong values

struct Wrong {
  std::string what, value;
};

// Texts that every value may be: those that are right are named with the reason.
bool is_right(const OptionRow& row, const Wrong& wrong) {
  const std::string option = row.command + ' ' + row.names.front();
  static const std::set<std::string> kAnyText{
      "r decode --count",  // of which a set may have none, as in flux R
      "r decode --properties", "r encode --property", "r set-property property",  // RFC 20
  };
  if (wrong.what == "a huge number" && row.unit == "HOSTLIST") return true;  // a host of this name
  // A type may have any name.
  if (wrong.what == "a huge number" && option == "jobspec expand shape") return true;
  // So may a property: that no node has it is for the answer to say.
  if (wrong.what == "a huge number" && option == "match --constraint") return true;
  return kAnyText.contains(option);
}

std::vector<Wrong> wrong_values(const OptionRow& row) {
  std::vector<Wrong> out{{"nothing", ""}};
  switch (row.kind) {
    case ValueKind::none: return {};
    case ValueKind::input_file:
      for (const char* file : {"bytes", "other.json", "prose", "empty"}) {
        out.push_back({"a file of another kind", file});
      }
      out.push_back({"a misspelt file", "machnes/dsk.graphml"});
      out.push_back({"a folder", "folder"});
      out.push_back({"an unreadable file", "/proc/self/mem"});
      out.push_back({"a file that never ends", "/dev/zero"});
      break;
    case ValueKind::output_file:
      out.push_back({"a folder", "folder"});
      out.push_back({"a folder that is not there", "none/made"});
      out.push_back({"a file below a file", "r.json/made"});
      break;
    case ValueKind::whole_number: out.push_back({"another type", "1.5"}); [[fallthrough]];
    case ValueKind::number:
      for (const char* text : {"1O", "ten", "nan", "inf", "-inf", "1e400", "-1", " 1", "0x10"}) {
        out.push_back({"no such number", text});
      }
      [[fallthrough]];
    case ValueKind::time:
      out.push_back({"no such time", "10 minuets"});
      out.push_back({"no such time", "nan"});
      out.push_back({"no such time", "1e400"});
      [[fallthrough]];
    case ValueKind::text:
    case ValueKind::word:
      out.push_back({"a typo", "[?,"});
      out.push_back({"a huge number", "99999999999999999999"});
      break;
  }
  return out;
}

// What the documents say of a file of another kind: an empty stream of jobs, requests or reservations is one,
// and validate has a status for what is none.
bool may_answer(const OptionRow& row, const Wrong& wrong) {
  if (wrong.value == "empty") {
    return row.names.front() == "jobs" || row.names.front() == "--after" ||
           row.names.front() == "--running" || row.names.front() == "--reservations";
  }
  if (row.names.front() == "--after" && wrong.what == "a file of another kind") return true;
  return wrong.what == "a folder" && row.names.front() == "--running";  // of files
}

void expect_refused(const Folder& folder, const OptionRow& row, const Words& words,
                    const Wrong& wrong) {
  std::string shown = "copse";
  for (const std::string& word : words) shown += " '" + word + '\'';
  SCOPED_TRACE(wrong.what + ": " + shown);
  const Outcome got = run_copse(words, folder.path());
  const Words changed = folder.take_changes();
  if (may_answer(row, wrong) && got.status != 2) return;
  const bool judges = row.command == "r validate" || row.command == "jobspec validate";
  if (judges && (wrong.what == "a file of another kind" || wrong.value == "/dev/zero")) {
    EXPECT_NE(got.status, 0);
  } else {
    EXPECT_EQ(got.status, 2);
  }
  EXPECT_EQ(got.output, "");
  EXPECT_EQ(changed, Words{});
  EXPECT_TRUE(got.errors.starts_with("copse: ")) << got.errors;
  EXPECT_EQ(std::ranges::count(got.errors, '\n'), 1) << got.errors;
  EXPECT_TRUE(got.errors.ends_with('\n')) << got.errors;
  EXPECT_TRUE(std::ranges::none_of(got.errors, [](char c) { return c == 0x1b || c == 0; }))
      << "the message has raw bytes of the input: " << got.errors;
  EXPECT_LE(got.errors.size(), 400U) << got.errors;
}

class Commands : public testing::TestWithParam<CommandRow> {
 protected:
  [[nodiscard]] static std::vector<OptionRow> options() {
    std::vector<OptionRow> out;
    std::ranges::copy_if(table().options, std::back_inserter(out),
                         [](const OptionRow& row) { return row.command == GetParam().command; });
    return out;
  }
};

TEST_P(Commands, RefuseWrongValues) {
  if (GetParam().is_group) return;
  const auto good = good_lines().find(GetParam().command);
  ASSERT_TRUE(good != good_lines().end()) << "good_lines() has no line for this command";
  const Folder folder;
  const Outcome works = run_copse(words_of(GetParam().command, good->second), folder.path());
  ASSERT_EQ(works.status, 0) << works.errors;
  (void)folder.take_changes();
  for (const OptionRow& row : options()) {
    Line line = good->second;
    for (const std::string& other : row.excludes) line.erase(other);
    for (const std::string& other : row.needs) {
      if (line.contains(other)) continue;
      ASSERT_TRUE(good_values().contains(other)) << "good_values() has none for " << other;
      line[other] = good_values().at(other);
      for (const OptionRow& needed : options()) {
        if (needed.names.front() != other) continue;
        for (const std::string& excluded : needed.excludes) line.erase(excluded);
      }
    }
    for (const Wrong& wrong : wrong_values(row)) {
      if (is_right(row, wrong)) continue;
      line[row.names.front()] = wrong.value;
      expect_refused(folder, row, words_of(row.command, line), wrong);
    }
  }
}

TEST_P(Commands, HelpFitsATerminal) {
  std::string_view help = GetParam().help;
  EXPECT_TRUE(help.ends_with('\n'));
  while (!help.empty()) {
    const std::size_t end = std::min(help.find('\n'), help.size());
    const std::string_view line = help.substr(0, end);
    const auto columns = std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    EXPECT_LE(columns, static_cast<std::ptrdiff_t>(kHelpColumns)) << line;
    EXPECT_FALSE(line.ends_with(' ')) << '"' << line << '"';
    help.remove_prefix(std::min(end + 1, help.size()));
  }
}

TEST_P(Commands, HelpHasAnExample) {
  const std::string command = "copse " + GetParam().command;
  if (GetParam().command.empty()) return;  // the table has no help of the program itself
  EXPECT_NE(GetParam().help.find("\nExample"), std::string::npos);
  const std::size_t examples = GetParam().help.rfind("\nExample");
  if (GetParam().is_group || examples == std::string::npos) return;
  EXPECT_NE(GetParam().help.find(command, examples), std::string::npos)
      << "the examples are of another command";
}

TEST_P(Commands, OptionsAreNamedAlike) {
  for (const OptionRow& row : options()) {
    EXPECT_NE(row.unit, "TEXT") << row.names.front() << ": say what its value is with unit()";
    EXPECT_NE(row.unit, "INT") << row.names.front() << ": say what its value is with unit()";
    EXPECT_NE(row.unit, "UINT") << row.names.front() << ": say what its value is with unit()";
    EXPECT_NE(row.unit, "FLOAT") << row.names.front() << ": say what its value is with unit()";
    EXPECT_NE(row.unit, "ENUM") << row.names.front() << ": say what its value is with unit()";
  }
}

std::string read_all(const fs::path& path) {
  std::ifstream file(fs::path(COPSE_SOURCE_DIR) / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The word stands in the text, and not as a part of a longer one.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const auto part = [&](std::size_t i) {
      return i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '-');
    };
    if (!part(end) && (at == 0 || !part(at - 1))) return true;
  }
  return false;
}

TEST(OptionTable, CompletionAndManualPageHaveAll) {
  const std::string completion = read_all("completions/copse.bash");
  const std::string manual =
      std::regex_replace(read_all("docs/man/copse.1"), std::regex("Fl (-?[A-Za-z])"), "-$1");
  for (const OptionRow& row : table().options) {
    if (row.positional) continue;
    EXPECT_TRUE(has_word(completion, row.names.front()))
        << "completions/copse.bash: " << row.command << ' ' << row.names.front();
    EXPECT_TRUE(std::ranges::any_of(row.names, [&](auto& name) { return has_word(manual, name); }))
        << "docs/man/copse.1: " << row.command << ' ' << row.names.front();
  }
  for (const CommandRow& row : table().commands) {
    const Words words = split(row.command);
    if (words.empty()) continue;
    EXPECT_TRUE(has_word(completion, words.back())) << "completions/copse.bash: " << row.command;
    EXPECT_TRUE(has_word(manual, words.back())) << "docs/man/copse.1: " << row.command;
  }
}

INSTANTIATE_TEST_SUITE_P(Copse, Commands, testing::ValuesIn(table().commands),
                         [](const auto& command) {
                           std::string name = "copse_" + command.param.command;
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace copse
