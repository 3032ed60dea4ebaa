// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_streams.hpp"

#include <editline/readline.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace copse {

namespace {
constexpr std::size_t kReadBytes = 1u << 16;
constexpr std::size_t kLineBytesMax = 1u << 20;
constexpr std::size_t kMessageBytesMax = 5000;  // longer than any path
}  // namespace

QueryStreams::~QueryStreams() {
  flush();
  if (results_file_ != nullptr) std::fclose(results_file_);
}

Result<void> QueryStreams::results_to(const std::string& path) {
  results_path_ = path;
  results_file_ = std::fopen(path.c_str(), "w");
  if (results_file_ != nullptr) return {};
  return fail(ErrorCode::io, "can't open " + path + " for --test-output: " +
                                 std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
}

void QueryStreams::flush() {
  if (!standard_.empty()) {
    std::fwrite(standard_.data(), 1, standard_.size(), standard_file_);
    std::fflush(standard_file_);
    standard_.clear();
  }
  if (!results_.empty()) {
    std::fwrite(results_.data(), 1, results_.size(), results_file_);
    std::fflush(results_file_);
    results_.clear();
  }
}

bool QueryStreams::good() const {
  return std::ferror(standard_file_) == 0 &&
         (results_file_ == nullptr || std::ferror(results_file_) == 0);
}

Result<void> QueryStreams::close() {
  flush();
  if (results_file_ != nullptr) {
    const bool failed = std::ferror(results_file_) != 0;
    if (std::fclose(std::exchange(results_file_, nullptr)) != 0 || failed) {
      return fail(ErrorCode::io, "can't write " + results_path_);
    }
  }
  if (std::ferror(standard_file_) == 0) return {};
  return fail(ErrorCode::io, "can't write to standard output");
}

void QueryStreams::message(std::string_view line) {
  flush();
  std::string text(line.substr(0, kMessageBytesMax));
  if (text.size() < line.size()) text += " ... (cut)";
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), errors_);
}

QueryInput::QueryInput(bool prompt, QueryStreams& streams)
    : terminal_(::isatty(STDIN_FILENO) == 1), prompt_(prompt), streams_(streams) {
  if (terminal_) ::using_history();
}

QueryInput::~QueryInput() {
  if (terminal_) ::clear_history();
}

bool QueryInput::next_edited(std::string& line) {
  streams_.flush();
  char* typed = ::readline(prompt_ ? "resource-query> " : "");
  if (typed == nullptr) return false;
  line = typed;
  if (!line.empty()) ::add_history(typed);
  std::free(typed);
  return true;
}

// A line beyond the bound is discarded while it is read.
bool QueryInput::next(std::string& line) {
  if (terminal_) return next_edited(line);
  bool too_long = false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', at_);
    if (end != std::string::npos || ended_) {
      const bool some = at_ < buffer_.size() || too_long;
      line.assign(buffer_, at_, end - at_);
      at_ = end == std::string::npos ? buffer_.size() : end + 1;
      if (!too_long && line.size() <= kLineBytesMax) return some;
      streams_.message(fmt::format("ERROR: a line is longer than {} bytes", kLineBytesMax));
      too_long = false;
      continue;
    }
    buffer_.erase(0, at_);
    at_ = 0;
    if (buffer_.size() > kLineBytesMax) {
      too_long = true;
      buffer_.clear();
    }
    read_more();
  }
}

void QueryInput::read_more() {
  streams_.flush();
  const std::size_t have = buffer_.size();
  buffer_.resize(have + kReadBytes);
  ssize_t n = 0;
  do {
    n = ::read(STDIN_FILENO, buffer_.data() + have, kReadBytes);
  } while (n < 0 && errno == EINTR);
  buffer_.resize(have + static_cast<std::size_t>(n > 0 ? n : 0));
  ended_ = n <= 0;
}

}  // namespace copse
