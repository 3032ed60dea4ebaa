// SPDX-License-Identifier: Apache-2.0
#include "server/line_client.hpp"

#include <cassert>

namespace copse::server {

namespace {

constexpr std::size_t kEventBytes = std::size_t{256} << 10;  // of events, for one write

}  // namespace

void LineClient::enqueue(Service::Answer answer) {
  finished_ = finished_ || answer.value.last;
  const auto watch = answer.value.watch;
  unsent_.push_back({take_line(std::move(answer.value)), answer.needs, watch});
  unsent_bytes_ += unsent_.back().line.size();
}

void LineClient::answer(std::string_view line, std::int64_t now_s, std::size_t readable_past) {
  if (std::exchange(too_long_, false) || line.size() > limits_.line_bytes_max) {
    enqueue(service_.refuse_long_line(limits_.line_bytes_max));
  } else {
    auto begun = service_.begin(line, now_s, readable_past, caller_);
    work_ = std::move(begun.work);
    if (work_ == nullptr) enqueue(std::move(begun));
  }
}

void LineClient::work_on(std::int64_t now_s) {
  Service::Answer answer;
  if (!work_->step(now_s, answer)) return;
  work_.reset();
  enqueue(std::move(answer));
}

void LineClient::find_line_end(std::size_t from) { line_end_ = received_.find('\n', from); }

// Of a line that is too long, only that is remembered.
void LineClient::drop_long_line() {
  if (line_end_ != std::string::npos || received_.size() - answered_ <= limits_.line_bytes_max)
    return;
  too_long_ = true;
  received_.clear();
  answered_ = 0;
}

void LineClient::add_input(std::string_view bytes) {
  assert(accepts_input());
  const std::size_t before = received_.size();
  received_ += bytes;
  find_line_end(before);
  drop_long_line();
}

void LineClient::end_input() { ended_ = true; }

void LineClient::answer_next(std::int64_t now_s) {
  if (line_end_ == std::string::npos) {  // the end of input
    const std::string last = std::exchange(received_, {}).substr(std::exchange(answered_, 0));
    if (too_long_ || !last.empty()) answer(last, now_s, 0);
    finished_ = true;
    return;
  }
  received_[line_end_] = '\0';  // the line reader needs this terminator
  answer(std::string_view(received_).substr(answered_, line_end_ - answered_), now_s,
         received_.size() - line_end_);
  answered_ = line_end_ + 1;
  find_line_end(answered_);
}

void LineClient::process(std::int64_t now_s, queue::WorkBudget budget) {
  while (has_work()) {
    work_ != nullptr ? work_on(now_s) : answer_next(now_s);
    if (budget.spend()) break;
  }
  received_.erase(0, answered_);
  if (line_end_ != std::string::npos) line_end_ -= answered_;
  answered_ = 0;
  if (finished_) received_.clear();
  drop_long_line();
}

void LineClient::send(journal::Sequence durable, std::string& out) {
  while (has_unsent() && needs() <= durable) {
    unsent_bytes_ -= unsent_.front().line.size();
    out += unsent_.front().line;
    if (unsent_.front().watch) watch_ = unsent_.front().watch;
    unsent_.pop_front();
  }
  if (watch_ && !service_.read_events(*watch_, durable, kEventBytes, caller_, out)) watch_.reset();
}

}  // namespace copse::server
