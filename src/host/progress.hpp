// SPDX-License-Identifier: Apache-2.0
//
// Progress: one line on a terminal that says how far a long step is, and goes when it is done.
//
// Nothing is written if the stream is no terminal, or in the first half second: what is quick needs
// no line. After that the line changes at most ten times a second; from two seconds on it says how
// many are left.
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
  // The same for a stream that is taken as a terminal or not, at a time handed in: for tests.
  Progress(std::string what, std::FILE* stream, bool terminal, Clock::time_point begin);
  ~Progress();  // takes the line away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `all` of 0: how much there is to do is not known.
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
