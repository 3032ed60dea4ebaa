// SPDX-License-Identifier: Apache-2.0
//
// SessionAnswer: what a session answers to one request, as a value. Hosts read its members; take_line()
// writes it as a line of the session protocol. No host reads the text of an answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/ids.hpp"
#include "session/answer_work.hpp"

namespace copse {

// A subscription to events: from number `next` on; `job` 0: of all jobs.
struct EventWatch {
  std::uint64_t next = 0;
  JobId job = 0;
};

struct SessionAnswer {
  // What the protocol says of a refusal; every error but these is a fault of the request.
  enum class Code : std::uint8_t { invalid, insufficient, infeasible, forbidden };
  struct Refusal {
    Code code = Code::invalid;
    Error error{};  // its code may be more precise
    // The error with its place: a line has no line numbers, so the column alone locates it.
    [[nodiscard]] std::string sentence() const;
  };

  std::string body{};                  // a JSON object, without a newline; "" if it is refused
  std::optional<Refusal> refusal{};    // nothing has changed
  std::optional<std::int64_t> id{};    // of the job or grant that was made
  std::string name{};                  // of the reservation that was made
  std::optional<EventWatch> watch{};   // the client receives events from here on
  std::shared_ptr<AnswerWork> work{};  // JobCaller::in_steps: it has to be done first
  bool last = false;                   // the client ends its session

  // Empties it; the body keeps its memory.
  void clear();
  void refuse(Error error);
  void forbid(std::string why);
};

// The word of a code: "insufficient", …
[[nodiscard]] std::string_view word(SessionAnswer::Code code);
// The answer as a line: its body, or {"error": CODE, "message": TEXT}; with a newline.
void append_line(std::string& out, const SessionAnswer& answer);
[[nodiscard]] std::string take_line(SessionAnswer answer);

}  // namespace copse
