// SPDX-License-Identifier: Apache-2.0
//
// Every option of every command, as the command line itself lists them, with values that are wrong:
// one line on standard error, exit status 2, nothing on standard output, no file made or changed.
// Also what --help shows of each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <set>

#include "tools/copse/command_line/help_text.hpp"
#include "tools/copse/copse.hpp"
#include "tools/in_process.hpp"
#include "tools/options/option_cases.hpp"

namespace copse {

namespace {

using Words = std::vector<std::string>;

// --- Wrong values

// Texts that every value may be: those that are right are named with the reason.
bool is_right(const OptionRow& row, const WrongValue& wrong) {
  const std::string option = row.command + ' ' + row.names.front();
  static const std::set<std::string> kAnyText{
      "r decode --count",  // a set may have no ids of a type, as in flux R
      "serve --state",
      "serve --socket",  // any path
      "serve --audit",
      "token add --state",
      "token list --state",
      "token revoke --state",
      "r decode --properties",
      "r encode --property",
      "r set-property property",  // RFC 20
      // A user and a name may have any, and there may be no jobs of them.
      "submit --name",
      "run --name",
      "jobs --user",
      "jobs --queue",
      "cancel --user",
      "cancel --queue",
      "hold --user",
      "hold --queue",
      "release --user",
      "release --queue",
      "priority --user",
      "priority --queue",
      "drain --reason",  // shown to people
      "down --reason",   // the same
      // The instance has the names.
      "flux why --service",
      "flux when --service",
      "flux layers --service",
      "flux set-layer --service",
      "flux set-layer resource",
  };
  if (wrong.what == "a huge number" && row.unit == "HOSTLIST") return true;  // a host of this name
  // A type may have any name, and so may a queue.
  if (wrong.what == "a huge number" && option == "plan --generated-queues") return true;
  if (wrong.what == "a huge number" && option == "jobspec expand shape") return true;
  if (wrong.what == "a huge number" && option == "token add name") return true;  // so may a token
  // So may a property: the answer says that no node has it.
  if (wrong.what == "a huge number" && option.ends_with(" --constraint")) return true;
  // The same of a type, where a service answers.
  if (wrong.what == "a huge number" && option == "reserve --shape") return true;
  if (wrong.value == "-1" && option == "flux set-layer count") return true;  // as much as wanted
  if (wrong.value == "-1" && option.ends_with("--priority")) return true;    // behind the others
  if (wrong.value == "-1" && option == "priority --to") return true;
  return kAnyText.contains(option);
}

std::vector<WrongValue> wrong_values(const OptionRow& row) {
  std::vector<WrongValue> out{{"nothing", ""}};
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

class Commands : public CommandTest {};
class RunnableCommands : public CommandTest {};

TEST_P(RunnableCommands, RefuseWrongValues) {
  const auto good = good_lines().find(GetParam().command);
  ASSERT_TRUE(good != good_lines().end()) << "good_lines() has no line for this command";
  const CommandFolder folder;
  const Outcome works = run_copse(words_of(GetParam().command, good->second), folder.path());
  ASSERT_EQ(works.status, 0) << works.errors;
  (void)folder.take_changes();
  for (const OptionRow& row : options()) {
    GoodLine line = line_for(row);
    for (const WrongValue& wrong : wrong_values(row)) {
      if (is_right(row, wrong)) continue;
      line[row.names.front()] = wrong.value;
      expect_refused(folder, row, words_of(row.command, line), wrong);
    }
  }
}

TEST_P(Commands, HelpFitsATerminal) {
  const std::string text = help_text(copse_options(), GetParam().command);
  std::string_view help = text;
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
  const std::string help = help_text(copse_options(), GetParam().command);
  EXPECT_NE(help.find("\nExample"), std::string::npos);
  const std::size_t examples = help.rfind("\nExample");
  if (GetParam().is_group || examples == std::string::npos) return;
  EXPECT_NE(help.find(command, examples), std::string::npos)
      << "the examples are of another command";
}

TEST_P(Commands, OptionsAreNamedAlike) {
  for (const OptionRow& row : options()) {
    EXPECT_NE(row.unit, "TEXT") << row.names.front() << ": say what its value is with unit()";
    EXPECT_NE(row.unit, "WORD") << row.names.front() << ": say what its value is with unit()";
  }
}

TEST(OptionTable, GroupsHaveNoOptions) {
  for (const CommandRow& group : copse_options().commands) {
    if (!group.is_group) continue;
    for (const OptionRow& row : copse_options().options) {
      const std::string& name = row.names.front();
      if (name == "--help" || name == "--version") continue;
      EXPECT_NE(row.command, group.command) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Copse, Commands, testing::ValuesIn(copse_options().commands),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Copse, RunnableCommands, testing::ValuesIn(commands_that_run()),
                         name_of_test);

}  // namespace
}  // namespace copse
