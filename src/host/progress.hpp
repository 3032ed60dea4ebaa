// SPDX-License-Identifier: Apache-2.0
//
// Progress: one line on a terminal with the progress of a long step. It is removed at the end.
//
// Nothing is written if the stream is not a terminal, or in the first half second. After that the line
// changes at most ten times a second; from two seconds on it shows the seconds that are left.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace copse {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::string what, std::FILE* stream);  // nullptr: nothing is written
  // The same with an explicit kind of stream and start time, for tests.
  Progress(std::string what, std::FILE* stream, bool terminal, Clock::time_point begin);
  ~Progress();  // removes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `all` of 0: the total is unknown.
  void at(std::uint64_t done, std::uint64_t all) { at(done, all, Clock::now()); }
  void at(std::uint64_t done, std::uint64_t all, Clock::time_point now);

 private:
  [[nodiscard]] std::string left(std::uint64_t done, std::uint64_t all,
                                 Clock::time_point now) const;

  std::string what_;
  std::FILE* stream_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_;
  Clock::time_point next_;  // no line before
};

}  // namespace copse
