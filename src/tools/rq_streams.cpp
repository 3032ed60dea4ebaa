// SPDX-License-Identifier: Apache-2.0
#include "tools/rq_streams.hpp"

#include <editline/readline.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace copse {

namespace {
constexpr std::size_t kReadBytes = 1u << 16;
constexpr std::size_t kLineBytesMax = 1u << 20;
}  // namespace

QueryStreams::~QueryStreams() {
  flush();
  if (results_file_ != nullptr) std::fclose(results_file_);
}

Result<void> QueryStreams::results_to(const std::string& path) {
  results_file_ = std::fopen(path.c_str(), "w");
  if (results_file_ != nullptr) return {};
  return fail(ErrorCode::io, "can't open " + path + " for --test-output: " + std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
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

void QueryStreams::message(std::string_view line) {
  flush();
  std::string text(line);
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

bool QueryInput::next(std::string& line) {
  if (terminal_) return next_edited(line);
  line.clear();
  for (;;) {
    const std::size_t end = buffer_.find('\n', at_);
    if (end != std::string::npos) {
      line.append(buffer_, at_, std::min(end - at_, kLineBytesMax));
      at_ = end + 1;
      return true;
    }
    if (ended_) {
      line.append(buffer_, at_, kLineBytesMax);
      const bool some = at_ < buffer_.size();
      at_ = buffer_.size();
      return some;
    }
    buffer_.erase(0, at_);
    at_ = 0;
    if (buffer_.size() > kLineBytesMax) buffer_.resize(kLineBytesMax);  // the rest is let go
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
}

}  // namespace copse
