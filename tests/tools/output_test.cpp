// SPDX-License-Identifier: Apache-2.0
//
// A failed write is an error of every program, and never ends it by a signal. Each is run
// with standard output, a file of its own or standard error on a device that is always full.
#include <gtest/gtest.h>

#include "tools/program.hpp"

namespace copse {
namespace {

constexpr std::string_view kDesk = "machines/desk.graphml";
constexpr std::string_view kMatchCommands = "match allocate jobspecs/desk-whole-node.yaml\nquit\n";

class FullDevice : public testing::Test {
 protected:
  // Runs `PROGRAM ARGUMENTS` as a shell has it.
  Outcome shell(std::string_view name, const std::string& arguments, std::string_view input = "") {
    const std::string line = "exec '" + program(name) + "' " + arguments;
    return run({.words = {"/bin/sh", "-c", line}, .input = input, .folder = scratch_.path()});
  }
  void expect_lost(std::string_view name, const std::string& arguments,
                   std::string_view input = "") {
    SCOPED_TRACE(arguments);
    const Outcome got = shell(name, arguments, input);
    EXPECT_EQ(got.ended_by, "");
    EXPECT_GT(got.status, 0);
    EXPECT_NE(got.errors.find("writ"), std::string::npos) << got.errors;
    EXPECT_EQ(got.output, "");
  }
  // Nothing but messages is lost: the status is that of a run that can show them.
  void expect_same_status(std::string_view name, const std::string& arguments,
                          std::string_view input = "") {
    SCOPED_TRACE(arguments);
    const Outcome got = shell(name, arguments + " 2> /dev/full", input);
    EXPECT_EQ(got.ended_by, "");
    EXPECT_EQ(got.status, shell(name, arguments, input).status);
  }

  Scratch scratch_;
  const std::string machine_ = "-L " + std::string(kDesk);
};

TEST_F(FullDevice, ResourceQuery) {
  expect_lost("resource-query", machine_ + " > /dev/full", kMatchCommands);
  expect_lost("resource-query", machine_ + " -t /dev/full", kMatchCommands);
  std::filesystem::create_symlink("/dev/full", scratch_.path() / "full.dot");
  expect_lost("resource-query", machine_ + " -g dot -o full", "quit\n");
  expect_same_status("resource-query", machine_, kMatchCommands);
  expect_same_status("resource-query", "--help");
}

TEST_F(FullDevice, Copse) {
  const std::string job = " jobspecs/desk-whole-node.yaml";
  const std::string commands[] = {"--help",
                                  "--version",
                                  "match --help",
                                  "r encode --help",
                                  "match " + machine_ + job,
                                  "match --satisfiability " + machine_ + job,
                                  "load " + machine_,
                                  "show " + machine_,
                                  "jobspec validate" + job,
                                  "r encode",
                                  "plan --generate 3 " + machine_};
  for (const std::string& command : commands) {
    expect_lost("copse", command + " > /dev/full");
    expect_same_status("copse", command);
  }
  expect_lost("copse", "session " + machine_ + " > /dev/full", "{\"op\": \"info\"}\n");
  expect_lost("copse", "show -o /dev/full " + machine_);
  expect_lost("copse", "plan --generate 3 --summary --gantt /dev/full " + machine_ + " > out");
  expect_same_status("copse", "match " + machine_ + " missing.yaml");
}

TEST_F(FullDevice, SmallTools) {
  for (const std::string command : {"--help", "--version", "jobspecs/desk-whole-node.yaml"}) {
    expect_lost("flux-jobspec-validate", command + " > /dev/full");
    expect_same_status("flux-jobspec-validate", command);
  }
  expect_same_status("flux-jobspec-validate", "--unknown");
  std::filesystem::create_symlink("/dev/full", scratch_.path() / "desk.dot");
  const Outcome got = shell("grug2dot", std::string(kDesk));
  EXPECT_EQ(got.status, 255);
  EXPECT_NE(got.errors.find("Error in writing"), std::string::npos);
  expect_same_status("grug2dot", "--help");
  expect_same_status("grug2dot", "missing.graphml");
}

// Runs lines of a shell in a folder, where $copse is the program.
class WrittenFile : public testing::Test {
 protected:
  Outcome shell(const std::string& lines) {
    return run({.words = {"/bin/sh", "-c", "copse='" + program("copse") + "'\n" + lines},
                .input = {},
                .folder = scratch_.path()});
  }
  void expect_refused(const std::string& lines, std::string_view message) {
    SCOPED_TRACE(lines);
    const Outcome got = shell(lines);
    EXPECT_EQ(got.ended_by, "");
    EXPECT_EQ(got.status, 2);
    EXPECT_EQ(got.errors, message);
  }

