// SPDX-License-Identifier: Apache-2.0
//
// A session over a stream of bytes: lines in, answers out, in order.
//
// Answers are written when no further complete line is buffered: a client that waits is answered at
// once, and a client that sends many lines gets its answers in few writes. Lines are read in place,
// without a copy after read_some(). At the end of input, bytes without a newline are a line.
// Memory: the longest line that the session accepts, or kBufferBytes if that is more, and the
// answers.
#pragma once

#include <functional>

#include "session/session.hpp"

namespace copse {

struct SessionStream {
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 17;
  // Reads at least one byte and at most the given number; 0: the end.
  std::function<Result<std::size_t>(char*, std::size_t)> read_some;
  // Writes all bytes; false: failed.
  std::function<bool(std::string_view)> write_all;
};

// Runs until quit or the end of input. Errors: io, those of read_some.
[[nodiscard]] Result<void> serve(Session& session, const SessionStream& stream);

}  // namespace copse
