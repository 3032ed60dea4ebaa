// SPDX-License-Identifier: Apache-2.0
//
// Hostile options and commands.
#include "tools/hostile.hpp"

namespace copse {
namespace {

// --- Options

std::vector<std::string> prune_filters(int types) {
  constexpr int kEach = 5000;  // a word of a command line has at most 128 KiB
  std::vector<std::string> args;
  for (int first = 0; first < types; first += kEach) {
    std::string value;
    for (int i = first; i < std::min(first + kEach, types); ++i) {
      value += (value.empty() ? "ALL:t" : ",ALL:t") + std::to_string(i);
    }
    args.insert(args.end(), {"-p", value});
  }
  return args;
}

TEST_F(Hostile, PruneFiltersOfAMegabyte) {
  std::vector<std::string> args{"-L", kSmall};
  for (int i = 0; i < 9; ++i) {
    args.insert(args.end(), {"-p", repeat("ALL:core,", 13'000) + "ALL:core"});
  }
  const Outcome o = query(args, kGood);
  EXPECT_EQ(o.ended_by, "");
  EXPECT_EQ(o.errors, "");
  expect_good(o);
}

TEST_F(Hostile, PruneFiltersOfTooManyTypes) {
  std::vector<std::string> args = prune_filters(60'000);
  args.insert(args.begin(), {"-L", kSmall});
  expect_refused(query(args, kGood), "can't set pruning filters");
}

TEST_F(Hostile, OptionsOfABadForm) {
  const std::string long_word(100'000, 'x');
  for (const char* option : {"-P", "-S", "-T"}) {
    SCOPED_TRACE(option);
    expect_refused(query({"-L", kSmall, option, long_word}, kGood), "ERROR: ");
  }
  expect_refused(query({"-L", kSmall, "-p", long_word}, kGood), "is not of the form");
  expect_refused(query({"-L", kSmall, "-t", long_word}, kGood), "can't open xxx");
  const Outcome o = query({"-L", long_word}, kGood);
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(o.errors.starts_with("[ERROR] file does not exist for --load-file: xxx"));
}

TEST_F(Hostile, PruneFiltersOfTooManyTypesNameTheBound) {
  std::vector<std::string> args = prune_filters(60'000);
  args.insert(args.begin(), {"-L", kSmall});
  expect_refused(query(args, kGood), "types");
}

// Every type has a list of all that ALL tracks, so that their number is bounded.
TEST_F(Hostile, PruneFiltersOfManyTypesStayInTheirMemory) {
  std::vector<std::string> args = prune_filters(20'000);
  args.insert(args.begin(), {"-L", kSmall});
  const Outcome o = query(args, kGood);
  EXPECT_EQ(o.ended_by, "");
  EXPECT_EQ(o.errors.find("Memory error"), std::string::npos);
}

// --- Commands

TEST_F(Hostile, CommandOfTenMegabytes) {
  const std::string long_word(10u << 20, 'x');
  expect_command_fails("match allocate " + long_word, "a line is longer than 1048576 bytes");
  expect_command_fails(long_word, "a line is longer than 1048576 bytes");
  expect_command_fails("M allocate " + repeat("x ", 5u << 20), "a line is longer than");
  // The end of the input in the middle of such a line ends the program.
  const Outcome o = query({"-L", kSmall}, kGood + long_word);
  EXPECT_EQ(o.status, 0);
  expect_one_line(o.errors, "a line is longer than");
  expect_good(o);
}

TEST_F(Hostile, CommandOfLessThanAMegabyte) {
  const std::string word(1'000'000, 'x');
  expect_command_fails("match allocate " + word, "ERROR: can't open xxx");
  expect_command_fails("match " + word + " x", "ERROR: unknown subcmd xxx");
  expect_command_fails("cancel " + word, "cancel: ERROR: nonexistent job 0");
  expect_command_fails("info 18446744073709551616", "info: ERROR: nonexistent job 0");
  expect_command_fails("set-status /cluster0 " + word, "ERROR: unrecognized status");
  expect_command_fails("get-status /cluster0 " + word, "ERROR: malformed command");
}

TEST_F(Hostile, FilesThatAreNone) {
  expect_command_fails("match allocate /dev/zero", "ERROR: can't open /dev/zero");
  expect_command_fails("cat /dev/zero", "ERROR: can't open /dev/zero");
  expect_command_fails("match allocate /", "ERROR: can't open /");
  // The text after a NUL is part of the name.
  const std::string_view with_nul("match allocate sessions/jobspecs/core2.yaml\0x", 45);
  expect_command_fails(std::string(with_nul), "ERROR: can't open sessions/jobspecs/core2.yaml");
}

TEST_F(Hostile, FindExpressions) {
  const std::string wrong = "invalid criteria";
  expect_command_fails("find " + std::string(100'000, '('), wrong);
  expect_command_fails(
      "find " + std::string(100'000, '(') + "status=up" + std::string(100'000, ')'), wrong);
  expect_command_fails("find " + std::string(100'000, ')'), wrong);
  expect_command_fails("find " + repeat("status=up or ", 80'000) + "status=up", wrong);
  expect_command_fails("find names=node[0-4294967295]", wrong);
  expect_command_fails("find names=n" + repeat("[0-9]", 40), wrong);
  expect_command_fails("find jobid-tag=18446744073709551616", wrong);
  expect_command_fails("find " + std::string(1'000'000, 'x'), wrong);
}

TEST_F(Hostile, FindThatLooksForMuch) {
  const Outcome o = query({"-L", kSmall, "-t", "results"},
                          "find names=" + std::string(1'000'000, 'x') + "\nfind " +
                              repeat("(", 90) + "status=up" + repeat(")", 90) + "\nfind " +
                              repeat("status=up or ", 900) + "status=down\n" + kGood);
  EXPECT_EQ(o.ended_by, "");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.errors, "");
  EXPECT_TRUE(
      scratch.read("results").ends_with("INFO: SCHEDULED AT=Now\n"
                                        "INFO: =============================\n"));
}

// Each name may be a hostlist of a million hosts, and a line holds tens of thousands of them.
TEST_F(Hostile, FindOfManyHostlists) {
  expect_command_fails("find " + repeat("names=n[0-999999] ", 500), "invalid criteria");
}

TEST_F(Hostile, LongPathsAndProperties) {
  const std::string key(500'000, 'k'), value(500'000, 'v');
  const Outcome o =
      query({"-L", kSmall}, "p /cluster0 " + key + '=' + value + "\ng " + repeat("/a", 500'000) +
                                "\ne " + std::string(900'000, '/') + "\ng /cluster0\n" + kGood);
  EXPECT_EQ(o.ended_by, "");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.errors, "");
  EXPECT_NE(o.output.find("\n" + key + '=' + value + "\n"), std::string::npos);
  expect_good(o);
}

}  // namespace
}  // namespace copse
