// SPDX-License-Identifier: Apache-2.0
//
// EventStreamWriter: the body of a stream of server-sent events, without a socket or a timer: records
// of the journal, or the events of an EventSource.
//
// Events are sent when their records are on disk. At most kPieceBytes are written at a time. A client
// that falls behind the kept records gets the event "gone", and the stream ends.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/http/events/event_log.hpp"
#include "server/http/message.hpp"

namespace copse::server {

class EventStreamWriter {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

  struct Timing {
    std::chrono::milliseconds keep_alive{};  // without an event, until a comment is sent
    std::chrono::milliseconds poll{};        // interval of EventSource::next()
    std::chrono::milliseconds commit{};      // the longest wait for the disk
  };
  // What the connection does next: it sends `out` if that has bytes; else it waits.
  struct Next {
    std::optional<journal::Sequence> wait_for{};  // a new wait for records before this number
    std::chrono::milliseconds timeout{};          // then timed_out() is called
    bool close = false;                           // the stream has failed
  };

  // REQUIRES that the log outlives this, and either `from` or `source`. `reduce` leaves of the lines
  // of a record what the client sees; empty: all.
  EventStreamWriter(EventLog& events, Timing timing, std::optional<journal::Sequence> from,
                    std::shared_ptr<EventSource> source,
                    std::function<void(std::string& lines)> reduce = {})
      : events_(events),
        timing_(timing),
        next_(from),
        source_(std::move(source)),
        reduce_(std::move(reduce)) {}

  // Appends the next events. REQUIRES an empty `out`.
  [[nodiscard]] Next next(journal::Sequence durable, std::string& out);
  // The same, after Next::timeout.
  [[nodiscard]] Next timed_out(journal::Sequence durable, std::string& out);
  // The client has missed events: nothing follows.
  [[nodiscard]] bool fell_behind() const { return fell_behind_; }

 private:
  [[nodiscard]] Next next_records(journal::Sequence durable, std::string& out);
  [[nodiscard]] Next next_piece(journal::Sequence durable, std::string& out);
  void append_reduced(journal::Sequence number, std::string& out);

  EventLog& events_;
  Timing timing_;
  std::optional<journal::Sequence> next_;  // record
  std::shared_ptr<EventSource> source_;
  std::function<void(std::string& lines)> reduce_;
  journal::Sequence awaited_ = 0;  // last Next::wait_for of records; 0: none
  std::string piece_{};            // of source_: not on disk yet
  journal::Sequence piece_needs_ = 0;
  std::chrono::milliseconds silent_{};
  bool fell_behind_ = false;
};

}  // namespace copse::server
