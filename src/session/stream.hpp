// SPDX-License-Identifier: Apache-2.0
//
// A session over a stream of bytes: lines in, answers out, in order.
//
// Answers are written when no further whole line is there, so that who asks and waits is answered
// at once, and who sends many lines gets their answers in few writes. Lines are read in place: the
// buffer's one copy is what read_some() made. A line without an end, at the end of input, is one.
// Memory: the longest line that a session takes, or kBufferBytes, whichever is more, and answers.
#pragma once

#include <functional>

#include "session/session.hpp"

namespace copse {

struct SessionStream {
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 17;
  // Reads at least one byte, at most so many; 0: the end.
  std::function<Result<std::size_t>(char*, std::size_t)> read_some;
  // Writes all; false: failed.
  std::function<bool(std::string_view)> write_all;
};

// Goes on until quit or the end of input. Errors: io, those of read_some.
[[nodiscard]] Result<void> serve(Session& session, const SessionStream& stream);

}  // namespace copse
