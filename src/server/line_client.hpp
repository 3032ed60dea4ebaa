// SPDX-License-Identifier: Apache-2.0
//
// LineClient: one client that speaks the session protocol. Bytes in, bytes out; no socket.
//
// Answers leave in the order of the lines, each when what it needs is on disk. A client that sends
// and does not read is served until it is owed Limits::owed_bytes_max, and then not listened to;
// so is one in the middle of a line longer than it may be, of which nothing is kept.
//
// A client that watches is sent events besides, from the log of all clients: none waits here.
//
// Memory: a line, a piece of input, and what is owed.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/service.hpp"

namespace copse::server {

class LineClient {
 public:
  struct Limits {
    std::size_t line_bytes_max = std::size_t{1} << 20;
    std::size_t owed_bytes_max = std::size_t{4} << 20;
  };

  LineClient(Service& service, Limits limits, Who who = kOwner)
      : service_(service), limits_(limits), who_(std::move(who)) {}

  // What it has sent. REQUIRES listening(). Lines that are not answered yet, since too much is
  // owed, wait for go_on().
  void take(std::string_view bytes, std::int64_t now_s);
  // It sends no more: what has no line end is a line.
  void end(std::int64_t now_s);
  // Answers lines that waited.
  void go_on(std::int64_t now_s);
  // Appends what may be sent, now that all records before `durable` are on disk. There may be more
  // events than are sent at once.
  void send(journal::Sequence durable, std::string& out);

  // Whether more of what it sends may be taken.
  [[nodiscard]] bool listening() const { return !over_ && owed_bytes_ < limits_.owed_bytes_max; }
  [[nodiscard]] bool watching() const { return watch_.has_value(); }
  [[nodiscard]] bool owed() const { return !owed_.empty(); }
  // Which records the first answer waits for. REQUIRES owed().
  [[nodiscard]] journal::Sequence needs() const { return owed_.front().needs; }
  // Of what it has sent, and of answers.
  [[nodiscard]] std::size_t held_bytes() const { return received_.size() + owed_bytes_; }
  // Nothing more will come of it.
  [[nodiscard]] bool finished() const { return over_ && owed_.empty(); }

 private:
  void answer(std::string_view line, std::int64_t now_s, std::size_t readable_past);
  void owe(Service::Answer answer);

  Service& service_;
  Limits limits_;
  Who who_;
  std::string received_;   // from the line that has begun on
  std::size_t seen_ = 0;   // of it, what has no line end
  bool too_long_ = false;  // the line that has begun
  bool ended_ = false, over_ = false;
  std::deque<Service::Answer> owed_;
  std::size_t owed_bytes_ = 0;
  std::optional<JobCaller::Watch> watch_{};  // since the answer to its wish was sent
};

}  // namespace copse::server
