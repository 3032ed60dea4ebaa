// SPDX-License-Identifier: Apache-2.0
//
// The input and output of resource-query. Results go to a file (-t) or to standard output, all other
// output to standard output. Both are buffered in their order, and flushed before the program waits for
// input or writes a message to standard error.
//
// close() reports lost output, which the files record (ferror).
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
  // Whether all flushed output was written. If not, answers of further commands are lost.
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

// Lines of standard input. On a terminal, with line editing, history and (by default) a prompt; else
// read in large blocks.
class QueryInput {
 public:
  QueryInput(bool prompt, QueryStreams& streams);
  ~QueryInput();
  QueryInput(const QueryInput&) = delete;
  QueryInput& operator=(const QueryInput&) = delete;

  // The next line without its newline; false at the end of input. A line above 1 MiB is skipped with a
  // message, because half of a command may be another command.
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
