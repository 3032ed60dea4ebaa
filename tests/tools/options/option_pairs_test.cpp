// SPDX-License-Identifier: Apache-2.0
//
// Every two options of a command: an output that is an input or another output, two inputs that are
// standard input, the second option in place of the first one's value, and options that exclude each other.
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/in_process.hpp"
#include "tools/options/option_cases.hpp"

namespace copse {
namespace {

using Words = std::vector<std::string>;

class OptionPairs : public CommandTest {};

// All pairs of options that may be given together, with a good line that has the first one.
template <class Try>
void each_pair(const std::vector<OptionRow>& options, const Try& attempt) {
  for (const OptionRow& a : options) {
    for (const OptionRow& b : options) {
      const bool apart = std::ranges::find(a.excludes, b.names.front()) != a.excludes.end() ||
                         std::ranges::find(b.excludes, a.names.front()) != b.excludes.end();
      if (!apart && a.names != b.names) attempt(a, b, line_for(a));
    }
  }
}

TEST_P(OptionPairs, RefuseToOverwriteWhatTheyRead) {
  const CommandFolder folder;
  each_pair(options(), [&](const OptionRow& out, const OptionRow& in, GoodLine line) {
    const bool may_replace = out.names.front() == "--save" && in.names.front() == "--restore";
    if (out.kind != ValueKind::output_file || in.kind != ValueKind::input_file || may_replace) {
      return;
    }
    const auto had = line.find(in.names.front());
    const std::string file =
        had == line.end() || had->second.contains('/') ? "r.json" : had->second;
    line[in.names.front()] = file;
    for (const std::string& same : {file, "./folder/../" + file}) {
      line[out.names.front()] = same;
      expect_refused(folder, out, words_of(out.command, line), {"a file that is read", same});
    }
  });
}

TEST_P(OptionPairs, RefuseToWriteAFileTwice) {
  const CommandFolder folder;
  each_pair(options(), [&](const OptionRow& a, const OptionRow& b, GoodLine line) {
    if (a.kind != ValueKind::output_file || b.kind != ValueKind::output_file) return;
    for (const char* same : {"new", "-"}) {
      line[a.names.front()] = line[b.names.front()] = same;
      expect_refused(folder, a, words_of(a.command, line), {"the file of another output", same});
    }
  });
}

TEST_P(OptionPairs, RefuseStandardInputTwice) {
  const CommandFolder folder;
  each_pair(options(), [&](const OptionRow& a, const OptionRow& b, GoodLine line) {
    if (a.kind != ValueKind::input_file || b.kind != ValueKind::input_file) return;
    line[a.names.front()] = line[b.names.front()] = "-";
    expect_refused(folder, a, words_of(a.command, line), {"standard input, twice", "-"});
  });
}

TEST_P(OptionPairs, RefuseAnOptionInPlaceOfAValue) {
  const CommandFolder folder;
  std::vector<OptionRow> named = options();
  std::erase_if(named, [](const OptionRow& row) { return row.positional; });
  for (std::size_t i = 0; i < named.size(); ++i) {
    const OptionRow& row = named[i];
    if (row.kind == ValueKind::none) continue;
    GoodLine line = line_for(row);
    // The long name and the last one, which may be a letter.
    const OptionRow& next = named[(i + 1) % named.size()];
    for (const std::string& name : {next.names.front(), next.names.back()}) {
      line[row.names.front()] = name;
      expect_refused(folder, row, words_of(row.command, line), {"the next option", name});
    }
  }
}

TEST_P(OptionPairs, RefuseWhatExcludesEachOther) {
  const CommandFolder folder;
  const std::vector<OptionRow> all = options();
  for (const OptionRow& a : all) {
    for (const OptionRow& b : all) {
      if (std::ranges::find(a.excludes, b.names.front()) == a.excludes.end()) continue;
      GoodLine line = line_for(a);
      for (const OptionRow& row : {a, b}) line.try_emplace(row.names.front(), good_value(row));
      const Outcome got = run_copse(words_of(a.command, line), folder.path());
      SCOPED_TRACE(a.command + ": " + a.names.front() + " and " + b.names.front());
      EXPECT_EQ(got.status, 2);
      EXPECT_EQ(got.output, "");
      EXPECT_NE(got.errors.find("cannot be combined with"), std::string::npos) << got.errors;
      EXPECT_EQ(folder.take_changes(), Words{});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Copse, OptionPairs, testing::ValuesIn(commands_that_run()), name_of_test);

}  // namespace
}  // namespace copse
