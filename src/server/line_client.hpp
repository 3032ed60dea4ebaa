// SPDX-License-Identifier: Apache-2.0
//
// LineClient: one client of the session protocol, as bytes in and bytes out; no socket.
//
// Answers leave in the order of the lines, each when the records that it needs are on disk. Input
// is read until Limits::unsent_bytes_max of answers are unsent. A line that exceeds its limit is
// dropped while it arrives, and refused.
//
// A client that watches also receives events, from the log that all clients share: none are queued
// here.
//
// Memory: one line, one piece of input, and the unsent answers.
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
    std::size_t unsent_bytes_max = std::size_t{4} << 20;
  };

  LineClient(Service& service, Limits limits, Caller caller = kOwner)
      : service_(service), limits_(limits), caller_(std::move(caller)) {}

  // Input of the client. REQUIRES accepts_input(). Lines that cannot be answered yet, because of
  // unsent answers, wait for process().
  void receive(std::string_view bytes, std::int64_t now_s);
  // The end of input: remaining bytes without a newline are a line.
  void end_input(std::int64_t now_s);
  // Answers waiting lines.
  void process(std::int64_t now_s);
  // Appends what may be sent when all records before `durable` are on disk. Events are limited to
  // kEventBytes at a time.
  void send(journal::Sequence durable, std::string& out);

  // Whether receive() may be called.
  [[nodiscard]] bool accepts_input() const {
    return !finished_ && unsent_bytes_ < limits_.unsent_bytes_max;
  }
  [[nodiscard]] bool is_watching() const { return watch_.has_value(); }
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  // The number before which all records must be on disk for the first unsent answer. REQUIRES
  // has_unsent().
  [[nodiscard]] journal::Sequence needs() const { return unsent_.front().needs; }
  // Bytes of input and unsent answers.
  [[nodiscard]] std::size_t buffered_bytes() const { return received_.size() + unsent_bytes_; }
  // The client has ended, and all answers are sent.
  [[nodiscard]] bool finished() const { return finished_ && unsent_.empty(); }

 private:
  void answer(std::string_view line, std::int64_t now_s, std::size_t readable_past);
  void enqueue(Service::Answer answer);

  Service& service_;
  Limits limits_;
  Caller caller_;
  std::string received_;     // begins with the current line
  std::size_t scanned_ = 0;  // without a newline
  bool too_long_ = false;    // the current line
  bool ended_ = false, finished_ = false;
  std::deque<Service::Answer> unsent_;
  std::size_t unsent_bytes_ = 0;
  std::optional<JobCaller::Watch> watch_{};  // set when the answer to its watch is sent
};

}  // namespace copse::server
