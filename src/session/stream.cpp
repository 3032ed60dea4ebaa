// SPDX-License-Identifier: Apache-2.0
#include "session/stream.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace copse {

namespace {

// Answers that are buffered at most while lines are waiting.
constexpr std::size_t kBufferedBytesMax = std::size_t{1} << 18;

class StreamServer {
 public:
  StreamServer(Session& session, const SessionStream& stream)
      : session_(session), stream_(stream), buffer_(SessionStream::kBufferBytes + kPadding) {}

  Result<void> run() {
    for (;;) {
      if (!take_lines()) return flush();
      if (auto ok = flush(); !ok) return ok;
      make_space();
      const auto got = stream_.read_some(buffer_.data() + size_, free_bytes());
      if (!got) return std::unexpected(got.error());
      if (*got == 0) break;
      size_ += *got;
    }
    if (too_long_) {
      refuse_long_line();
    } else if (size_ > begin_) {
      buffer_[size_] = '\0';
      session_.answer({buffer_.data() + begin_, size_ - begin_}, answers_, kPadding);
    }
    return flush();
  }

 private:
  static constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING + 1;

  [[nodiscard]] std::size_t free_bytes() const { return buffer_.size() - kPadding - size_; }

  void refuse_long_line() {
    SessionAnswer answer;
    answer.refuse(Session::long_line(session_.limits().bytes_max));
    append_line(answers_, answer);
  }

  // Answers all complete lines in the buffer. False: the session has ended, or the reader is gone.
  bool take_lines() {
    while (const void* at = std::memchr(buffer_.data() + scanned_, '\n', size_ - scanned_)) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(at) - buffer_.data());
      const std::string_view line(buffer_.data() + begin_, end - begin_);
      buffer_[end] = '\0';
      begin_ = scanned_ = end + 1;
      if (too_long_) {
        too_long_ = false;
        refuse_long_line();
      } else if (!session_.answer(line, answers_, buffer_.size() - end)) {
        return false;
      }
      if (answers_.size() >= kBufferedBytesMax && !flush()) return false;
    }
    scanned_ = size_;
    return true;
  }

  // Moves the incomplete line to the front; one that is too long is dropped.
  void make_space() {
    if (too_long_ || size_ - begin_ > session_.limits().bytes_max) {
      too_long_ = true;
      begin_ = scanned_ = size_ = 0;
    }
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, size_ - begin_);
      size_ -= begin_;
      scanned_ -= begin_;
      begin_ = 0;
    }
    if (free_bytes() < SessionStream::kBufferBytes / 2) {
      buffer_.resize(kPadding +
                     std::min(2 * (buffer_.size() - kPadding),
                              session_.limits().bytes_max + SessionStream::kBufferBytes));
    }
  }

  Result<void> flush() {
    if (failed_) return fail(ErrorCode::io, "can't write answers");
    if (answers_.empty()) return {};
    failed_ = !stream_.write_all(answers_);
    answers_.clear();
    if (failed_) return fail(ErrorCode::io, "can't write answers");
    return {};
  }

  Session& session_;
  const SessionStream& stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, scanned_ = 0,
              size_ = 0;   // begin of the line, end of its scanned part, end of all bytes
  bool too_long_ = false;  // the current line
  bool failed_ = false;
  std::string answers_;
};

}  // namespace

Result<void> serve(Session& session, const SessionStream& stream) {
  return StreamServer(session, stream).run();
}

}  // namespace copse
