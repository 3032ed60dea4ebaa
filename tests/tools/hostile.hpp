// SPDX-License-Identifier: Apache-2.0
//
// Inputs made to take resource-query down, by way of its files, options and commands. Each gets one
// clear line; a fault of a file or an option ends the program, a fault of a command
// does not: the good match that follows works. Memory is bounded from outside.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tools/program.hpp"

namespace copse {

inline constexpr std::uint64_t kMemoryBytesMax = 512u << 20;
inline constexpr std::size_t kLineBytesMax = 6000;  // of one message, echoed words included

inline const char* const kSmall = "sessions/machines/small.graphml";
inline const char* const kGood = "match allocate sessions/jobspecs/core2.yaml\n";

inline std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

class Hostile : public testing::Test {
 protected:
  Outcome query(std::vector<std::string> args, std::string_view input) const {
    args.insert(args.begin(), program("resource-query"));
    return run({.words = std::move(args),
                .input = input,
                .folder = scratch.path(),
                .memory_bytes_max = kMemoryBytesMax});
  }

  // The machine is refused: one line that holds `words`, no session.
  void expect_no_machine(std::string_view text, std::string_view words) const {
    scratch.write("machine.graphml", text);
    expect_refused(query({"-L", "machine.graphml"}, kGood), words);
  }

  // Lines of the message without those that only announce it.
  static void expect_refused(const Outcome& o, std::string_view words) {
    EXPECT_EQ(o.ended_by, "");
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.output, "");
    std::string_view errors = o.errors;
    for (const std::string_view more : {"ERROR: error generating resources\n\n", "\n\n"}) {
      if (errors.ends_with(more)) errors.remove_suffix(more.size());
    }
    std::string line(errors);
    if (!errors.ends_with('\n')) line += '\n';
    expect_one_line(line, words);
  }

  static void expect_one_line(std::string_view line, std::string_view words) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line.substr(0, kLineBytesMax);
    EXPECT_LE(line.size(), kLineBytesMax);
    EXPECT_NE(line.find(words), std::string_view::npos) << line.substr(0, kLineBytesMax);
  }

  // The command reports the fault in one line, and the good match after it works.
  void expect_command_fails(const std::string& command, std::string_view words,
                            std::vector<std::string> args = {}) const {
    args.insert(args.begin(), {"-L", kSmall});
    const Outcome o = query(std::move(args), command + '\n' + kGood);
    EXPECT_EQ(o.ended_by, "");
    EXPECT_EQ(o.status, 0);
    expect_one_line(o.errors, words);
    expect_good(o);
  }
  static void expect_good(const Outcome& o) {
    EXPECT_TRUE(
        o.output.ends_with("INFO: RESOURCES=ALLOCATED\nINFO: SCHEDULED AT=Now\n"
                           "INFO: =============================\n"))
        << o.output.substr(0, kLineBytesMax);
  }

  // The jobspec is refused with these words, grants nothing and costs no job number.
  void expect_no_job(std::string_view text, std::string_view words) const {
    scratch.write("job.yaml", text);
    const Outcome o = query({"-L", kSmall}, std::string("match allocate job.yaml\n") + kGood);
    EXPECT_EQ(o.ended_by, "");
    EXPECT_EQ(o.status, 0);
    expect_one_line(o.errors, words);
    EXPECT_TRUE(
        o.output.starts_with("INFO: =============================\n"
                             "INFO: No matching resources found\nINFO: JOBID=1\n"))
        << o.output.substr(0, kLineBytesMax);
    EXPECT_NE(o.output.find("INFO: JOBID=1\nINFO: RESOURCES=ALLOCATED\n"), std::string::npos);
    expect_good(o);
  }

  const Scratch scratch;
};

}  // namespace copse
