// SPDX-License-Identifier: Apache-2.0
#include "server/line_client.hpp"

#include <cassert>
#include <utility>

namespace copse::server {

namespace {

constexpr std::size_t kEventBytes = std::size_t{256} << 10;  // sent at once

}  // namespace

void LineClient::owe(Service::Answer answer) {
  owed_bytes_ += answer.text.size();
  over_ = over_ || answer.last;
  owed_.push_back(std::move(answer));
}

void LineClient::answer(std::string_view line, std::int64_t now_s, std::size_t readable_past) {
  if (std::exchange(too_long_, false) || line.size() > limits_.line_bytes_max) {
    owe(service_.refuse_long_line(limits_.line_bytes_max));
  } else {
    owe(service_.answer(line, now_s, readable_past, who_));
  }
}

void LineClient::take(std::string_view bytes, std::int64_t now_s) {
  assert(listening());
  received_ += bytes;
  go_on(now_s);
}

void LineClient::end(std::int64_t now_s) {
  ended_ = true;
  go_on(now_s);
}

void LineClient::go_on(std::int64_t now_s) {
  std::size_t begin = 0;
  while (listening()) {
    const std::size_t at = received_.find('\n', seen_);
    if (at == std::string::npos) {
      seen_ = received_.size();
      break;
    }
    received_[at] = '\0';  // what reads a line reads on until it finds this
    answer(std::string_view(received_).substr(begin, at - begin), now_s, received_.size() - at);
    begin = seen_ = at + 1;
  }
  received_.erase(0, begin);
  seen_ -= begin;
  if (over_) received_.clear();
  if (seen_ == received_.size() && received_.size() > limits_.line_bytes_max) {
    too_long_ = true;
    received_.clear();
    seen_ = 0;
  }
  if (ended_ && listening()) {
    if (too_long_ || !received_.empty()) answer(std::exchange(received_, {}), now_s, 0);
    over_ = true;
  }
}

void LineClient::send(journal::Sequence durable, std::string& out) {
  while (owed() && needs() <= durable) {
    owed_bytes_ -= owed_.front().text.size();
    out += owed_.front().text;
    if (owed_.front().watch) watch_ = owed_.front().watch;
    owed_.pop_front();
  }
  if (watch_ && !service_.events().read(*watch_, durable, kEventBytes, out)) watch_.reset();
}

}  // namespace copse::server
