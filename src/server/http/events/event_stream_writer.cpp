// SPDX-License-Identifier: Apache-2.0
#include "server/http/events/event_stream_writer.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace copse::server {

namespace {

constexpr std::string_view kKeepAlive = ": alive\n\n";  // a comment

}  // namespace

EventStreamWriter::Next EventStreamWriter::next(journal::Sequence durable, std::string& out) {
  return source_ == nullptr ? next_records(durable, out) : next_piece(durable, out);
}

EventStreamWriter::Next EventStreamWriter::timed_out(journal::Sequence durable, std::string& out) {
  if (source_ == nullptr) {
    out = kKeepAlive;
    return {};
  }
  if (!piece_.empty()) return {.close = true};  // the disk took too long
  piece_needs_ = source_->next(piece_);
  silent_ = piece_.empty() ? silent_ + timing_.poll : std::chrono::milliseconds(0);
  if (piece_.empty() && silent_ >= timing_.keep_alive) {
    silent_ = {};
    piece_ = kKeepAlive;
    piece_needs_ = 0;
  }
  const bool waits = !piece_.empty() && piece_needs_ > durable;
  Next out_next = next_piece(durable, out);
  if (waits) out_next.wait_for = piece_needs_;
  return out_next;
}

EventStreamWriter::Next EventStreamWriter::next_piece(journal::Sequence durable, std::string& out) {
  if (!piece_.empty() && piece_needs_ <= durable) {
    out = std::exchange(piece_, {});
    return {};
  }
  return {.timeout = piece_.empty() ? timing_.poll : timing_.commit};
}

EventStreamWriter::Next EventStreamWriter::next_records(journal::Sequence durable,
                                                        std::string& out) {
  journal::Sequence& next = *next_;
  if (next < events_.first()) {
    out += fmt::format("event: gone\ndata: {{\"first\": {}}}\n\n", events_.first());
    fell_behind_ = true;
    return {};
  }
  const journal::Sequence end = std::min(durable, events_.next());
  for (; next < end && out.size() < kPieceBytes; ++next) {
    reduce_ ? append_reduced(next, out) : events_.append_event(next, out);
  }
  if (!out.empty()) return {};
  Next wait{.timeout = timing_.keep_alive};
  if (awaited_ != next + 1) wait.wait_for = awaited_ = next + 1;
  return wait;
}

void EventStreamWriter::append_reduced(journal::Sequence number, std::string& out) {
  std::string lines;
  events_.append(number, lines);
  reduce_(lines);
  append_server_sent_event(number, lines, out);
}

}  // namespace copse::server
