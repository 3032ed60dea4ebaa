// SPDX-License-Identifier: Apache-2.0
#include "server/line_client.hpp"

#include <cassert>
#include <utility>

namespace copse::server {

namespace {

constexpr std::size_t kEventBytes = std::size_t{256} << 10;  // of events, for one write

}  // namespace

void LineClient::enqueue(Service::Answer answer) {
  unsent_bytes_ += answer.text.size();
  finished_ = finished_ || answer.last;
  unsent_.push_back(std::move(answer));
}

void LineClient::answer(std::string_view line, std::int64_t now_s, std::size_t readable_past) {
  if (std::exchange(too_long_, false) || line.size() > limits_.line_bytes_max) {
    enqueue(service_.refuse_long_line(limits_.line_bytes_max));
  } else {
    enqueue(service_.answer(line, now_s, readable_past, caller_));
  }
}

void LineClient::receive(std::string_view bytes, std::int64_t now_s) {
  assert(accepts_input());
  received_ += bytes;
  process(now_s);
}

void LineClient::end_input(std::int64_t now_s) {
  ended_ = true;
  process(now_s);
}

void LineClient::process(std::int64_t now_s) {
  std::size_t begin = 0;
  while (accepts_input()) {
    const std::size_t at = received_.find('\n', scanned_);
    if (at == std::string::npos) {
      scanned_ = received_.size();
      break;
    }
    received_[at] = '\0';  // the line reader needs this terminator
    answer(std::string_view(received_).substr(begin, at - begin), now_s, received_.size() - at);
    begin = scanned_ = at + 1;
  }
  received_.erase(0, begin);
  scanned_ -= begin;
  if (finished_) received_.clear();
  if (scanned_ == received_.size() && received_.size() > limits_.line_bytes_max) {
    too_long_ = true;
    received_.clear();
    scanned_ = 0;
  }
  if (ended_ && accepts_input()) {
    if (too_long_ || !received_.empty()) answer(std::exchange(received_, {}), now_s, 0);
    finished_ = true;
  }
}

void LineClient::send(journal::Sequence durable, std::string& out) {
  while (has_unsent() && needs() <= durable) {
    unsent_bytes_ -= unsent_.front().text.size();
    out += unsent_.front().text;
    if (unsent_.front().watch) watch_ = unsent_.front().watch;
    unsent_.pop_front();
  }
  if (watch_ && !service_.read_events(*watch_, durable, kEventBytes, caller_, out)) watch_.reset();
}

}  // namespace copse::server
