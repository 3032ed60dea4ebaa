// SPDX-License-Identifier: Apache-2.0
#include "flux/teller.hpp"

#include <algorithm>

namespace copse::flux {

namespace {

constexpr std::int64_t kRest = 4;  // so many times as long as the answers took

}  // namespace

bool Teller::work(std::int64_t now_s, queue::WorkBudget& budget,
                  const std::function<void(const queue::Answers::Brief&)>& tell) {
  if (state_ == State::over) {
    if (queue_.waiting() == 0 || told_sequence_ == queue_.sequence() || now_s < next_s_) {
      return true;
    }
    state_ = State::making;
    begun_s_ = now_s;
    making_sequence_ = queue_.sequence();
  }
  if (state_ == State::making) {
    // Something may have happened since they were begun: it is told the next time.
    const bool all = answers_.work(budget);
    if (answers_.freeing()) return false;
    if (!all && answers_.made_for().value_or(0) < making_sequence_) return false;
    state_ = State::telling;
    next_ = 0;
  }
  while (next_ < answers_.size()) {
    if (const auto brief = answers_.at(next_++)) tell(*brief);
    if (budget.spend() && next_ < answers_.size()) return false;
  }
  state_ = State::over;
  told_sequence_ = making_sequence_;
  next_s_ = std::max(begun_s_ + every_s_, now_s + kRest * (now_s - begun_s_));
  return true;
}

std::optional<std::int64_t> Teller::next_time() const {
  if (queue_.waiting() == 0 || told_sequence_ == queue_.sequence()) return std::nullopt;
  return next_s_;
}

}  // namespace copse::flux