  Scratch scratch_;
};

TEST_F(WrittenFile, LeavesNoPartBeyondTheSizeLimit) {
  for (const std::string command :
       {"convert -t jgf -o made", "show -o made", "plan --generate 30 -o made",
        "plan --generate 300 --write-jobs made --summary", "session --save made < /dev/null"}) {
    expect_refused(
        // A build that counts lines writes its counts under the same limit, and reports that it fails.
        "ulimit -f 1; export LLVM_PROFILE_FILE=/dev/null; exec $copse " + command +
            " -L machines/desk.graphml",
        "copse: can't write made: File too large\n");
    EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "made"));
  }
}

TEST_F(WrittenFile, DoesNotWaitForAReaderOfAPipe) {
  const std::string show = "$copse show -L machines/desk.graphml -o pipe";
  expect_refused("mkfifo pipe; exec " + show, "copse: can't write pipe: the pipe has no reader\n");
  const Outcome read = shell("exec 3<> pipe; " + show + " && head -c 4 pipe");
  EXPECT_EQ(read.output, "<?xm") << read.errors;
}

TEST_F(WrittenFile, ASaveIsPutInThePlaceOfAFile) {
  const Outcome got = shell(
      "umask 022; echo precious >u.save.new; echo old >u.save; chmod 600 u.save; ln -s u.save "
      "link\n"
      "mkfifo pipe; exec 3<>pipe\n"
      "for to in u.save link pipe; do echo '{\"op\": \"info\"}' |"
      " $copse session -L machines/desk.graphml --save $to >/dev/null || exit 1; done\n"
      "cat u.save.new; stat -c '%F %a' link u.save pipe; head -c 8 u.save; echo; head -c 8 <&3\n"
      "ls | wc -l");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.output,
            "precious\nsymbolic link 777\nregular file 600\nfifo 644\nCOPSESAV\nCOPSESAV8\n");
}

TEST_F(WrittenFile, ASessionSavesToNoFileOfItsOwn) {
  const Outcome got = shell(
      "cp machines/desk.graphml m.graphml; printf '%s\\n' '{\"op\": \"save\", \"file\": "
      "\"m.graphml\"}'"
      " '{\"op\": \"save\", \"file\": \"effects\"}' '{\"op\": \"save\", \"file\": \"a\\u0000b\"}' |"
      " $copse session -L m.graphml --effects effects; cmp m.graphml machines/desk.graphml; ls | "
      "wc -l");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.output,
            "{\"error\": \"invalid\", \"message\": \"\\\"file\\\": m.graphml is in use by this "
            "session; save to "
            "another file\"}\n"
            "{\"error\": \"invalid\", \"message\": \"\\\"file\\\": effects is in use by this "
            "session; save to "
            "another file\"}\n"
            "{\"error\": \"invalid\", \"message\": \"\\\"file\\\" has a NUL in it\"}\n6\n");
}

TEST_F(WrittenFile, GoesIfAnotherCannotBeWritten) {
  expect_refused(
      "exec $copse plan -L machines/desk.graphml --generate 3 --write-jobs made -o missing/made",
      "copse: can't write missing/made: No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "made"));
}

}  // namespace
}  // namespace copse
