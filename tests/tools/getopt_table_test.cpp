// SPDX-License-Identifier: Apache-2.0
//
// Every option of the programs that replace others, from their own tables, with wrong values.
// They keep the messages and statuses of the programs that they replace: the first line names
// the option or the value; a usage may follow; nothing is on standard output, and no file is made.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "tools/grug2dot/grug2dot.hpp"
#include "tools/jobspec_validate.hpp"
#include "tools/program.hpp"
#include "tools/resource_query/rq_options.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;

struct StandIn {
  std::string name;
  OptionTable table;
  std::vector<std::string> good;  // words of a line that works
  int bad_usage;
};

// For messages of tests.
void PrintTo(const StandIn& tool, std::ostream* out) { *out << tool.name; }

std::vector<StandIn> stand_ins() {
  return {{"resource-query", resource_query_table(), {"-L", "machines/desk.graphml"}, 1},
          {"grug2dot", grug2dot_table(), {"machines/desk.graphml"}, 1},
          {"flux-jobspec-validate", jobspec_validate_table(), {"job.yaml"}, 2}};
}

// "load-file", of all options.
std::vector<std::string> long_names(const OptionTable& table) {
  std::vector<std::string> out;
  for (const OptionRow& row : table.options) {
    if (!row.positional) out.push_back(row.names.front().substr(2));
  }
  return out;
}

class StandIns : public testing::TestWithParam<StandIn> {
 protected:
  StandIns() {
    fs::create_directory(scratch_.path() / "folder");
    scratch_.write("prose", "This is a letter.\n");
    scratch_.write("job.yaml",
                   "version: 9999\nresources:\n  - type: slot\n    count: 1\n    label: a\n"
                   "    with:\n      - type: core\n        count: 1\n"
                   "attributes:\n  system:\n    duration: 60\ntasks:\n"
                   "  - command: [a]\n    slot: a\n    count:\n      per_slot: 1\n");
    before_ = files();
  }

  // The good line with words before and behind it: of an option given twice the last one counts.
  [[nodiscard]] Outcome answer(std::vector<std::string> words,
                               const std::vector<std::string>& behind = {}) const {
    words.insert(words.begin(), program(GetParam().name));
    words.insert(words.end(), GetParam().good.begin(), GetParam().good.end());
    words.insert(words.end(), behind.begin(), behind.end());
    return run({.words = std::move(words), .input = "quit\n", .folder = scratch_.path()});
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(scratch_.path())) {
      out.insert(entry.path().filename().string());
    }
    return out;
  }
  void expect_refused(const Outcome& got, int status, const std::string& named) const {
    EXPECT_EQ(got.ended_by, "");
    EXPECT_EQ(got.status, status) << got.errors;
    EXPECT_EQ(got.output, "");
    const std::string first = got.errors.substr(0, got.errors.find('\n'));
    EXPECT_NE(first.find(named), std::string::npos) << first;
    EXPECT_LE(first.size(), 400U);
    EXPECT_EQ(files(), before_);
  }

  Scratch scratch_;
  std::set<std::string> before_;
};

// Wrong values that the programs accept as Fluxion does: docs/compatibility.md, "Wrong values of options".
bool is_taken(const std::string& option, const std::string& value) {
  if (option == "load-allowlist" || option == "reserve-vtx-vec") return true;  // any text
  if (option == "prune-filters") return value.empty();
  // Names of files to write, those in a folder that does not exist are refused.
  if (option == "graph-output" || option == "test-output") {
    return value != "none/made" && (value != "folder" || option == "graph-output");
  }
  return false;
}

TEST_P(StandIns, RefuseWrongValues) {
  for (const std::string& name : long_names(GetParam().table)) {
    if (GetParam().table.find_option("", "--" + name)->unit.empty()) {
      SCOPED_TRACE(name);
      if (name != "help" && name != "version") {
        expect_refused(answer({"--" + name + "=yes"}), GetParam().bad_usage, name);
      }
      continue;
    }
    for (const char* value :
         {"", "[?", "99999999999999999999", "folder", "/proc/self/mem", "prose", "none/made"}) {
      if (is_taken(name, value)) continue;
      SCOPED_TRACE(name + "=" + value);
      expect_refused(answer({}, {"--" + name + "=" + value}), GetParam().bad_usage, value);
    }
  }
}

TEST_P(StandIns, RefuseOptionsThatAreNone) {
  for (const std::string& name : long_names(GetParam().table)) {
    const std::string misspelt = "--x" + name;
    SCOPED_TRACE(misspelt);
    expect_refused(answer({misspelt}), GetParam().bad_usage, misspelt);
  }
  expect_refused(answer({"-Z"}), GetParam().bad_usage, "Z");
}

TEST_P(StandIns, RefuseWrongFiles) {
  for (const char* file : {"none.graphml", "folder", "prose", "/proc/self/mem", ""}) {
    SCOPED_TRACE(file);
    std::vector<std::string> words{program(GetParam().name)};
    if (GetParam().name == "resource-query") words.emplace_back("-L");
    words.emplace_back(file);
    const Outcome got = run({.words = words, .input = "quit\n", .folder = scratch_.path()});
    EXPECT_EQ(got.ended_by, "");
    EXPECT_NE(got.status, 0);
    EXPECT_EQ(got.output, "");
    EXPECT_NE(got.errors, "");
    EXPECT_EQ(files(), before_);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, StandIns, testing::ValuesIn(stand_ins()),
                         [](const testing::TestParamInfo<StandIn>& one) {
                           std::string name = one.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace copse
