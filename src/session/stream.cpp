// SPDX-License-Identifier: Apache-2.0
#include "session/stream.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace copse {

namespace {

// Answers that are held back at most while lines are waiting.
constexpr std::size_t kHeldBytesMax = std::size_t{1} << 18;

class Server {
 public:
  Server(Session& session, const SessionStream& stream)
      : session_(session), stream_(stream), buffer_(SessionStream::kBufferBytes + kPast) {}

  Result<void> run() {
    for (;;) {
      if (!take_lines()) return flush();
      if (auto ok = flush(); !ok) return ok;
      make_room();
      const auto got = stream_.read_some(buffer_.data() + size_, room());
      if (!got) return std::unexpected(got.error());
      if (*got == 0) break;
      size_ += *got;
    }
    if (too_long_) {
      Session::refuse_long_line(session_.limits().bytes_max, answers_);
    } else if (size_ > begin_) {
      buffer_[size_] = '\0';
      session_.answer({buffer_.data() + begin_, size_ - begin_}, answers_, kPast);
    }
    return flush();
  }

 private:
  static constexpr std::size_t kPast = simdjson::SIMDJSON_PADDING + 1;

  [[nodiscard]] std::size_t room() const { return buffer_.size() - kPast - size_; }

  // Answers all whole lines that are there; false: the session is over, or nobody reads.
  bool take_lines() {
    while (const void* at = std::memchr(buffer_.data() + seen_, '\n', size_ - seen_)) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(at) - buffer_.data());
      const std::string_view line(buffer_.data() + begin_, end - begin_);
      buffer_[end] = '\0';
      begin_ = seen_ = end + 1;
      if (too_long_) {
        too_long_ = false;
        Session::refuse_long_line(session_.limits().bytes_max, answers_);
      } else if (!session_.answer(line, answers_, buffer_.size() - end)) {
        return false;
      }
      if (answers_.size() >= kHeldBytesMax && !flush()) return false;
    }
    seen_ = size_;
    return true;
  }

  // Moves the line that has begun to the front; of one that is too long nothing is kept.
  void make_room() {
    if (too_long_ || size_ - begin_ > session_.limits().bytes_max) {
      too_long_ = true;
      begin_ = seen_ = size_ = 0;
    }
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, size_ - begin_);
      size_ -= begin_;
      seen_ -= begin_;
      begin_ = 0;
    }
    if (room() < SessionStream::kBufferBytes / 2) {
      buffer_.resize(kPast + std::min(2 * (buffer_.size() - kPast),
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
  std::size_t begin_ = 0, seen_ = 0, size_ = 0;  // of the line, of what has no line end, of all
  bool too_long_ = false;                        // the line that has begun
  bool failed_ = false;
  std::string answers_;
};

}  // namespace

Result<void> serve(Session& session, const SessionStream& stream) {
  return Server(session, stream).run();
}

}  // namespace copse
