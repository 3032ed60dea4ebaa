// SPDX-License-Identifier: Apache-2.0
#include "session/protocol/session_answer.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "text/json_writer.hpp"

namespace copse {

namespace {

SessionAnswer::Code code_of(const Error& error) {
  if (error.code == ErrorCode::insufficient) return SessionAnswer::Code::insufficient;
  if (error.code == ErrorCode::infeasible) return SessionAnswer::Code::infeasible;
  return SessionAnswer::Code::invalid;
}

}  // namespace

std::string SessionAnswer::Refusal::sentence() const {
  if (!error.place.file.empty() || error.place.column == 0) return error.message();
  return fmt::format("{} (column {})", error.text, error.place.column);
}

void SessionAnswer::clear() {
  std::string memory = std::move(body);
  memory.clear();
  *this = {.body = std::move(memory)};
}

void SessionAnswer::refuse(Error error) {
  const Code code = code_of(error);
  clear();
  refusal = {code, std::move(error)};
}

void SessionAnswer::forbid(std::string why) {
  clear();
  refusal = {Code::forbidden, Error{ErrorCode::invalid, std::move(why), {}}};
}

std::string_view word(SessionAnswer::Code code) {
  constexpr std::array<std::string_view, 4> kWords{"invalid", "insufficient", "infeasible",
                                                   "forbidden"};
  return kWords.at(static_cast<std::size_t>(code));
}

void append_line(std::string& out, const SessionAnswer& answer) {
  if (answer.refusal) {
    JsonWriter json(out);
    json.object([&] {
      json.member("error", word(answer.refusal->code));
      json.member("message", answer.refusal->sentence());
    });
  } else {
    out += answer.body;
  }
  out += '\n';
}

std::string take_line(SessionAnswer answer) {
  std::string out;
  if (!answer.refusal) {
    out = std::move(answer.body);
    answer.body.clear();
  }
  append_line(out, answer);
  return out;
}

}  // namespace copse
