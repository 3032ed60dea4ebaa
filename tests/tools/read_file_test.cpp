// SPDX-License-Identifier: Apache-2.0
//
// Every command that reads a file reports why it cannot be read: a read that fails is
// never the end of the file. /proc/self/mem opens, is a regular file, and fails at its first byte
// even for root.
#include "files/read_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "files/gunzip.hpp"
#include "paths.hpp"
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

// "hello, trace\n", as gzip has it.
std::string compressed() {
  static constexpr unsigned char kBytes[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                             0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0x28,
                                             0x29, 0x4a, 0x4c, 0x4e, 0xe5, 0x02, 0x00, 0xc3, 0xdb,
                                             0x2b, 0xba, 0x0d, 0x00, 0x00, 0x00};
  return {std::begin(kBytes), std::end(kBytes)};
}

TEST(ReadFile, UncompressesWhatGzipWrote) {
  const Scratch scratch;
  const std::string path = scratch.path() / "trace.gz", one = compressed();
  scratch.write("trace.gz", one);
  EXPECT_EQ(read_file(path), "hello, trace\n");
  scratch.write("trace.gz", one + one);  // as `cat a.gz b.gz` makes it
  EXPECT_EQ(read_file(path), "hello, trace\nhello, trace\n");
  for (std::size_t bytes = 2; bytes < one.size(); ++bytes) {
    scratch.write("trace.gz", one.substr(0, bytes));
    EXPECT_EQ(refused(path),
              "can't read " + path + ": it is compressed by gzip, and is damaged or truncated");
  }
  std::string damaged = one;
  damaged[14] ^= 1;
  scratch.write("trace.gz", damaged);
  EXPECT_TRUE(refused(path).ends_with("damaged or truncated"));
}

TEST(ReadFile, LeavesOutTheMarkOfUtf8) {
  const Scratch scratch;
  scratch.write("file", "\xEF\xBB\xBF{}");
  EXPECT_EQ(read_file(scratch.path() / "file"), "{}");
}

TEST(ReadFile, SaysThatAFileIsUtf16) {
  const Scratch scratch;
  const std::string path = scratch.path() / "file";
  using namespace std::string_literals;
  for (const std::string& bytes : {"\xFF\xFE{\0}\0"s, "\xFE\xFF\0{\0}"s, "{\0}\0"s, "\0<\0a"s}) {
    scratch.write("file", bytes);
    EXPECT_EQ(refused(path), path + ": the file is UTF-16: save it as UTF-8");
  }
}

TEST(ReadFile, UncompressesWithinABound) {
  EXPECT_EQ(gunzip(compressed(), 13), "hello, trace\n");
  EXPECT_EQ(gunzip(compressed(), 12).error().text,
            "it has more than 12 bytes when it is uncompressed");
  const Scratch scratch;
  const std::string path = scratch.path() / "file";
  scratch.write("file", compressed());
  EXPECT_EQ(read_input(path, compressed().size()), "hello, trace\n");
  EXPECT_EQ(read_input(path, 12).error().text,
            "can't read " + path + ": it has more than 12 bytes");
}

// `copse plan <(make-jobs)`: a shell gives the name of a pipe.
TEST(ReadFile, ReadsAPipe) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "a line\n", 7), 7);
  ASSERT_EQ(::close(ends[1]), 0);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "a line\n");
  ASSERT_EQ(::close(ends[0]), 0);
}

TEST(ReadFile, DoesNotWaitForAPipeThatNobodyWrites) {
  const Scratch scratch;
  const std::string path = scratch.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(refused(path), "can't read " + path + ": the pipe is empty");
}

TEST(ReadFile, SaysThatItMayNot) {
  const Scratch scratch;
  ASSERT_EQ(::chmod(scratch.path().c_str(), 0711), 0);
  scratch.write("secret", "text");
  const std::string path = scratch.path() / "secret";
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  const bool root = ::geteuid() == 0;  // which may read everything
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
  std::filesystem::create_symlink(source_dir() + "/examples/hres", scratch.path() / "hres");
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
