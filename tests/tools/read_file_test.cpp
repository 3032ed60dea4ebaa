// SPDX-License-Identifier: Apache-2.0
//
// What cannot be read is said with its reason, by every command that reads it: a read that fails is
// never the end of the file. /proc/self/mem opens, is a regular file, and fails at its first byte
// even for root.
#include "tools/read_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tools/program.hpp"

namespace copse {
namespace {

constexpr const char* kFails = "/proc/self/mem";

std::string refused(const std::string& path) {
  const auto text = read_file(path);
  return text ? "read" : text.error().message();
}

TEST(ReadFile, ReadsAllOfIt) {
  const Scratch scratch;
  const std::string path = scratch.path() / "file";
  for (const std::size_t bytes : {0U, 1U, 63U, 64U, 65U, 65'536U, 1'000'000U}) {
    scratch.write("file", std::string(bytes, 'x'));
    const auto text = read_file(path);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, std::string(bytes, 'x'));
    EXPECT_GE(text->capacity() - text->size(), 64U);  // for readers of JSON
  }
  const auto grows = read_file("/proc/self/status");  // does not know its size
  ASSERT_TRUE(grows);
  EXPECT_TRUE(grows->starts_with("Name:"));
}

TEST(ReadFile, SaysWhyItCannot) {
  const Scratch scratch;
  const std::string folder = scratch.path();
  EXPECT_EQ(refused(folder), "can't read " + folder + ": Is a directory");
  EXPECT_EQ(refused(folder + "/none"), "can't read " + folder + "/none: No such file or directory");
  EXPECT_EQ(refused("/dev/zero"), "can't read /dev/zero: not a regular file");
  EXPECT_EQ(refused(kFails), std::string("can't read ") + kFails + ": Input/output error");
  EXPECT_EQ(read_file(std::string("/etc\0/x", 7)).error().code, ErrorCode::io);
}

TEST(ReadFile, SaysThatItMayNot) {
  const Scratch scratch;
  ASSERT_EQ(::chmod(scratch.path().c_str(), 0711), 0);
  scratch.write("secret", "text");
  const std::string path = scratch.path() / "secret";
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  const bool root = ::geteuid() == 0;  // who reads everything
  const int became = root ? ::seteuid(65534) : 0;
  const std::string why = refused(path);
  const int is_back = root ? ::seteuid(0) : 0;
  ASSERT_EQ(became, 0);
  ASSERT_EQ(is_back, 0);
  EXPECT_EQ(why, "can't read " + path + ": Permission denied");
}

TEST(ReadFile, HasABound) {
  const Scratch scratch;
  scratch.write("file", std::string(100, 'x'));
  const std::string path = scratch.path() / "file";
  EXPECT_EQ(try_read_file(path, 10)->size(), 10U);
  EXPECT_EQ(try_read_file(path, 100)->size(), 100U);
  EXPECT_EQ(try_read_file(path, 1000)->size(), 100U);
}

// Every file that a command reads, and standard input.
TEST(ReadFile, EveryCommandSaysIt) {
  const Scratch scratch;
  std::filesystem::create_symlink(COPSE_SOURCE_DIR "/examples/hres", scratch.path() / "hres");
  const std::string machine = "-L machines/desk.graphml ", file = " /proc/self/mem";
  const std::string commands[] = {
      "load -L" + file,
      "convert -t jgf -L" + file,
      "show -L" + file,
      "find names=x -L" + file,
      "match " + machine + file,
      "match " + machine + "--shape slot=1/core --running" + file,
      "match " + machine + "--shape slot=1/core --hres" + file,
      "match " + machine + "- <" + file,
      "plan " + machine + file,
      "plan " + machine + "- <" + file,
      "plan -L" + file + " /dev/null",
      "session -L" + file,
      "session --restore" + file,
      "session " + machine + "<" + file,
      "supply " + machine + "--hres" + file,
      "supply -L hres/cluster.json --hres hres/resources.yaml --after" + file,
      "replay" + file,
      "r decode" + file,
      "r decode <" + file,
      "r info" + file,
      "r append" + file,
      "r diff" + file + file,
      "r verify" + file + file,
      "r validate" + file,
      "r encode --xml" + file,
      "r from-hwloc" + file,
      "r parse-config" + file,
      "jobspec validate" + file,
  };
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    const Outcome got = run({.words = {"/bin/sh", "-c", program("copse") + " " + command},
                             .input = {},
                             .folder = scratch.path()});
    EXPECT_EQ(got.status, 2);
    EXPECT_EQ(got.output, "");
    EXPECT_TRUE(got.errors.starts_with("copse: can't read ")) << got.errors;
    EXPECT_TRUE(got.errors.ends_with(": Input/output error\n")) << got.errors;
    EXPECT_EQ(std::ranges::count(got.errors, '\n'), 1) << got.errors;
  }
}

}  // namespace
}  // namespace copse
