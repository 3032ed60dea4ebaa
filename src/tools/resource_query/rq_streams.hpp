// SPDX-License-Identifier: Apache-2.0
//
// What resource-query reads and writes. Results may go to a file (-t) and the rest to standard
// output; both are buffered, in the right order among each other, and written out before the
// program waits for input or writes a message to standard error.
//
// Whether anything was lost is known to the files themselves (ferror), and told by close().
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

class QueryStreams {
 public:
  QueryStreams(std::FILE* standard, std::FILE* errors)
      : standard_file_(standard), errors_(errors) {}
  ~QueryStreams();
  QueryStreams(const QueryStreams&) = delete;
  QueryStreams& operator=(const QueryStreams&) = delete;

  // Sends results to a file, truncated. Errors: io.
  [[nodiscard]] Result<void> results_to(const std::string& path);

  [[nodiscard]] std::string& results() { return results_file_ == nullptr ? standard_ : results_; }
  [[nodiscard]] std::string& standard() { return standard_; }
  void message(std::string_view line);  // to standard error, with a newline; cut at 5,000 bytes
  void flush();
  // Whether all that was flushed could be written. Else nobody reads what further commands answer.
  [[nodiscard]] bool good() const;
  // Flushes, and closes the file of results. Errors: io, if anything could not be written.
  [[nodiscard]] Result<void> close();
  void flush_if_large() {
    if (standard_.size() + results_.size() > kFlushBytes) flush();
  }

 private:
  static constexpr std::size_t kFlushBytes = 1u << 16;
  std::string standard_, results_;
  std::FILE *standard_file_, *errors_;
  std::FILE* results_file_ = nullptr;
  std::string results_path_;
};

// Lines of standard input. On a terminal with line editing and history, and a prompt unless told
// otherwise; else read in large pieces, calling `idle` before each wait.
class QueryInput {
 public:
  QueryInput(bool prompt, QueryStreams& streams);
  ~QueryInput();
  QueryInput(const QueryInput&) = delete;
  QueryInput& operator=(const QueryInput&) = delete;

  // The next line without its newline; false at the end of input. A line above 1 MiB gets a message
  // and is passed over: half a command may be another one.
  bool next(std::string& line);

 private:
  bool next_edited(std::string& line);
  void read_more();
  bool terminal_, prompt_;
  QueryStreams& streams_;
  std::string buffer_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace copse
