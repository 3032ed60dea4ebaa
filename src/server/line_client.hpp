// SPDX-License-Identifier: Apache-2.0
//
// LineClient: one client of the session protocol, as bytes in and bytes out; no socket.
//
// Answers leave in the order of the lines, each when the records that it needs are on disk. Input
// is read until a line of it waits for process(), or Limits::unsent_bytes_max of answers are unsent.
// A line that exceeds its limit is dropped while it arrives, and refused.
//
// A client that watches also receives events, from the log that all clients share: none are queued
// here.
//
// Invariant: line_end_ is the end of the first line of received_, or npos.
//
// Memory: one line, one piece of input, and the unsent answers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "queue/work_budget.hpp"
#include "server/service.hpp"

namespace copse::server {

class LineClient {
 public:
  struct Limits {
    std::size_t line_bytes_max = std::size_t{1} << 20;
    std::size_t unsent_bytes_max = std::size_t{4} << 20;
  };

  LineClient(Service& service, Limits limits, Caller caller = kOwner)
      : service_(service), limits_(limits), caller_(std::move(caller)) {}

  // Adds input of the client, or its end: remaining bytes without a newline are then a line. Its lines
  // wait for process(). REQUIRES accepts_input().
  void add_input(std::string_view bytes);
  void end_input();
  // Answers waiting lines within the budget. Each line is one step, a dear one several.
  void process(std::int64_t now_s, queue::WorkBudget budget = {});
  // Adds input, and answers what can be answered.
  void receive(std::string_view bytes, std::int64_t now_s) {
    add_input(bytes);
    process(now_s);
  }
  // Appends what may be sent when all records before `durable` are on disk. Events are limited to
  // kEventBytes at a time.
  void send(journal::Sequence durable, std::string& out);

  // Whether add_input() may be called.
  [[nodiscard]] bool accepts_input() const { return may_answer() && !ended_ && !has_work(); }
  // Whether process() would answer a line, or work on one.
  [[nodiscard]] bool has_work() const {
    return work_ != nullptr || (may_answer() && (line_end_ != std::string::npos || ended_));
  }
  // Whether a line was taken, and is worked on.
  [[nodiscard]] bool is_working() const { return work_ != nullptr; }
  [[nodiscard]] bool is_watching() const { return watch_.has_value(); }
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  // The number before which all records must be on disk for the first unsent answer. REQUIRES
  // has_unsent().
  [[nodiscard]] journal::Sequence needs() const { return unsent_.front().needs; }
  // Bytes of input and unsent answers.
  [[nodiscard]] std::size_t buffered_bytes() const { return received_.size() + unsent_bytes_; }
  // The client has ended, and all answers are sent.
  [[nodiscard]] bool finished() const { return finished_ && unsent_.empty() && work_ == nullptr; }

 private:
  [[nodiscard]] bool may_answer() const {
    return !finished_ && unsent_bytes_ < limits_.unsent_bytes_max;
  }
  void answer(std::string_view line, std::int64_t now_s, std::size_t readable_past);
  void enqueue(Service::Answer answer);
  void work_on(std::int64_t now_s);
  void answer_next(std::int64_t now_s);
  void find_line_end(std::size_t from);
  void drop_long_line();

  Service& service_;
  Limits limits_;
  Caller caller_;
  std::string received_;  // its first answered_ bytes are answered
  std::size_t answered_ = 0;
  std::size_t line_end_ = std::string::npos;  // of the first line that waits
  bool too_long_ = false;                     // that line
  bool ended_ = false, finished_ = false;
  struct Unsent {
    std::string line;
    journal::Sequence needs;  // all records before it must be on disk
    std::optional<EventWatch> watch;
  };
  std::deque<Unsent> unsent_;
  std::size_t unsent_bytes_ = 0;
  std::shared_ptr<Service::Work> work_{};  // of the last line that was taken; none: it is answered
  std::optional<EventWatch> watch_{};      // set when the answer to its watch is sent
};

}  // namespace copse::server
